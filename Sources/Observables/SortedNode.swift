// Elements in the order of a comparator that may be replaced.
//
// While active, it keeps the elements in their order, in chunks. An element that arrives is placed
// by binary search, behind those it ties with; one that leaves is found by binary search with the
// element as it was, and among those it ties with by `==`. Ties are therefore never lost, but cost a
// step each: where they are many, a comparator that also compares an identity is faster. Should a
// search miss (an element of reference type was altered in place), the row is looked for one by one.
//
// A change of many elements, or another comparator, sorts all anew and is one replacement.

/// Rows in order; where they come from is for subclasses to say.
class SortedNode<Element: Equatable>: ArrayNode<Element> {
    typealias Comparator = (Element, Element) -> Bool

    private var comparator: Edge<ScalarNode<Comparator>>
    private let operations: RowOperations<Element>
    private var storage = ChunkedRows<Element>()

    init(source: Node, comparator: ScalarNode<Comparator>, operations: RowOperations<Element>) {
        self.comparator = Edge(comparator)
        self.operations = operations
        super.init(above: [source, comparator])
    }

    // MARK: - For subclasses

    func attachSource() {}
    func detachSource() {}
    /// What has left and arrived since it was last asked.
    func takeSource() -> (removed: [Element], inserted: [Element])? { nil }
    var sourceElements: [Element] { [] }
    var sourceCount: Int { 0 }

    // MARK: - Reading

    private var sorted: [Element] {
        var elements = sourceElements
        operations.sort(&elements, comparator.node.read())
        return elements
    }

    final override var count: Int { isActive ? storage.count : sourceCount }

    final override func rows(in range: Range<Int>) -> [Element] {
        isActive ? operations.elements(storage, range) : Array(sorted[range])
    }

    final override func row(at index: Int) -> Element {
        isActive ? operations.element(storage, index) : sorted[index]
    }

    // MARK: - Changing

    final override func activate() {
        attachSource()
        comparator.attach(self)
        storage = ChunkedRows(sorted)
    }

    final override func deactivate() {
        storage = ChunkedRows()
        comparator.detach(self)
        detachSource()
    }

    final override func recompute() {
        let source = takeSource()
        if comparator.take() != nil {
            sortAnew()
            return
        }
        guard let (removed, inserted) = source else { return }
        let edits = removed.count + inserted.count
        if edits > 64, edits * 4 > storage.count {
            sortAnew()
            return
        }
        let change = operations.carryOut(&storage, removed, inserted, comparator.node.read())
        if !change.isEmpty { emit(change.flattened()) }
    }

    private func sortAnew() {
        let old = storage.all
        let new = sorted
        storage = ChunkedRows(new)
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
        let less = comparator.node.read()
        var row = storage.partitioningIndex { !less($0, element) }
        while row < storage.count, !less(element, storage[row]) {
            if areEqual(storage[row], element) { return row }
            row += 1
        }
        return nil
    }
}

/// The elements of a set in order.
final class SetSortedNode<Element: Hashable>: SortedNode<Element> {
    private var source: Edge<SetNode<Element>>
    private let setOperations: SetOperations<Element>

    init(
        _ source: SetNode<Element>, by comparator: ScalarNode<Comparator>,
        operations: RowOperations<Element>, setOperations: SetOperations<Element>
    ) {
        self.source = Edge(source)
        self.setOperations = setOperations
        super.init(source: source, comparator: comparator, operations: operations)
    }

    override func attachSource() { source.attach(self) }
    override func detachSource() { source.detach(self) }
    override var sourceElements: [Element] { Array(source.node.elements) }
    override var sourceCount: Int { source.node.count }

    override func takeSource() -> (removed: [Element], inserted: [Element])? {
        source.take().map(setOperations.arrays)
    }
}

/// The elements of an array in order.
final class ArraySortedNode<Element: Equatable>: SortedNode<Element> {
    private var source: Edge<ArrayNode<Element>>

    init(
        _ source: ArrayNode<Element>, by comparator: ScalarNode<Comparator>,
        operations: RowOperations<Element>
    ) {
        self.source = Edge(source)
        super.init(source: source, comparator: comparator, operations: operations)
    }

    override func attachSource() { source.attach(self) }
    override func detachSource() { source.detach(self) }
    override var sourceElements: [Element] { source.node.allRows }
    override var sourceCount: Int { source.node.count }

    override func takeSource() -> (removed: [Element], inserted: [Element])? {
        source.take().map { change in
            let modifications = change.modifications
            return (
                modifications.flatMap(\.oldElements), modifications.flatMap(\.newElements)
            )
        }
    }
}
