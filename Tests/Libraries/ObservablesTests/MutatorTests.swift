import Observables
import Testing

@Suite struct MutatorTests {
    @Test("Array variables change like arrays", arguments: 0..<200)
    func arrays(seed: Int) {
        var random = Seeded(seed)
        let rows = ArrayVariable(random.array(limit: 6))
        var plain = rows.value
        let trials: [any AnyTrial] = [
            Trial(rows) { plain }, Trial(rows.map { $0 }.reversed()) { plain.reversed() },
            Trial(rows.prefix(3)) { Array(plain.prefix(3)) },
            Trial(rows.suffix(2)) { plain.suffix(2) },
            Trial(rows.compactMap { $0 > 1 ? $0 * 2 : nil }) {
                plain.compactMap { $0 > 1 ? $0 * 2 : nil }
            },
            Trial(rows.flatMap { Array(repeating: $0, count: $0) }) {
                plain.flatMap { Array(repeating: $0, count: $0) }
            },
        ]
        run(trials, seed: seed, random: &random) { random in
            let new = random.array(limit: 3)
            let index = random.below(plain.count + 1)
            let end = index + random.below(plain.count - index + 1)
            switch random.below(10) {
            case 0 where !plain.isEmpty:
                rows.removeFirst()
                plain.removeFirst()
            case 1 where !plain.isEmpty:
                rows.removeLast()
                plain.removeLast()
            case 2:
                rows.removeSubrange(index..<end)
                plain.removeSubrange(index..<end)
            case 3:
                let bound = random.below(4)
                rows.removeAll { $0 == bound }
                plain.removeAll { $0 == bound }
            case 4:
                rows.append(contentsOf: new.lazy.map { $0 + 1 })
                plain.append(contentsOf: new.lazy.map { $0 + 1 })
            case 5:
                rows.insert(contentsOf: Set(new).sorted().reversed(), at: index)
                plain.insert(contentsOf: Set(new).sorted().reversed(), at: index)
            case 6:
                rows.replaceSubrange(index..<end, with: repeatElement(4, count: 2))
                plain.replaceSubrange(index..<end, with: repeatElement(4, count: 2))
            default:
                rows.insert(index, at: index)
                plain.insert(index, at: index)
            }
            #expect(rows.first == plain.first && rows.last == plain.last, "seed \(seed)")
            #expect(rows.contains(2) == plain.contains(2), "seed \(seed)")
            let sorted = rows.sorted()
            #expect(sorted.lowerBound { $0 >= 2 } == plain.count { $0 < 2 }, "seed \(seed)")
        }
    }

    @Test(
        "Set variables and dictionary variables change like sets and dictionaries",
        arguments: 0..<200)
    func sets(seed: Int) {
        var random = Seeded(seed)
        let set = SetVariable(random.array(limit: 6))
        var plain = set.value
        let dictionary: DictionaryVariable<Int, Int> = [:]
        var entries: [Int: Int] = [:]
        let trials: [any AnyTrial] = [Trial(set) { plain }, Trial(dictionary) { entries }]
        run(trials, seed: seed, random: &random) { random in
            let other = random.array(limit: 4, alphabet: 6)
            let key = random.below(4)
            switch random.below(7) {
            case 0:
                set.formUnion(other)
                plain.formUnion(other)
            case 1:
                set.subtract(other.reversed())
                plain.subtract(other)
            case 2:
                set.formIntersection(other)
                plain.formIntersection(other)
            case 3:
                set.formSymmetricDifference(other)
                plain.formSymmetricDifference(other)
            case 4:
                set.removeAll { $0 == key }
                plain.remove(key)
            case 5:
                dictionary.removeAll { $0 == key || $1 == 2 }
                entries = entries.filter { $0.key != key && $0.value != 2 }
            default:
                dictionary[key, default: 10] += 1
                entries[key, default: 10] += 1
                #expect(dictionary[key, default: 7] == entries[key], "seed \(seed)")
                #expect(dictionary[9, default: 7] == 7, "seed \(seed)")
            }
        }
    }

    @Test("Removing the last row of an empty array stops the program")
    func emptyArray() async {
        await #expect(processExitsWith: .failure) { ArrayVariable<Int>().removeLast() }
        await #expect(processExitsWith: .failure) { ArrayVariable<Int>().removeFirst() }
    }

    @Test("One connection for each element, as long as it is present", arguments: 0..<200)
    func connectEach(seed: Int) {
        var random = Seeded(seed)
        let rows: ArrayVariable<Int> = [1, 2]
        let set: SetVariable<Int> = [1, 2]
        let entries: DictionaryVariable<Int, Int> = [1: 2]
        /// The current connections of each element, and the number of connections ever made.
        final class Census {
            var live: [[Int]: Int] = [:]
            var made = 0

            func connect(_ what: Int...) -> Connection {
                live[what, default: 0] += 1
                made += 1
                return Connection {
                    self.live[what] = self.live[what].flatMap { $0 > 1 ? $0 - 1 : nil }
                }
            }
        }
        let (ofRows, ofSet, ofEntries) = (Census(), Census(), Census())
        let connections = [
            rows.connectEach { ofRows.connect($0) }, set.connectEach { ofSet.connect($0) },
            entries.connectEach { ofEntries.connect($0, $1) },
        ]
        for step in 0..<30 {
            transaction {
                for _ in 0..<(1 + random.below(3)) {
                    let index = random.below(rows.count + 1)
                    rows.replaceSubrange(
                        index..<min(rows.count, index + random.below(3)),
                        with: random.array(limit: 3))
                    set.formSymmetricDifference(random.array(limit: 2, alphabet: 6))
                    entries[random.below(3)] = random.below(3) == 0 ? nil : random.below(3)
                }
            }
            let counts = Dictionary(rows.value.map { ([$0], 1) }, uniquingKeysWith: +)
            #expect(ofRows.live == counts, "seed \(seed), step \(step)")
            #expect(ofSet.live == Dictionary(uniqueKeysWithValues: set.value.map { ([$0], 1) }))
            let pairs = entries.value.map { ([$0.key, $0.value], 1) }
            #expect(ofEntries.live == Dictionary(uniqueKeysWithValues: pairs), "seed \(seed)")
        }
        let made = ofSet.made
        set.formUnion(set.value)
        #expect(ofSet.made == made, "who stays is not connected anew")
        for connection in connections { connection.disconnect() }
        #expect(ofRows.live.isEmpty && ofSet.live.isEmpty && ofEntries.live.isEmpty)
        set.insert(99)
        #expect(ofSet.live.isEmpty)
    }
}
