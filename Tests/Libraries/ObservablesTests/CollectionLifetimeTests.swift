import Observables
import Testing

@Suite struct CollectionLifetimeTests {
    @Test("After the last connection nothing keeps an element, although the observables live")
    func elements() {
        let counter = LiveCount()
        let array = ArrayVariable<Tracked>()
        let set = SetVariable<Tracked>()
        let dictionary = DictionaryVariable<Int, Tracked>()
        let anchor = Variable<Tracked?>(nil)
        let groups = set.grouped { $0.number % 3 }
        let rows = array + set.sorted()
        let start = Variable(1)
        let trials: [any AnyTrial] = [
            Trial(array.window(1..<4)) { Array(array.value.dropFirst().prefix(3)) },
            Trial(rows.window(start: start.observable, count: .constant(3))) {
                Array(rows.value.dropFirst(start.value).prefix(3))
            },
            Trial(rows.window(anchoredAt: anchor.observable, before: 0, count: 2)) {
                let row = anchor.value.flatMap { rows.value.firstIndex(of: $0) } ?? 0
                return Array(rows.value.dropFirst(row).prefix(2))
            },
            Trial(rows.observableIndex(of: anchor.observable)) {
                anchor.value.flatMap { rows.value.firstIndex(of: $0) }
            },
            Trial(rows.observableFirst) { rows.value.first },
            Trial(rows.observableMax) { rows.value.max() },
            Trial(rows.buffered()) { rows.value },
            Trial(rows.distinctUnion()) { Set(rows.value) },
            Trial(rows.observableCount { $0.number > 3 }) {
                rows.value.count { $0.number > 3 }
            },
            Trial(
                rows.reduce([], add: { $0 + [$1] }, remove: { all, one in all.dropping(one) }).map(
                    \.count)
            ) {
                rows.value.count
            },
            Trial(set.union(rows.distinctUnion())) { set.value.union(rows.value) },
            Trial(set.symmetricDifference(rows.distinctUnion()).buffered()) {
                set.value.symmetricDifference(rows.value)
            },
            Trial(groups.keys) { Set(set.value.map { $0.number % 3 }) },
            Trial(dictionary) { dictionary.value },
            Trial(dictionary.entries) {
                Set(dictionary.value.map { DictionaryEntry(key: $0.key, value: $0.value) })
            },
            Trial(dictionary.filter { $1.number > 2 }.mapValues(\.number).buffered()) {
                dictionary.value.filter { $1.number > 2 }.mapValues(\.number)
            },
            Trial(dictionary.observable(forKey: 1)) { dictionary[1] },
        ]
        let held = groups.value
        for trial in trials { trial.toggle() }
        var random = Seeded(1)
        for index in 0..<40 {
            for trial in trials { trial.begin() }
            let tracked = Tracked(random.below(9), counter)
            switch random.below(6) {
            case 0: set.insert(tracked)
            case 1: set.remove(tracked)
            case 2: dictionary[random.below(4)] = tracked
            case 3: anchor.value = tracked
            case 4 where array.count > 4: array.remove(at: random.below(array.count))
            default: array.insert(tracked, at: random.below(array.count + 1))
            }
            let connections = groups.value.values.map { $0.connect { _ in } }
            for trial in trials { trial.check("step \(index)") }
            for connection in connections { connection.disconnect() }
        }
        #expect(counter.live > 0 && held.isEmpty)
        for trial in trials { trial.disconnect() }
        array.removeAll()
        set.removeAll()
        dictionary.removeAll()
        anchor.value = nil
        #expect(counter.live == 0)
    }

    @Test("Captures of transforms, predicates and keys are released with the observables")
    func closures() {
        let counter = LiveCount()
        let array: ArrayVariable<Int> = [1, 2, 3]
        let set: SetVariable<Int> = [1, 2, 3]
        let dictionary: DictionaryVariable<Int, Int> = [1: 1]
        do {
            let token = Tracked(0, counter)
            let groups = set.grouped { $0 % 2 + token.number }
            var connections = [
                array.map { $0 + token.number }.buffered().window(0..<2).connect { _ in },
                array.reduce(0, add: { $0 + $1 + token.number }, remove: { $0 - $1 })
                    .connect { _ in },
                set.filter { $0 > token.number }.union(set).connect { _ in },
                dictionary.mapValues { $0 + token.number }.keys.connect { _ in },
                dictionary.filter { $1 > token.number }.connect { _ in },
                groups.connect { _ in },
                groups.keys.sorted().connect { _ in },
            ]
            for group in groups.value.values { connections.append(group.connect { _ in }) }
            set.insert(4)
            array.append(4)
            dictionary[2] = 2
            #expect(counter.live == 1)
            for connection in connections { connection.disconnect() }
        }
        #expect(counter.live == 0)
    }
}

extension Array where Element: Equatable {
    fileprivate func dropping(_ element: Element) -> Array {
        var result = self
        if let index = firstIndex(of: element) { result.remove(at: index) }
        return result
    }
}
