// Elements in the order of a comparator that may be replaced.
//
// While active, it keeps the elements in their order, in chunks. An element that arrives is placed
// by binary search, behind those it ties with; one that leaves is found by binary search with the
// element as it was, and among those it ties with by `==`. Ties are therefore never lost, but cost a
// step each: where they are many, a comparator that also compares an identity is faster. Should a
// search miss (an element of reference type was altered in place), the row is looked for one by one.
//
// When it becomes active, and when the comparator is replaced, it makes a `LazyOrder` of what is
// there: `rows` stay as they were until the order is complete, and reads go through it. It is
// completed by the next change of the source, or in slices. Few rows, or a source that changed in the
// same transaction, are sorted at once, as are all when a large part of them is exchanged; that is
// told as one replacement. Objects are always sorted at once: one that is altered before the order
// is complete would lie elsewhere than observers were told.

/// Rows in order; where they come from is for subclasses to say.
class SortedNode<Element: Equatable>: ArrayNode<Element> {
    typealias Comparator = (Element, Element) -> Bool

    /// How many rows are sorted at once when the comparator is replaced.
    static var eagerCount: Int {
        if Element.self is AnyObject.Type { return .max }
        return TestSettings.choose(inTests: 4, otherwise: 4096)
    }

    private var comparator: Edge<ScalarNode<Comparator>>
    private var order: RowComparator<Element>
    private var rows = ChunkedRows<Element>()
    private var lazyOrder: LazyOrder<Element>?
    /// What the rows will be when it becomes active next, if somebody knows.
    private var rowsToBegin: [Element]?
    let operations: RowOperations<Element>
    private let lazyOperations: LazyOrderOperations<Element>

    init(
        source: Node, comparator: ScalarNode<Comparator>, operations: RowOperations<Element>,
        lazyOperations: LazyOrderOperations<Element>
    ) {
        self.comparator = Edge(comparator)
        self.operations = operations
        self.lazyOperations = lazyOperations
        order = RowComparator(of: comparator)
        super.init(above: [source, comparator])
    }

    // MARK: - For subclasses

    func attachSource() {}
    func detachSource() {}
    /// Takes in what the source did and says how many elements left and arrived.
    func takeSource() -> Int { 0 }
    /// Carries out on rows in order what was taken in last.
    func followSource(
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

    /// Takes on the elements in their order, which somebody has worked out, instead of sorting them.
    final func begin(with rows: [Element]) {
        if !isActive { rowsToBegin = rows }
    }

    final override func activate() {
        attachSource()
        comparator.attach(self)
        order = RowComparator(of: comparator.node)
        if let known = rowsToBegin {
            rowsToBegin = nil
            require(
                known.count == sourceCount,
                "\(known.count) rows are not the \(sourceCount) elements in their order.")
            rows = ChunkedRows(known)
        } else if sourceCount <= Self.eagerCount {
            rows = ChunkedRows(sorted)
        } else {
            rows = ChunkedRows(sourceElements)
            putOff()
        }
    }

    final override var pendingOrder: ArrayReordering<Element>? { reordering }

    final override func deactivate() {
        scheduler.endDeferredWork(of: self)
        rows = ChunkedRows()
        lazyOrder = nil
        comparator.detach(self)
        detachSource()
    }

    final override func recompute() {
        let edits = takeSource()
        if comparator.takeEmission() != nil {
            complete()
            order = RowComparator(of: comparator.node)
            if edits > 0 || rows.count <= Self.eagerCount {
                sortAnew()
            } else {
                putOff()
                if let reordering { emit(reordering.emission) }
            }
            return
        }
        guard edits > 0 else { return }
        complete()
        if edits > 64, edits * 4 > rows.count {
            sortAnew()
        } else if let change = followSource(&rows, by: order) {
            emit(change)
        }
    }

    /// Begins to put the rows in order.
    private func putOff() {
        lazyOrder = LazyOrder(rows, by: order, operations: lazyOperations)
        scheduler.deferWork(of: self)
    }

    /// The order that is not complete, if there is one.
    private var reordering: ArrayReordering<Element>? {
        guard let lazyOrder else { return nil }
        let old = rows
        let gather = operations.gather
        return ArrayReordering(arrayCount: old.count, offset: 0, order: lazyOrder) {
            gather(old, $0)
        }
    }

    /// Takes on the order that was replaced last for good.
    private func complete() {
        guard let lazyOrder else { return }
        self.lazyOrder = nil
        scheduler.endDeferredWork(of: self)
        rows = lazyOrder.sortedRows
    }

    final override func performDeferredWork(budget: Int) -> Bool {
        guard let lazyOrder else { return true }
        guard lazyOrder.advance(budget: budget) else { return false }
        complete()
        return true
    }

    private func sortAnew() {
        let old = rows.all
        let new = sorted
        rows = ChunkedRows(new)
        let (prefix, suffix) = operations.commonEnds(old, new)
        guard
            let all = ArrayModification(
                replacing: Array(old[prefix..<(old.count - suffix)]), at: prefix,
                with: Array(new[prefix..<(new.count - suffix)]))
        else { return }
        emit(ArrayChange(initialCount: old.count, modification: all))
    }

    /// Elements that are equal must tie.
    final override func firstIndex(
        of element: Element, by areEqual: (Element, Element) -> Bool
    ) -> Int? {
        guard isActive else { return super.firstIndex(of: element, by: areEqual) }
        complete()
        return operations.firstIndex(rows, element, order)
    }
}

/// The elements of a set in order.
final class SetSortedNode<Element: Hashable>: SortedNode<Element> {
    private var source: Edge<SetNode<Element>>
    private let setOperations: SetOperations<Element>
    private var taken: Emission<SetChange<Element>>?

