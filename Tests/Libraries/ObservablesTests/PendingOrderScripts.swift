// Scripts of all operations while an order is pending: flips, new predicates, writes,
// slices of deferred work, partial and full reads, connections and disconnections. Under test are
// pipelines of every kind over such orders; each is compared with plain functions.

import Observables

enum PendingOrderStep: Equatable, Simplifiable {
    case toggleMember(Int)
    /// Inserts a row into the array, or removes one.
    case insertRow(Int, at: Int)
    case removeRow(at: Int)
    case setOrder(Int)
    case setOtherOrder(Int)
    case setLimit(Int)
    case setModulus(Int)
    case setSide(Int)
    case setWindow(from: Int, count: Int)
    case setAnchor(Int)
    case toggleField(Int)
    case slice(Int)
    /// Reads this many rows of a pipeline.
    case read(Int, from: Int, count: Int)
    /// Connects an observer to a pipeline, or disconnects it: one that folds, or one of extents.
    case toggleFold(Int)
    case toggleExtents(Int)
    case transaction([PendingOrderStep])

    var simpler: [PendingOrderStep] {
        func fewer(_ number: Int, _ make: (Int) -> PendingOrderStep) -> [PendingOrderStep] {
            number.simpler.map(make)
        }
        return switch self {
        case .toggleMember(let member): fewer(member) { .toggleMember($0) }
        case .insertRow(let row, let index):
            fewer(row) { .insertRow($0, at: index) } + fewer(index) { .insertRow(row, at: $0) }
        case .removeRow(let index): fewer(index) { .removeRow(at: $0) }
        case .setOrder(let order): fewer(order) { .setOrder($0) }
        case .setOtherOrder(let order): fewer(order) { .setOtherOrder($0) }
        case .setLimit(let limit): fewer(limit) { .setLimit($0) }
        case .setModulus(let modulus): fewer(modulus) { .setModulus($0) }
        case .setSide(let side): fewer(side) { .setSide($0) }
        case .setWindow(let start, let count):
            fewer(start) { .setWindow(from: $0, count: count) }
                + fewer(count) { .setWindow(from: start, count: $0) }
        case .setAnchor(let anchor): fewer(anchor) { .setAnchor($0) }
        case .toggleField(let field): fewer(field) { .toggleField($0) }
        case .slice(let budget): fewer(budget) { .slice($0) }
        case .read(let pipeline, let start, let count):
            fewer(start) { .read(pipeline, from: $0, count: count) }
                + fewer(count) { .read(pipeline, from: start, count: $0) }
        case .toggleFold, .toggleExtents: []
        case .transaction(let steps): steps + steps.simpler.map { .transaction($0) }
        }
    }

    private static func simple(_ random: inout Seeded) -> PendingOrderStep {
        switch random.below(20) {
        case 0, 1: .toggleMember(random.below(20))
        case 2: .insertRow(random.below(20), at: random.below(20))
        case 3: .removeRow(at: random.below(20))
        case 4, 5, 6: .setOrder(random.below(6))
        case 7: .setOtherOrder(random.below(6))
        case 8: .setLimit(random.below(22))
        case 9: .setModulus(1 + random.below(4))
        case 10: .setSide(random.below(3))
        case 11: .setWindow(from: random.below(10), count: random.below(8))
        case 12: .setAnchor(random.below(20))
        case 13: .toggleField(random.below(20))
        case 14: .slice(1 + random.below(60))
        case 15, 16:
            .read(random.below(100), from: random.below(20), count: random.below(20))
        case 17: .toggleExtents(random.below(100))
        default: .toggleFold(random.below(100))
        }
    }

    static let generator = StepGenerator<PendingOrderStep> { random in
        random.below(5) > 0
            ? simple(&random)
            : .transaction((0..<(2 + random.below(4))).map { _ in simple(&random) })
    }
}

/// The graph of the scripts.
final class PendingOrderTrial {
    struct Pipeline {
        let name: String
        let rows: ObservableArray<Int>
        let expected: () -> [Int]
    }

    /// An observer that folds changes.
    private final class Fold {
        var value: [Int]
        var connection: Connection?
        init(_ value: [Int]) { self.value = value }
    }

    /// Orders of different elements; equal elements tie.
    static let keys: [@Sendable (Int) -> Int] = [
        { $0 }, { -$0 }, { $0 * 7 % 20 * 20 + $0 }, { $0 % 3 * 20 + $0 }, { $0 % 3 * 20 - $0 },
        // Equal to the first: an order that changes nothing.
        { $0 * 2 },
    ]

    let verdict = Verdict()
    private let set = SetVariable(Set(0..<12))
    private let array = ArrayVariable([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])
    private let order = Variable(0)
    private let otherOrder = Variable(1)
    private let limit = Variable(15)
    private let modulus = Variable(1)
    private let side = Variable(0)
    private let window = Variable(2..<6)
    private let anchor = Variable<Int?>(5)
    private let fields = (0..<20).map { Variable($0.isMultiple(of: 2)) }
    private var pipelines: [Pipeline] = []
    private var folds: [Int: Fold] = [:]
    private var extents: [Int: Fold] = [:]

