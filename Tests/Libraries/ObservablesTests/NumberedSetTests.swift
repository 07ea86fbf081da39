import Observables
import TestSupport
import Testing

/// Elements that are equal by their text, and have a number each.
private struct Numbered: Hashable {
    let text: String

    init(_ number: Int) { text = "\(number)" }

    var number: Int { Int(text) ?? -1 }
}

@Suite struct NumberedSetTests {
    @Test(
        "a set that keeps bits has the elements and the changes of one that hashes",
        arguments: 0..<20)
    func random(seed: Int) {
        var random = Seeded(seed)
        let plain = SetVariable<Numbered>()
        let numbered = SetVariable<Numbered>(numberedBy: \.number) { Numbered($0) }
        let logs = [Log<SetChange<Numbered>>(), Log<SetChange<Numbered>>()]
        // Not observed at first.
        var connections: [Connection] = []
        for step in 0..<300 {
            if step == 100 {
                connections = zip([plain, numbered], logs).map { set, log in
                    set.connect { log.add($0) }
                }
            }
            let most = [3, 63, 64, 65, 300][random.below(5)]
            let some = (0..<random.below(4)).map { _ in Numbered(random.below(most + 1)) }
            for set in [plain, numbered] {
                transaction {
                    for element in some {
                        if set.contains(element) {
                            set.remove(element)
                        } else {
                            set.insert(element)
                        }
                    }
                    if step % 7 == 0 { set.apply(removing: some, inserting: some.dropFirst()) }
                }
            }
            #expect(numbered.value == plain.value && numbered.count == plain.count, "seed \(seed)")
            #expect(some.allSatisfy { numbered.contains($0) == plain.contains($0) })
            #expect(logs[0].entries == logs[1].entries, "seed \(seed)")
        }
        #expect(!logs[0].entries.isEmpty)
        #expect(
            numbered.observableSet.sorted { $0.number < $1.number }.value.map(\.number)
                == plain.value.map(\.number).sorted())
        for element in [Numbered(-1), Numbered(.max)] {
            // Such an element cannot be in it.
            numbered.remove(element)
            #expect(!numbered.contains(element))
        }
        numbered.removeAll()
        #expect(numbered.count == 0 && numbered.value.isEmpty)
        for connection in connections { connection.disconnect() }
    }

    @Test(
        "a set that begins with bits has their elements, and changes without them",
        arguments: 0..<10)
    func bits(seed: Int) {
        var random = Seeded(seed)
        var numbers: Set<Int> = []
        var bits: [UInt64] = Array(repeating: 0, count: 4)
        for _ in 0..<random.below(80) {
            let number = random.below(256)
            numbers.insert(number)
            bits[number / 64] |= 1 << UInt64(number % 64)
        }
        let before = bits
        let set = SetVariable<Int>(numberedBy: { $0 }, bits: bits) { $0 }
        let other = SetVariable<Int>(numberedBy: { $0 }, bits: []) { $0 }
        for _ in 0..<100 {
            #expect(set.value == numbers && set.count == numbers.count, "seed \(seed)")
            let number = random.below(400)
            #expect(set.contains(number) == numbers.contains(number), "seed \(seed)")
            if numbers.remove(number) == nil {
                numbers.insert(number)
                set.insert(number)
            } else {
                set.remove(number)
            }
        }
        #expect(bits == before && other.count == 0)
    }

    @Test("it takes a bit for each number, and its union with a few others enumerates those only")
    func cost() {
        let count = 100_000
        let set = SetVariable<Int>(numberedBy: { $0 }, { $0 })
        var worst = 0
        for number in 0..<count {
            worst = max(worst, Cost.of { set.insert(number) }.bytes)
        }
        // An array of bits doubles. A set of hashes takes a hundred times as much.
        #expect(worst < 4 * count / 8, "\(worst) bytes")
        let others: SetVariable<Int> = [1, 2, count + 1]
        let union = set.union(others)
        let counted = Cost.of { #expect(union.count == count + 1) }
        #expect(counted.bytes < 65_536, "\(counted)")
        let observed = Cost.of { union.connect { _ in }.disconnect() }
        #expect(observed.bytes < 65_536, "\(observed)")
    }
}