    init(
        _ source: SetNode<Element>, by comparator: ScalarNode<Comparator>,
        operations: RowOperations<Element>, setOperations: SetOperations<Element>,
        lazyOperations: LazyOrderOperations<Element>
    ) {
        self.source = Edge(source)
        self.setOperations = setOperations
        super.init(
            source: source, comparator: comparator, operations: operations,
            lazyOperations: lazyOperations)
    }

    override func attachSource() { source.attach(self) }
    override func detachSource() { source.detach(self) }
    override var sourceElements: [Element] { Array(source.node.elements) }
    override var sourceCount: Int { source.node.count }

    override func takeSource() -> Int {
        taken = source.takeEmission()
        guard let taken else { return 0 }
        return setOperations.editCount(taken)
    }

    override func followSource(
        _ rows: inout ChunkedRows<Element>, by order: RowComparator<Element>
    ) -> Emission<ArrayChange<Element>>? {
        guard let taken else { return nil }
        self.taken = nil
        return setOperations.carryOut(&rows, taken, order)
    }
}

/// The elements of an array in order.
final class ArraySortedNode<Element: Equatable>: SortedNode<Element> {
    private var source: Edge<ArrayNode<Element>>
    private var taken: (removed: [Element], inserted: [Element]) = ([], [])

    init(
        _ source: ArrayNode<Element>, by comparator: ScalarNode<Comparator>,
        operations: RowOperations<Element>, lazyOperations: LazyOrderOperations<Element>
    ) {
        self.source = Edge(source)
        super.init(
            source: source, comparator: comparator, operations: operations,
            lazyOperations: lazyOperations)
    }

    override func attachSource() { source.attach(self) }
    override func detachSource() { source.detach(self) }
    override var sourceElements: [Element] { source.node.allRows }
    override var sourceCount: Int { source.node.count }

    override func takeSource() -> Int {
        guard let modifications = source.takeUnlessReordered()?.modifications else { return 0 }
        taken = (modifications.flatMap(\.oldElements), modifications.flatMap(\.newElements))
        return taken.removed.count + taken.inserted.count
    }

    override func followSource(
        _ rows: inout ChunkedRows<Element>, by order: RowComparator<Element>
    ) -> Emission<ArrayChange<Element>>? {
        defer { taken = ([], []) }
        return operations.carryOut(&rows, taken.removed, taken.inserted, order)
    }
}