    init() {
        func comparator(_ order: Variable<Int>) -> Observable<(Int, Int) -> Bool> {
            order.map { order in
                let key = Self.keys[order]
                return { key($0) < key($1) }
            }
        }
        let sorted = set.sorted(by: comparator(order))
        let other = array.sorted(by: comparator(otherOrder))
        let expectedSorted: () -> [Int] = { [set, order] in
            let key = Self.keys[order.value]
            return set.value.sorted { key($0) < key($1) }
        }
        let expectedOther: () -> [Int] = { [array, otherOrder] in
            let key = Self.keys[otherOrder.value]
            return array.value.sorted { key($0) < key($1) }
        }
        func add(
            _ name: String, _ rows: ObservableArray<Int>, _ expected: @escaping () -> [Int]
        ) {
            pipelines.append(Pipeline(name: name, rows: rows, expected: expected))
        }
        /// A pipeline, and others above it.
        func addWithStages(
            _ name: String, _ rows: ObservableArray<Int>, _ expected: @escaping () -> [Int]
        ) {
            let (limit, modulus, window) = (limit, modulus, window)
            add(name, rows, expected)
            add("\(name), limited", limited(rows)) { expected().filter { $0 < limit.value } }
            let twice = limited(rows).map { $0 + 1 }.filter(
                where: modulus.map { modulus in { $0.isMultiple(of: modulus) } })
            add("\(name), twice", twice) {
                expected().filter { $0 < limit.value }.map { $0 + 1 }
                    .filter { $0.isMultiple(of: modulus.value) }
            }
            add("\(name), a window", limited(rows).window(window.observable)) {
                let rows = expected().filter { $0 < limit.value }
                return Array(rows[window.value.clamped(to: 0..<rows.count)])
            }
        }
        let (limit, side, fields, otherOrder) = (limit, side, fields, otherOrder)
        addWithStages("sorted", sorted, expectedSorted)
        addWithStages("sorted array", other, expectedOther)
        addWithStages("sum", sorted + other) { expectedSorted() + expectedOther() }
        addWithStages("sum of one", sorted + limited(sorted)) {
            expectedSorted() + expectedSorted().filter { $0 < limit.value }
        }
        let framed =
            ObservableArray.constant([7, 8]) + sorted + ObservableArray.constant([9])
        addWithStages("framed", framed) { [7, 8] + expectedSorted() + [9] }
        let chosen = side.flatMap { $0 == 0 ? sorted : $0 == 1 ? other : framed }
        addWithStages("chosen", chosen) {
            side.value == 0
                ? expectedSorted()
                : side.value == 1 ? expectedOther() : [7, 8] + expectedSorted() + [9]
        }
        addWithStages("buffered", limited(sorted).buffered()) {
            expectedSorted().filter { $0 < limit.value }
        }
        addWithStages("sorted again", limited(sorted + other).sorted(by: comparator(otherOrder))) {
            let key = Self.keys[otherOrder.value]
            return (expectedSorted() + expectedOther()).filter { $0 < limit.value }
                .sorted { key($0) < key($1) }
        }
        addWithStages("by fields", limited(sorted).filter { fields[$0 % 20] }) {
            expectedSorted().filter { $0 < limit.value && fields[$0 % 20].value }
        }
        addWithStages("union", (sorted + other).distinctUnion().sorted(by: comparator(order))) {
            [order, set, array] in
            let key = Self.keys[order.value]
            return set.value.union(array.value).sorted { key($0) < key($1) }
        }
        addScalars(sorted, other, expectedSorted, expectedOther)
    }

    private func limited(_ rows: ObservableArray<Int>) -> ObservableArray<Int> {
        rows.filter(by: limit.observable, narrowing: <=) { $1 < $0 }
    }

    /// Scalars over pending orders, as arrays of one element.
    private func addScalars(
        _ sorted: ObservableArray<Int>, _ other: ObservableArray<Int>,
        _ expectedSorted: @escaping () -> [Int], _ expectedOther: @escaping () -> [Int]
    ) {
        let (limit, side, anchor) = (limit, side, anchor)
        let rows = limited(sorted + other)
        let expected = {
            (expectedSorted() + expectedOther()).filter { $0 < limit.value }
        }
        func add(
            _ name: String, _ scalar: Observable<Int?>, _ expected: @escaping () -> Int?
        ) {
            let array = scalar.map { ObservableArray.constant($0.map { [$0] } ?? []) }.unpacked()
            pipelines.append(
                Pipeline(name: name, rows: array) { expected().map { [$0] } ?? [] })
        }
        add("first", rows.observableFirst) { expected().first }
        add("last", rows.observableLast) { expected().last }
        add("at", rows.observable(at: side.map { $0 * 3 })) {
            let rows = expected()
            return side.value * 3 < rows.count ? rows[side.value * 3] : nil
        }
        add("total", rows.sum().map { $0 }) { expected().reduce(0, +) }
        add("count", rows.observableCount.map { $0 }) { expected().count }
        let place = limited(sorted).observableIndex(of: anchor.observable)
        add("place", place) {
            expectedSorted().filter { $0 < limit.value }.firstIndex { $0 == anchor.value }
        }
    }

