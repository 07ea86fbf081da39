import Observables
import Testing

@Suite struct SetAlgebraTests {
    @Test("Each operation under changes of either side and of both in one transaction")
    func bothSides() {
        let a: SetVariable<Int> = [1, 2, 3]
        let b: SetVariable<Int> = [3, 4]
        let logs = (0..<4).map { _ in Log<SetChange<Int>>() }
        let sets = [a.union(b), a.intersection(b), a.subtracting(b), a.symmetricDifference(b)]
        let connections = zip(sets, logs).map { set, log in set.connect { log.add($0) } }
        func told() -> [SetChange<Int>?] {
            logs.map { log in
                #expect(log.entries.count <= 1)
                defer { log.entries = [] }
                return log.entries.first
            }
        }
        a.insert(4)
        #expect(
            told() == [nil, SetChange(inserted: [4]), nil, SetChange(removed: [4])])
        b.remove(4)
        #expect(
            told() == [
                nil, SetChange(removed: [4]), SetChange(inserted: [4]), SetChange(inserted: [4]),
            ])
        transaction {
            a.remove(1)
            b.insert(1)
        }
        #expect(told() == [nil, nil, SetChange(removed: [1]), nil])
        transaction {
            a.remove(3)
            b.remove(3)
        }
        #expect(told() == [SetChange(removed: [3]), SetChange(removed: [3]), nil, nil])
        transaction {
            a.insert(9)
            b.insert(9)
            b.remove(9)
            a.remove(9)
        }
        #expect(told() == [nil, nil, nil, nil])
        #expect(sets.map(\.count) == [3, 0, 2, 3])
        for connection in connections { connection.disconnect() }
        #expect(sets.map(\.count) == [3, 0, 2, 3])
    }

    @Test("Set algebra equals recomputation on random scripts", arguments: 0..<100)
    func randomScripts(seed: Int) {
        var random = Seeded(seed)
        // Of the odd seeds, the sets keep bits.
        func set(_ elements: [Int]) -> SetVariable<Int> {
            if seed % 2 == 0 { return SetVariable(elements) }
            let set = SetVariable<Int>(numberedBy: { $0 }, { $0 })
            set.formUnion(elements)
            return set
        }
        let a = set(random.array(limit: 4, alphabet: 6))
        let b = set(random.array(limit: 4, alphabet: 6))
        let c = set([])
        let limit = Variable(3)
        let small = b.filter(where: limit.map { limit in { $0 < limit } })
        var low: Set<Int> { b.value.filter { $0 < limit.value } }
        let all = [a.observableSet, b.observableSet, c.observableSet]
        let element = Variable(1)
        let trials: [any AnyTrial] = [
            Trial(a.union(b)) { a.value.union(b.value) },
            Trial(a.intersection(b)) { a.value.intersection(b.value) },
            Trial(a.subtracting(b)) { a.value.subtracting(b.value) },
            Trial(a.symmetricDifference(b)) { a.value.symmetricDifference(b.value) },
            Trial(a.union(a)) { a.value },
            Trial(a.intersection(a)) { a.value },
            Trial(a.subtracting(a)) { [] },
            Trial(a.symmetricDifference(a)) { [] },
            Trial(b.symmetricDifference(small)) { b.value.symmetricDifference(low) },
            Trial(a.map { $0 / 2 }.subtracting(small.union(c))) {
                Set(a.value.map { $0 / 2 }).subtracting(low.union(c.value))
            },
            Trial(ObservableSet.union(of: all + all)) {
                a.value.union(b.value).union(c.value)
            },
            Trial(ObservableSet.intersection(of: all)) {
                a.value.intersection(b.value).intersection(c.value)
            },
            Trial(ObservableSet<Int>.intersection(of: [])) { [] },
            Trial(ObservableSet<Int>.union(of: [])) { [] },
            Trial(a.union(b).observableCount) { a.value.union(b.value).count },
            Trial(a.observableContains(3)) { a.value.contains(3) },
            Trial(a.observableContains(element.observable)) { a.value.contains(element.value) },
            Trial(a.observableIsEmpty) { a.value.isEmpty },
            Trial(a.intersection(b).buffered()) { a.value.intersection(b.value) },
        ]
        run(trials, seed: seed, random: &random) { random in
            switch random.below(12) {
            case 0: limit.value = random.below(6)
            case 1: element.value = random.below(6)
            case 2: a.value = Set(random.array(limit: 5, alphabet: 6))
            default:
                let set = [a, b, c][random.below(3)]
                let element = random.below(6)
                if set.contains(element) { set.remove(element) } else { set.insert(element) }
            }
        }
    }

    @Test("A value of a distinct union stays until its last occurrence is removed")
    func distinctUnion() {
        let array: ArrayVariable<Int> = [1, 2, 1]
        let other: ArrayVariable<Int> = [5]
        let log = Log<SetChange<Int>>()
        let c = (array + other).distinctUnion().connect { log.add($0) }
        array.remove(at: 0)
        #expect(log.entries.isEmpty)
        transaction {
            array.remove(at: 1)
            other.append(1)
        }
        array.value = [2, 2]
        transaction {
            array.removeAll()
            array.append(2)
        }
        #expect(log.entries.isEmpty)
        other.remove(at: 1)
        #expect(log.entries == [SetChange(removed: [1])])
        array[0] = 5
        #expect(log.entries.last == SetChange(removed: [2]))
        c.disconnect()
    }
}
