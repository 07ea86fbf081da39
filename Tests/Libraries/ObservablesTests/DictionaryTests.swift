import Observables
import Testing

/// A value that cannot be compared.
private struct Opaque {
    var number: Int
}

@Suite struct DictionaryTests {
    @Test("Changes of dictionaries obey the laws on random scripts", arguments: 0..<1000)
    func laws(seed: Int) {
        var random = Seeded(seed)
        func script(_ base: [Int: Int]) -> (change: DictionaryChange<Int, Int>, result: [Int: Int])
        {
            var change = DictionaryChange<Int, Int>()
            var result = base
            for _ in 0..<random.below(8) {
                let key = random.below(4)
                let new = random.below(3) == 0 ? nil : random.below(3)
                guard let edit = DictionaryEdit(from: result[key], to: new) else { continue }
                change.add(edit, forKey: key)
                result[key] = new
            }
            return (change, result)
        }
        let base = script([:]).result
        let (first, middle) = script(base)
        let (second, final) = script(middle)
        let (third, last) = script(final)
        for (change, from, to) in [
            (first, base, middle), (second, middle, final),
            (first.merged(with: second), base, final),
            (first.merged(with: second).merged(with: third), base, last),
        ] {
            #expect(change == DictionaryChange(from: from, to: to), "seed \(seed)")
            #expect(change.isEmpty == (from == to) && change.isApplicable(to: from))
            #expect(change.deltaCount == to.count - from.count, "seed \(seed)")
            for (key, edit) in change.edits { #expect(edit.old == from[key], "seed \(seed)") }
            var value = from
            change.apply(on: &value)
            #expect(value == to, "seed \(seed)")
            change.reversed().apply(on: &value)
            #expect(value == from, "seed \(seed)")
            #expect(change.reversed().reversed() == change, "seed \(seed)")
            #expect(change.merged(with: change.reversed()).isEmpty, "seed \(seed)")
            #expect(
                change.mapValues { $0 / 2 }
                    == DictionaryChange(
                        from: from.mapValues { $0 / 2 }, to: to.mapValues { $0 / 2 }),
                "seed \(seed)")
            #expect(
                change.removed.count + change.inserted.count + change.replaced.count
                    == change.edits.count)
        }
        #expect(
            first.merged(with: second).merged(with: third)
                == first.merged(with: second.merged(with: third)), "seed \(seed)")
    }

    @Test("A change is refused by a dictionary it does not fit, before anything is modified")
    func refusal() async {
        var change = DictionaryChange<Int, Int>()
        change.add(.insert(1), forKey: 1)
        change.add(.remove(2), forKey: 2)
        #expect(change.isApplicable(to: [2: 5]) && !change.isApplicable(to: [1: 1, 2: 2]))
        #expect(!change.isApplicable(to: [:]))
        await #expect(processExitsWith: .failure) {
            var value = [1: 1, 2: 2]
            DictionaryChange(from: [2: 2], to: [1: 1]).apply(on: &value)
        }
        await #expect(processExitsWith: .failure) {
            var change = DictionaryChange<Int, Int>()
            change.add(.insert(1), forKey: 1)
            change.add(.insert(1), forKey: 1)
        }
    }

    @Test("Dictionaries and results of their operators equal recomputation", arguments: 0..<100)
    func randomScripts(seed: Int) {
        var random = Seeded(seed)
        let source: DictionaryVariable<Int, Int> = [1: 1, 2: 2]
        let opaque = DictionaryVariable<Int, Opaque>()
        typealias Entry = DictionaryEntry<Int, Int>
        let less: (Entry, Entry) -> Bool = { ($0.value, $0.key) < ($1.value, $1.key) }
        let odd: (Int, Int) -> Bool = { ($0 + $1) % 2 == 1 }
        let trials: [any AnyTrial] = [
            Trial(source) { source.value },
            Trial(source.keys) { Set(source.value.keys) },
            Trial(source.observableCount) { source.value.count },
            Trial(source.observableIsEmpty) { source.value.isEmpty },
            Trial(source.observable(forKey: 2)) { source.value[2] },
            Trial(source.mapValues { $0 / 2 }) { source.value.mapValues { $0 / 2 } },
            Trial(source.filter(odd)) { source.value.filter { odd($0.key, $0.value) } },
            Trial(source.filter(odd).mapValues { $0 / 2 }.buffered()) {
                source.value.filter { odd($0.key, $0.value) }.mapValues { $0 / 2 }
            },
            Trial(source.filter(odd).observableCount) {
                source.value.filter { odd($0.key, $0.value) }.count
            },
            Trial(source.filter(odd).observable(forKey: 1)) {
                source.value[1].flatMap { odd(1, $0) ? $0 : nil }
            },
            Trial(source.entries) {
                Set(source.value.map { DictionaryEntry(key: $0.key, value: $0.value) })
            },
            Trial(source.sorted(by: less)) {
                source.value.map { DictionaryEntry(key: $0.key, value: $0.value) }
                    .sorted(by: less)
            },
            Trial(source.keys.sorted()) { source.value.keys.sorted() },
            Trial(
                source.reduce(0, add: { $0 + $1 * 10 + $2 }, remove: { $0 - $1 * 10 - $2 })
            ) { source.value.reduce(0) { $0 + $1.key * 10 + $1.value } },
            Trial(opaque.mapValues(\.number)) { opaque.value.mapValues(\.number) },
            Trial(opaque.keys) { Set(opaque.value.keys) },
        ]
        run(trials, seed: seed, random: &random) { random in
            let key = random.below(5)
            switch random.below(8) {
            case 0: source.removeValue(forKey: key)
            case 1: source[key] = nil
            case 2: source.updateValue(random.below(4), forKey: key)
            case 3:
                source.value = Dictionary(
                    random.array(limit: 6).map { ($0, random.below(3)) },
                    uniquingKeysWith: { $1 })
            case 4: source.merge([key: 1, key + 1: 2], uniquingKeysWith: +)
            case 5: opaque[key] = Opaque(number: random.below(3))
            case 6: opaque[key] = nil
            default: source[key] = random.below(4)
            }
            let entry = DictionaryEntry(key: key, value: 1)
            #expect(source.entries.contains(entry) == (source[key] == 1), "seed \(seed)")
            #expect(source.keys.contains(key) == (source[key] != nil), "seed \(seed)")
        }
    }

    @Test("Equal writes, reverted writes and other keys notify no observer")
    func silence() {
        let source: DictionaryVariable<String, Int> = ["a": 1, "b": 2]
        let log = Log<DictionaryChange<String, Int>>()
        let values = Log<Int?>()
        let c = source.connect { log.add($0) }
        let d = source.observable(forKey: "a").connect { values.add($0.new) }
        source["a"] = 1
        transaction {
            source["a"] = 5
            source["c"] = 3
            source["a"] = 1
            source["c"] = nil
        }
        #expect(log.entries.isEmpty)
        source["b"] = 3
        #expect(log.entries.map(\.edits) == [["b": .replace(2, with: 3)]] && values.entries.isEmpty)
        source["a"] = nil
        transaction {
            source["a"] = 7
            source["b"] = nil
        }
        #expect(values.entries == [nil, 7])
        #expect(log.entries.last?.edits == ["a": .insert(7), "b": .remove(3)])
        c.disconnect()
        d.disconnect()
    }

    @Test("A dictionary written in a sink changes when the write is performed")
    func sinks() {
        let source: DictionaryVariable<Int, Int> = [:]
        let trigger = Variable(0)
        let c = trigger.connect { change in
            source.merge([1: change.new], uniquingKeysWith: +)
            #expect(source[1] == (change.new == 1 ? nil : 1))
        }
        trigger.value = 1
        trigger.value = 2
        #expect(source.value == [1: 3])
        source.apply(DictionaryChange(from: [1: 3], to: [2: 2]))
        #expect(source.value == [2: 2] && source.count == 1 && !source.isEmpty)
        source.removeAll()
        #expect(source.isEmpty)
        let optionals: DictionaryVariable<Int, Int?> = [:]
        let log = Log<DictionaryChange<Int, Int?>>()
        let d = optionals.connect { log.add($0) }
        optionals.updateValue(nil, forKey: 1)
        #expect(optionals.count == 1 && log.entries.count == 1)
        #expect(log.entries.first?.edits == [1: .insert(nil)])
        optionals[1] = nil
        #expect(optionals.isEmpty && log.entries.count == 2)
        let constant = ObservableDictionary.constant([1: 2])
        #expect(constant[1] == 2 && constant.keys.value == [1])
        c.disconnect()
        d.disconnect()
    }
}