    // MARK: - Running scripts

    func run(_ script: [PendingOrderStep]) -> String? {
        for (number, step) in script.enumerated() {
            let before = extents.mapValues(\.value)
            perform(step)
            check("after step \(number)", before)
            if verdict.failure != nil { return verdict.failure }
        }
        while ObservableScheduler.current.performDeferredWork(budget: 7) {}
        for pipeline in pipelines {
            verdict.expectEqual(pipeline.rows.value, pipeline.expected(), pipeline.name)
        }
        folds = [:]
        extents = [:]
        for pipeline in pipelines {
            verdict.expectEqual(
                pipeline.rows.value, pipeline.expected(), "idle \(pipeline.name)")
        }
        verdict.expect(!ObservableScheduler.current.hasDeferredWork, "work is left")
        return verdict.failure
    }

    private func perform(_ step: PendingOrderStep) {
        switch step {
        case .toggleMember(let member):
            if set.value.contains(member) { set.remove(member) } else { set.insert(member) }
        case .insertRow(let row, let index): array.insert(row, at: index % (array.count + 1))
        case .removeRow(let index):
            if array.count > 0 { array.remove(at: index % array.count) }
        case .setOrder(let number): order.value = number % 6
        case .setOtherOrder(let number): otherOrder.value = number % 6
        case .setLimit(let number): limit.value = number
        case .setModulus(let number): modulus.value = max(1, number)
        case .setSide(let number): side.value = number % 3
        case .setWindow(let start, let count): window.value = start..<(start + count)
        case .setAnchor(let number): anchor.value = number > 17 ? nil : number
        case .toggleField(let number): fields[number % 20].value.toggle()
        case .slice(let budget):
            ObservableScheduler.current.performDeferredWork(budget: budget)
        case .read(let number, let start, let count): read(number, from: start, count: count)
        case .toggleFold(let number): toggleFold(number % pipelines.count)
        case .toggleExtents(let number): toggleExtents(number % pipelines.count)
        case .transaction(let steps): transaction { for step in steps { perform(step) } }
        }
    }

    private func read(_ number: Int, from start: Int, count: Int) {
        let pipeline = pipelines[number % pipelines.count]
        let want = pipeline.expected()
        verdict.expectEqual(pipeline.rows.count, want.count, "count of \(pipeline.name)")
        guard verdict.failure == nil else { return }
        let range = (start..<(start + count)).clamped(to: 0..<want.count)
        verdict.expectEqual(
            pipeline.rows[range], Array(want[range]), "rows \(range) of \(pipeline.name)")
        if start < want.count {
            verdict.expectEqual(pipeline.rows[start], want[start], "row of \(pipeline.name)")
            verdict.expectEqual(
                pipeline.rows.firstIndex(of: want[start]), want.firstIndex(of: want[start]),
                "index in \(pipeline.name)")
        }
    }

    private func toggleFold(_ number: Int) {
        if folds.removeValue(forKey: number) != nil { return }
        let pipeline = pipelines[number]
        // During a transaction, the value includes the writes so far.
        let fold = Fold(pipeline.rows.value)
        fold.connection = pipeline.rows.connect { [verdict, unowned fold] change in
            verdict.expect(!change.isEmpty, "\(pipeline.name) told nothing")
            guard change.isApplicable(toCount: fold.value.count) else {
                verdict.expect(false, "\(pipeline.name) told a change that does not fit")
                return
            }
            var undone = fold.value
            change.apply(on: &fold.value)
            undone = fold.value
            change.reversed().apply(on: &undone)
            change.apply(on: &undone)
            verdict.expectEqual(undone, fold.value, "\(pipeline.name), done again")
        }
        folds[number] = fold
    }

    private func toggleExtents(_ number: Int) {
        if extents.removeValue(forKey: number) != nil { return }
        let pipeline = pipelines[number]
        let fold = Fold(pipeline.expected())
        fold.connection = pipeline.rows.extents.connect { [verdict, unowned fold] extent in
            let new = pipeline.expected()
            let old = fold.value
            fold.value = new
            verdict.expect(
                new.count == old.count + extent.deltaCount
                    && extent.prefix + extent.suffix <= min(old.count, new.count)
                    && old.prefix(extent.prefix) == new.prefix(extent.prefix)
                    && old.suffix(extent.suffix) == new.suffix(extent.suffix),
                "\(pipeline.name): \(extent) does not cover \(old) to \(new)")
        }
        extents[number] = fold
    }

    private func check(_ place: String, _ before: [Int: [Int]]) {
        for (number, fold) in folds {
            verdict.expectEqual(
                fold.value, pipelines[number].expected(), "\(pipelines[number].name) \(place)")
        }
        // No change may lie outside of the extents.
        for (number, fold) in extents {
            verdict.expectEqual(
                fold.value, pipelines[number].expected(),
                "extents of \(pipelines[number].name) \(place)")
        }
    }
}
