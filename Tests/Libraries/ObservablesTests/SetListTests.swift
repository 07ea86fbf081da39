import Observables
import Testing

@Suite struct SetListTests {
    @Test("Unions and intersections of a changing list equal recomputation", arguments: 0..<150)
    func randomScripts(seed: Int) {
        var random = Seeded(seed)
        let a: SetVariable<Int> = [1, 2]
        let b: SetVariable<Int> = [2, 3]
        let limit = Variable(3)
        let groups = a.union(b).grouped { $0 % 2 }
        let groupsHeld = a.union(b).union(ObservableSet.constant([0, 1])).grouped { $0 % 2 }.value
        // Sets of very different heights, some of them unused before they are in the list.
        let pool: [(set: ObservableSet<Int>, model: () -> Set<Int>)] =
            [
                (a.observableSet, { a.value }),
                (b.observableSet, { b.value }),
                (.constant([2, 4]), { [2, 4] }),
                (
                    a.map { $0 + 1 }.union(b).map { $0 / 2 }
                        .filter(where: limit.map { limit in { $0 < limit } }),
                    {
                        Set(Set(a.value.map { $0 + 1 }).union(b.value).map { $0 / 2 })
                            .filter { $0 < limit.value }
                    }
                ),
                (
                    a.sorted().distinctUnion().subtracting(b),
                    { a.value.subtracting(b.value) }
                ),
            ]
            + groupsHeld.map { key, set in
                (set, { a.value.union(b.value).union([0, 1]).filter { $0 % 2 == key } })
            }
        let list = ArrayVariable<Int>()
        let sets = list.map { pool[$0].set }
        var union: Set<Int> { list.value.reduce([]) { $0.union(pool[$1].model()) } }
        var intersection: Set<Int> {
            guard let first = list.value.first else { return [] }
            return list.value.reduce(pool[first].model()) { $0.intersection(pool[$1].model()) }
        }
        let trials: [any AnyTrial] = [
            Trial(ObservableSet.union(of: sets)) { union },
            Trial(ObservableSet.intersection(of: sets)) { intersection },
            Trial(ObservableSet.union(of: sets).intersection(a)) { union.intersection(a.value) },
            Trial(ObservableSet.intersection(of: sets).sorted().window(0..<2)) {
                Array(intersection.sorted().prefix(2))
            },
            Trial(ObservableSet.union(of: sets).observableCount) { union.count },
            Trial(groups.keys) { Set(a.value.union(b.value).map { $0 % 2 }) },
        ]
        run(trials, seed: seed, random: &random) { random in
            switch random.below(7) {
            case 0: limit.value = random.below(5)
            case 1, 2, 3:
                let low = random.below(list.count + 1)
                let high = min(list.count, low + random.below(3))
                let room = max(0, 4 - list.count)
                list.replaceSubrange(
                    low..<high, with: random.array(limit: min(2, room), alphabet: pool.count))
            default:
                let set = [a, b][random.below(2)]
                let element = random.below(6)
                if set.contains(element) { set.remove(element) } else { set.insert(element) }
            }
            let element = random.below(6)
            #expect(
                ObservableSet.union(of: sets).contains(element) == union.contains(element),
                "seed \(seed)")
        }
    }

    @Test("A removed set of the list notifies no observer, and a kept one still does")
    func letGo() {
        let a: SetVariable<Int> = [1]
        let b: SetVariable<Int> = [2]
        let list: ArrayVariable<ObservableSet<Int>> = [a.observableSet, b.observableSet]
        let log = Log<SetChange<Int>>()
        let c = ObservableSet.union(of: list).connect { log.add($0) }
        list.insert(a.observableSet, at: 2)
        list.remove(at: 0)
        #expect(log.entries.isEmpty)
        a.insert(5)
        list.remove(at: 1)
        #expect(log.entries == [SetChange(inserted: [5]), SetChange(removed: [1, 5])])
        let before = ObservableScheduler.current.recomputations
        a.insert(6)
        #expect(ObservableScheduler.current.recomputations == before)
        transaction {
            a.insert(7)
            b.insert(7)
            list.append(a.observableSet)
            b.remove(2)
        }
        #expect(log.entries.last == SetChange(removed: [2], inserted: [1, 5, 6, 7]))
        c.disconnect()
    }

    @Test("A set is attached correctly while its inputs change")
    func lateSets() {
        let a: SetVariable<Int> = [1]
        let b: SetVariable<Int> = [2]
        let list = ArrayVariable<ObservableSet<Int>>()
        let trial = Trial(ObservableSet.union(of: list)) {
            list.isEmpty ? [] : Set(a.value.union(b.value).map { $0 / 2 })
        }
        trial.toggle()
        // Sets without state, high above their inputs.
        var both = a.union(b)
        for _ in 0..<8 { both = both.union(b) }
        let c = both.connect { _ in }
        transaction {
            a.insert(9)
            // It counts the origins of its elements.
            list.append(both.map { $0 / 2 })
        }
        trial.check("taken up")
        trial.begin()
        transaction {
            a.remove(9)
            a.remove(1)
        }
        trial.check("followed")
        trial.disconnect()
        c.disconnect()
        trial.check("idle")
    }
}
