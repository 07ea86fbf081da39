import Testing

@testable import Observables

/// A row that can be sorted by either of two small numbers, so that ties are common.
private struct Entry: Hashable {
    var first: Int
    var second: Int
    var id: Int
}

private func isBefore(_ key: KeyPath<Entry, Int>) -> (Entry, Entry) -> Bool {
    { $0[keyPath: key] < $1[keyPath: key] }
}

private final class Answers {
    var random: Seeded

    init(seed: Int) {
        random = Seeded(seed)
    }
}

@Suite struct LazyOrderTests {
    @Test("An interrupted merge sort gives the stable order", arguments: 0..<200)
    func sorting(seed: Int) {
        var random = Seeded(seed)
        let alphabet = 1 + random.below(20)
        let count = random.below(200)
        var values = (0..<count).map { _ in random.below(alphabet) }
        if seed.isMultiple(of: 10) { values = Array((0..<count).reversed()) }
        let order = RowComparator<Int>(of: ConstantScalarNode(<))
        var sorter = MergeSorter(values.enumerated().map { OrderEntry($1, UInt32($0)) })
        while !sorter.advance(budget: 1 + random.below(30), by: order) {}
        let expected = values.enumerated().sorted {
            ($0.element, $0.offset) < ($1.element, $1.offset)
        }
        #expect(sorter.entries.map(\.element) == expected.map(\.element), "seed \(seed)")
        #expect(sorter.entries.map { Int($0.origin) } == expected.map(\.offset), "seed \(seed)")
    }

    @Test("An inconsistent comparator loses no row", arguments: 0..<50)
    func contradiction(seed: Int) {
        var random = Seeded(seed)
        let count = random.below(300)
        let answers = Answers(seed: seed)
        let order = RowComparator<Int>(
            of: ConstantScalarNode({ _, _ in answers.random.below(2) == 0 }))
        var sorter = MergeSorter((0..<count).map { OrderEntry($0, UInt32($0)) })
        while !sorter.advance(budget: 1 + random.below(30), by: order) {}
        #expect(sorter.entries.map(\.element).sorted() == Array(0..<count), "seed \(seed)")
    }

    @Test("A selected part equals that of a full sort", arguments: 0..<40)
    func selection(seed: Int) {
        var random = Seeded(seed)
        let alphabet = [3, 50, 1_000_000][random.below(3)]
        let values = (0..<6_000).map { _ in random.below(alphabet) }
        let expected = values.enumerated().sorted {
            ($0.element, $0.offset) < ($1.element, $1.offset)
        }
        .map(\.offset)
        let order = LazyOrder(
            ChunkedRows(values), by: RowComparator(of: ConstantScalarNode(<)),
            operations: LazyOrderOperations())
        for _ in 0..<10 {
            let start = [0, random.below(5_900), 5_950][random.below(3)]
            let range = start..<(start + 1 + random.below(50))
            #expect(order.origins(in: range) == Array(expected[range]), "seed \(seed) \(range)")
        }
        let bits = values.indices.map { _ in random.below(2) == 0 }
        let kept = values.indices.filter { bits[$0] }
        let rank = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
        let part = order.subset(marked: ChunkedMarks([true, false] + bits), from: 2)
        let ofPart = expected.compactMap { rank[$0] }
        #expect(part.count == kept.count)
        #expect(part.origins(in: 100..<130) == Array(ofPart[100..<130]), "seed \(seed)")
        // A part of the part.
        let half = ofPart.indices.map { $0.isMultiple(of: 2) }
        let quarter = part.subset(marked: ChunkedMarks(half), from: 0)
        let ofQuarter = ofPart.filter { half[$0] }.map { $0 / 2 }
        #expect(quarter.origins(in: 7..<20) == Array(ofQuarter[7..<20]), "seed \(seed)")
        #expect(quarter.origins(in: 0..<quarter.count) == ofQuarter, "seed \(seed)")
        #expect(order.origins(in: 0..<order.count) == expected, "seed \(seed)")
    }

