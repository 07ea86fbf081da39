// The rows of an array for which a predicate holds.
//
// While active, the node keeps one mark per input row and nothing else: reads go through to the input. A
// change of one row costs one call of the predicate and one search of the mark index. A new predicate is
// called for every row, or only for the matching rows if it is known to imply the old one, or only for
// the others in the opposite case. The node emits only the rows that arrive or leave; beyond
// `modificationLimit` separate positions, it emits one replacement from the first to the last.
//
// When the input is reordered, the predicate is not called again: the marks keep the old order, next to
// the pending order, until that is complete. Reads go through the pending order and sort only matching
// rows.

/// The part of an array chosen by a replaceable predicate.
final class FilterNode<Element>: ArrayNode<Element> {
    typealias Predicate = RowPredicate<Element>

    /// The largest number of modifications that a change of the predicate emits.
    static var modificationLimit: Int {
        TestSettings.choose(inTests: 8, otherwise: 1000)
    }

    private(set) var input: InputEdge<ArrayNode<Element>>
    private var predicate: InputEdge<ScalarNode<Predicate>>
    private(set) var matches: Predicate
    var marks = ChunkedMarks()
    /// The pending order of the input, which the marks do not follow yet.
    private var inputOrder: ArrayReordering<Element>?
    /// The pending order, restricted to the matching rows.
    private var ownOrder: ArrayReordering<Element>?
    let operations: FilterOperations<Element>
    /// The marks to begin with, if they are known before.
    var prepared: PreparedFilter<Element>?

    init(
        _ input: ArrayNode<Element>, where predicate: ScalarNode<Predicate>,
        operations: FilterOperations<Element>
    ) {
        self.operations = operations
        self.input = InputEdge(input)
        self.predicate = InputEdge(predicate)
        matches = predicate.read()
        super.init(above: [input, predicate])
    }

    // MARK: - Reading

    override var count: Int { isActive ? marks.markedCount : computed.count }

    private var computed: [Element] {
        input.node.allRows.filter(predicate.node.read().holds)
    }

    override func rows(in range: Range<Int>) -> [Element] {
        guard isActive else { return Array(computed[range]) }
        if let ownOrder { return rows(in: range, of: ownOrder) }
        return rows(in: range, markedBy: marks)
    }

    /// Rows of the input, by their ranks among the marked rows.
    final func rows(in range: Range<Int>, markedBy marks: ChunkedMarks) -> [Element] {
        let rows = marks.rows(ofMarks: range)
        guard let first = rows.first, let last = rows.last else { return [] }
        if last - first < 16 * rows.count {
            let span = input.node.rows(in: first..<(last + 1))
            return operations.gather(span, rows)
        }
        return rows.map { input.node.row(at: $0) }
    }

    /// Rows of which some are in a pending order.
    private func rows(in range: Range<Int>, of own: ArrayReordering<Element>) -> [Element] {
        let moved = own.offset..<(own.offset + own.order.count)
        let inside = range.clamped(to: moved)
        let unmoved = { (range: Range<Int>) in
            self.marks.rows(ofMarks: range).map { self.input.node.row(at: $0) }
        }
        if inside.isEmpty { return unmoved(range) }
        return unmoved(range.lowerBound..<max(range.lowerBound, moved.lowerBound))
            + own.rows(
                in: (inside.lowerBound - own.offset)..<(inside.upperBound - own.offset))
            + unmoved(min(range.upperBound, moved.upperBound)..<range.upperBound)
    }

    override func row(at index: Int) -> Element {
        guard isActive else { return computed[index] }
        if ownOrder != nil { return rows(in: index..<(index + 1))[0] }
        return input.node.row(at: marks.row(ofMark: index))
    }

    // MARK: - Changing

    override func activate() {
        input.attach(self)
        predicate.attach(self)
        matches = predicate.node.read()
        if let known = prepared.take()?.takeMarks(of: input.node.count),
            input.node.pendingOrder == nil
        {
            marks = known
            return
        }
        // The predicate may see rows before their positions are known; the marks follow the order later.
        let reordering = input.node.pendingOrder
        var bits: [Bool] = []
        bits.reserveCapacity(input.node.count)
        input.node.forEachBlock(before: reordering) { operations.match($0, matches, &bits) }
        marks = ChunkedMarks(bits)
        if let reordering { reorder(reordering) }
    }

    override var pendingOrder: ArrayReordering<Element>? { ownOrder }

    override func deactivate() {
        scheduler.deferred.remove(self)
        marks = ChunkedMarks()
        inputOrder = nil
        ownOrder = nil
        input.detach(self)
        predicate.detach(self)
    }

    override func recompute() {
        let change = input.takeEmission()
        let hasOtherPredicate = predicate.takeEmission() != nil
        let before = matches
        if hasOtherPredicate { matches = predicate.node.read() }
        completeOrder()
        if let change, change.preview != nil, let reordering = change.reordering() {
            reorder(reordering)
            guard hasOtherPredicate else {
                if let ownOrder, ownOrder.order.count > 1 { emit(ownOrder.emission) }
                return
            }
            // The predicate can only be compared on rows in their final order.
            let moved = ownOrder?.change
            completeOrder()
            emit(moved, then: recheck(since: before))
            return
        }
        var result: Emission<ArrayChange<Element>>?
        if let change { result = operations.applyChange(change, matches, &marks, &spare) }
        if hasOtherPredicate {
            emit(result?.change, then: recheck(since: before))
        } else if let result {
            emit(result)
        }
    }

    private func emit(
        _ first: ArrayChange<Element>?, then second: Emission<ArrayChange<Element>>?
    ) {
        guard let first else {
            if let second { emit(second) }
            return
        }
        let all = second.map { first.merged(with: $0.change) } ?? first
        if !all.isEmpty { emit(all.flattened()) }
    }

    // MARK: - Another order

    private func reorder(_ reordering: ArrayReordering<Element>) {
        let marks = marks
        let before = marks.rank(of: reordering.offset)
        let own = ArrayReordering<Element>(
            arrayCount: marks.markedCount, offset: before,
            order: reordering.order.subset(marked: marks, from: reordering.offset)
        ) { rows in
            reordering.oldRows(rows.map { marks.row(ofMark: before + $0) - reordering.offset })
        }
        inputOrder = reordering
        ownOrder = own
        scheduler.deferred.add(self)
    }

    /// Applies the pending order to the marks.
    private func completeOrder() {
        guard let reordering = inputOrder.take() else { return }
        ownOrder = nil
        scheduler.deferred.remove(self)
        let offset = reordering.offset
        var bits = marks.marks(in: 0..<marks.count)
        let old = bits
        for (row, origin) in reordering.order.origins(in: 0..<reordering.order.count).enumerated() {
            bits[offset + row] = old[offset + origin]
        }
        marks = ChunkedMarks(bits)
    }

    override func performDeferredWork(budget: Int) -> Bool {
        guard let reordering = inputOrder else { return true }
        guard reordering.order.advance(budget: budget) else { return false }
        completeOrder()
        return true
    }

    /// The predicate must treat equal elements alike: if the first equal element is filtered out, the
    /// search ends.
    override func firstIndex(
        of element: Element, by areEqual: (Element, Element) -> Bool
    ) -> Int? {
        guard isActive else { return super.firstIndex(of: element, by: areEqual) }
        completeOrder()
        guard let row = input.node.firstIndex(of: element, by: areEqual), marks[row] else {
            return nil
        }
        return marks.rank(of: row)
    }
}
