// Elements in the order of a comparator that may be replaced.
//
// While active, the node keeps the elements in order, in chunks. A new element is placed by binary
// search, after those it ties with; a removed one is found by binary search with the old element, and
// among its ties by `==`. So ties are never lost, but cost a step each: with many ties, a comparator
// that also compares an identity is faster. If a search misses (an element of reference type was mutated
// in place), the row is searched linearly.
//
// On activation, and when the comparator is replaced, the node creates a `LazyOrder` of its rows: `rows`
// keep their old order until the new one is complete, and reads go through it. The next change of the
// source completes it, or slices of deferred work do. Few rows, or a source that changed in the same
// transaction, are sorted at once, and so are all rows when a large part of them changes; this emits one
// replacement. Objects are always sorted at once: an object mutated before the order is complete would
// end up elsewhere than observers were told.

/// Rows in order; subclasses provide their source.
class SortedNode<Upstream: ChangeEmitting, Element: Equatable>: ArrayNode<Element> {
    typealias Comparator = (Element, Element) -> Bool

    /// The number of rows up to which a new comparator sorts at once.
    static var eagerCount: Int {
        if Element.self is AnyObject.Type { return .max }
        return TestSettings.choose(inTests: 4, otherwise: 4096)
    }

    final var source: InputEdge<Upstream>
    private var comparator: InputEdge<ScalarNode<Comparator>>
    private var order: RowComparator<Element>
    private var rows = ChunkedRows<Element>()
    private var lazyOrder: LazyOrder<Element>?
    /// Whether the rows remain as they are, whatever the source does.
    private var isStill = false
    /// The rows for the next activation, if they were provided.
    private var rowsToBegin: PreparedRows<Element>?
    let operations: RowOperations<Element>
    private let lazyOperations: LazyOrderOperations<Element>

    init(
        _ source: Upstream, by comparator: ScalarNode<Comparator>,
        operations: RowOperations<Element>, lazyOperations: LazyOrderOperations<Element>
    ) {
        self.source = InputEdge(source)
        self.comparator = InputEdge(comparator)
        self.operations = operations
        self.lazyOperations = lazyOperations
        order = RowComparator(of: comparator)
        super.init(above: [source, comparator])
    }

    // MARK: - For subclasses

    /// Receives the changes of the source.
    ///
    /// - Returns: The number of elements that left and arrived.
    func receiveSourceChange() -> Int { 0 }
    /// Applies the received changes to the sorted rows.
    func applySourceChange(
        _ rows: inout ChunkedRows<Element>, by order: RowComparator<Element>
    ) -> Emission<ArrayChange<Element>>? { nil }
    var sourceElements: [Element] { [] }
    var sourceCount: Int { 0 }

    // MARK: - Reading

    private var sorted: [Element] {
        var elements = sourceElements
        operations.sort(&elements, RowComparator(of: comparator.node))
        return elements
    }

    final override var count: Int { isActive ? rows.count : sourceCount }

    final override func rows(in range: Range<Int>) -> [Element] {
        guard isActive else { return Array(sorted[range]) }
        guard let lazyOrder else { return operations.elements(rows, range) }
        return operations.gather(rows, lazyOrder.origins(in: range))
    }

    final override func row(at index: Int) -> Element {
        guard isActive else { return sorted[index] }
        guard let lazyOrder else { return operations.element(rows, index) }
        return operations.element(rows, lazyOrder.origins(in: index..<(index + 1))[0])
    }

    // MARK: - Changing

    /// Provides the elements in their order, instead of a sort.
    final func begin(with rows: PreparedRows<Element>) {
        if !isActive { rowsToBegin = rows }
    }

    final override func activate() {
        source.attach(self)
        comparator.attach(self)
        order = RowComparator(of: comparator.node)
        if let known = rowsToBegin {
            rowsToBegin = nil
            require(
                known.count == sourceCount,
                "\(known.count) rows are not the \(sourceCount) elements in their order.")
            rows = operations.join(known.chunks)
        } else if sourceCount <= Self.eagerCount {
            rows = ChunkedRows(sorted)
        } else {
            rows = ChunkedRows(sourceElements)
            deferSorting()
        }
    }

    final override var pendingOrder: ArrayReordering<Element>? { reordering }

    /// The rows, if they are active and all of them are sorted.
    final var sortedRows: PreparedRows<Element>? {
        isActive && lazyOrder == nil
            ? PreparedRows(chunks: rows.chunks, count: rows.count) : nil
    }