    @Test("A pipeline shows the same in a pending order as after a full sort", arguments: 0..<300)
    func pipelines(seed: Int) {
        var random = Seeded(seed)
        var nextID = 0
        func entry(_ random: inout Seeded) -> Entry {
            nextID += 1
            return Entry(first: random.below(3), second: random.below(3), id: nextID)
        }
        let set = SetVariable(Set((0..<random.below(30)).map { _ in entry(&random) }))
        let keys: [KeyPath<Entry, Int>] = [\.first, \.second, \.id]
        let key = Variable(keys[0])
        let limit = Variable(2)
        // Ties are broken by the identity, so that the order is deterministic.
        let order = key.map { key in
            { (left: Entry, right: Entry) in
                (left[keyPath: key], left.id) < (right[keyPath: key], right.id)
            }
        }
        let head = Entry(first: 0, second: 0, id: 0)
        let rows =
            ObservableArray.constant([head]) + set.sorted(by: order).map { $0 }
        let matching = rows.filter(where: limit.map { limit in { $0.second < limit } })
        let odd = matching.filter { $0.id.isMultiple(of: 2) }
        func expected() -> [Entry] {
            let sorted = set.value.sorted {
                ($0[keyPath: key.value], $0.id) < ($1[keyPath: key.value], $1.id)
            }
            return ([head] + sorted).filter { $0.second < limit.value }
        }

        // One observer that folds changes, and one that leaves orders pending.
        var folded = matching.value
        let observer = matching.connect { $0.apply(on: &folded) }
        var foldedOdd = odd.value
        let oddObserver = odd.observableCount.connect { _ in foldedOdd = odd.value }
        let isLazy = random.below(2) == 0
        if isLazy { observer.disconnect() }
        for step in 0..<30 {
            switch random.below(8) {
            case 0, 1, 2: key.value = keys[random.below(3)]
            case 3: set.insert(entry(&random))
            case 4:
                if let old = set.value.min(by: { $0.id < $1.id }) { set.remove(old) }
            case 5: limit.value = random.below(4)
            case 6:
                transaction {
                    key.value = keys[random.below(3)]
                    limit.value = random.below(4)
                    if random.below(2) == 0 { set.insert(entry(&random)) }
                }
            default: ObservableScheduler.current.performDeferredWork(budget: 1 + random.below(40))
            }
            let want = expected()
            let place: Comment = "seed \(seed) step \(step)"
            if !want.isEmpty {
                let start = random.below(want.count)
                let end = start + random.below(want.count - start + 1)
                #expect(matching[start..<end] == Array(want[start..<end]), place)
                #expect(matching[start] == want[start], place)
            }
            #expect(matching.count == want.count, place)
            if random.below(3) == 0 { #expect(matching.value == want, place) }
            if random.below(3) == 0 {
                #expect(odd.value == want.filter { $0.id.isMultiple(of: 2) }, place)
            }
            if !isLazy { #expect(folded == want, place) }
        }
        while ObservableScheduler.current.performDeferredWork() {}
        #expect(!ObservableScheduler.current.hasDeferredWork)
        #expect(matching.value == expected(), "seed \(seed)")
        withExtendedLifetime((observer, oddObserver, foldedOdd)) {}
    }

    @Test("A new order calls no predicate and compares only as far as rows are read")
    func counts() {
        var comparisons = 0
        var questions = 0
        var random = Seeded(1)
        let count = 20_000
        let set = SetVariable(
            Set((0..<count).map { Entry(first: $0, second: random.below(1_000_000), id: $0) }))
        let key = Variable(\Entry.first)
        let sorted = set.sorted(
            by: key.map { key in
                { (left: Entry, right: Entry) in
                    comparisons += 1
                    return left[keyPath: key] < right[keyPath: key]
                }
            })
        let matching = sorted.filter { entry in
            questions += 1
            return entry.id.isMultiple(of: 8)
        }
        let connection = matching.observableCount.connect { _ in }
        while ObservableScheduler.current.performDeferredWork() {}
        #expect(questions == count)
        (comparisons, questions) = (0, 0)
        key.value = \.second
        #expect(comparisons == 0)
        _ = matching[0..<10]
        // Once for each matching row, and a sort of the sample and of the candidates.
        #expect(comparisons < 2 * count)
        _ = sorted[0..<10]
        #expect(comparisons < 4 * count)
        #expect(questions == 0)
        withExtendedLifetime(connection) {}
    }
}
