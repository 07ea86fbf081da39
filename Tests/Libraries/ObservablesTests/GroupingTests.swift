import Observables
import Testing

@Suite struct GroupingTests {
    @Test("Groups equal recomputation on random scripts", arguments: 0..<100)
    func randomScripts(seed: Int) {
        var random = Seeded(seed)
        let set = SetVariable<Int>()
        let limit = Variable(20)
        let elements = set.filter(where: limit.map { limit in { $0 < limit } })
        let groups = elements.grouped { $0 % 4 }
        var model: [Int: Set<Int>] {
            Dictionary(grouping: set.value.filter { $0 < limit.value }) { $0 % 4 }
                .mapValues { Set($0) }
        }
        let other = ObservableSet<Int>.constant([0, 1, 2, 3, 4, 5, 6, 7])
        var trials: [any AnyTrial] = [
            Trial(groups.keys) { Set(model.keys) },
            Trial(groups.observableCount) { model.count },
            Trial(groups.observable(forKey: 1).map { $0 != nil }) { model[1] != nil },
            Trial(groups.keys.sorted()) { model.keys.sorted() },
            Trial(elements) { set.value.filter { $0 < limit.value } },
        ]
        // Groups are kept from before they arrive until after they have left.
        var held: [Int: ObservableSet<Int>] = [:]
        transaction {
            set.value = [0, 1, 2, 3]
            held = groups.value
            set.value = []
        }
        for (key, group) in held {
            trials.append(Trial(group) { model[key] ?? [] })
            trials.append(
                Trial(group.intersection(other).sorted()) {
                    (model[key] ?? []).filter { $0 < 8 }.sorted()
                })
            // The set and a part of it change in one transaction.
            trials.append(
                Trial(elements.subtracting(group)) {
                    set.value.filter { $0 < limit.value && $0 % 4 != key }
                })
        }
        run(trials, seed: seed, random: &random) { random in
            switch random.below(8) {
            case 0: limit.value = 5 + random.below(20)
            case 1: set.value = Set(random.array(limit: 10, alphabet: 24))
            default:
                let element = random.below(24)
                if set.contains(element) { set.remove(element) } else { set.insert(element) }
            }
            let key = random.below(5)
            #expect(groups[key]?.value == model[key], "seed \(seed)")
            #expect(groups.value.mapValues(\.value) == model, "seed \(seed)")
            #expect(groups[key]?.contains(key) == model[key]?.contains(key), "seed \(seed)")
        }
    }

    @Test("Groups arrive with their first element and leave with their last, and emit both")
    func comingAndGoing() {
        let set: SetVariable<Int> = [1, 3]
        let groups = set.grouped { $0 % 2 == 0 ? "even" : "odd" }
        let log = Log<Set<String>>()
        let c = groups.connect { log.add(Set($0.edits.keys)) }
        set.insert(5)
        #expect(log.entries.isEmpty)
        set.insert(2)
        guard let even = groups["even"] else {
            Issue.record("there is no group")
            return
        }
        let mirror = Log<SetChange<Int>>()
        let d = even.connect { mirror.add($0) }
        transaction {
            set.remove(2)
            set.insert(4)
        }
        #expect(log.entries == [["even"]])
        #expect(mirror.entries == [SetChange(removed: [2], inserted: [4])])
        set.remove(4)
        #expect(groups["even"] == nil && even.isEmpty && log.entries.count == 2)
        set.insert(6)
        #expect(even.value == [6] && mirror.entries.count == 3 && log.entries.count == 3)
        c.disconnect()
        set.insert(8)
        #expect(even.value == [6, 8] && mirror.entries.count == 4)
        d.disconnect()
        #expect(even.value == [6, 8] && groups["odd"]?.value == [1, 3, 5])
    }

    @Test("A change recomputes only the groups of its elements, however many there are")
    func work() {
        var calls = 0
        let set = SetVariable<Int>(Set(0..<6_000))
        let groups = set.grouped { element in
            calls += 1
            return element % 2_000
        }
        var told: [Int] = []
        let all = groups.value
        let connections = all.map { key, group in group.connect { _ in told.append(key) } }
        let c = groups.connect { _ in told.append(-1) }
        let scheduler = ObservableScheduler.current
        var before = scheduler.recomputations
        calls = 0
        set.insert(6_007)
        // The set, the hub and one group.
        #expect(scheduler.recomputations - before == 3 && told == [7] && calls == 1)
        before = scheduler.recomputations
        transaction {
            set.remove(6_007)
            set.remove(9)
            set.insert(-5)
        }
        #expect(scheduler.recomputations - before == 5 && told.count == 4 && calls == 4)
        #expect(Set(told) == [7, 9, -1])
        for connection in connections { connection.disconnect() }
        c.disconnect()
        before = scheduler.recomputations
        set.insert(7_777)
        #expect(scheduler.recomputations == before)
    }
}