    /// Lets the rows remain as they are until the node is activated again. All writes must have been settled.
    ///
    /// What is left to sort is sorted now: a node that reads these rows would go on comparing elements that may be gone
    /// by then.
    ///
    /// - Returns: The rows, if they are active.
    final func stopFollowing() -> PreparedRows<Element>? {
        guard isActive else { return nil }
        if !isStill {
            completeOrder()
            isStill = true
            comparator.detach(self)
            source.detach(self)
        }
        return sortedRows
    }

    final override func deactivate() {
        scheduler.deferred.remove(self)
        rows = ChunkedRows()
        lazyOrder = nil
        if isStill {
            isStill = false
        } else {
            comparator.detach(self)
            source.detach(self)
        }
    }

    final override func recompute() {
        let edits = receiveSourceChange()
        if comparator.takeEmission() != nil {
            completeOrder()
            order = RowComparator(of: comparator.node)
            if edits > 0 || rows.count <= Self.eagerCount {
                sortAll()
            } else {
                deferSorting()
                if let reordering { emit(reordering.emission) }
            }
            return
        }
        guard edits > 0 else { return }
        completeOrder()
        if edits > 64, edits * 4 > rows.count {
            sortAll()
        } else if let change = applySourceChange(&rows, by: order) {
            emit(change)
        }
    }

    /// Starts a lazy order of the rows.
    private func deferSorting() {
        lazyOrder = LazyOrder(rows, by: order, operations: lazyOperations)
        scheduler.deferred.add(self)
    }

    /// The pending order, if there is one.
    private var reordering: ArrayReordering<Element>? {
        guard let lazyOrder else { return nil }
        let old = rows
        let gather = operations.gather
        return ArrayReordering(arrayCount: old.count, offset: 0, order: lazyOrder) {
            gather(old, $0)
        }
    }

    /// Completes the pending order and applies it to the rows.
    private func completeOrder() {
        guard let lazyOrder = lazyOrder.take() else { return }
        scheduler.deferred.remove(self)
        rows = lazyOrder.sortedRows
    }

    final override func performDeferredWork(budget: Int) -> Bool {
        guard let lazyOrder else { return true }
        guard lazyOrder.advance(budget: budget) else { return false }
        completeOrder()
        return true
    }

    private func sortAll() {
        let old = rows.all
        let new = sorted
        rows = ChunkedRows(new)
        let ends = operations.commonEnds(old, new)
        guard let all = ArrayModification(from: old, to: new, except: ends) else { return }
        emit(ArrayChange(initialCount: old.count, modification: all))
    }

    /// Equal elements must tie.
    final override func firstIndex(
        of element: Element, by areEqual: (Element, Element) -> Bool
    ) -> Int? {
        guard isActive else { return super.firstIndex(of: element, by: areEqual) }
        completeOrder()
        return operations.firstIndex(rows, element, order)
    }
}

/// The elements of a set in order.
final class SetSortedNode<Element: Hashable>: SortedNode<SetNode<Element>, Element> {
    private let setOperations: SetOperations<Element>
    private var received: Emission<SetChange<Element>>?

    init(
        _ source: SetNode<Element>, by comparator: ScalarNode<Comparator>,
        operations: RowOperations<Element>, setOperations: SetOperations<Element>,
        lazyOperations: LazyOrderOperations<Element>
    ) {
        self.setOperations = setOperations
        super.init(
            source, by: comparator, operations: operations, lazyOperations: lazyOperations)
    }

    override var sourceElements: [Element] { source.node.elementList }
    override var sourceCount: Int { source.node.count }

    override func receiveSourceChange() -> Int {
        received = source.takeEmission()
        guard let received else { return 0 }
        return setOperations.editCount(received)
    }

    override func applySourceChange(
        _ rows: inout ChunkedRows<Element>, by order: RowComparator<Element>
    ) -> Emission<ArrayChange<Element>>? {
        guard let received = received.take() else { return nil }
        return setOperations.applyChange(&rows, received, order, &spare)
    }
}

/// The elements of an array in order.
final class ArraySortedNode<Element: Equatable>: SortedNode<ArrayNode<Element>, Element> {
    private var received: (removed: [Element], inserted: [Element]) = ([], [])

    override var sourceElements: [Element] { source.node.allRows }
    override var sourceCount: Int { source.node.count }

    override func receiveSourceChange() -> Int {
        guard let change = source.takeChangeUnlessReordered() else { return 0 }
        let modifications = change.modifications
        received = (modifications.flatMap(\.oldElements), modifications.flatMap(\.newElements))
        return received.removed.count + received.inserted.count
    }

    override func applySourceChange(
        _ rows: inout ChunkedRows<Element>, by order: RowComparator<Element>
    ) -> Emission<ArrayChange<Element>>? {
        defer { received = ([], []) }
        return operations.applyChange(
            &rows, received.removed, received.inserted, order, &spare)
    }
}
