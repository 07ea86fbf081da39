/// A set that the program writes and others observe.
///
/// Outside of a transaction, each method is a transaction of its own. In a sink, writes are queued until
/// all sinks have been called.
public final class SetVariable<Element: Hashable>: ObservableSetType, ExpressibleByArrayLiteral {
    private let node: SetVariableNode<Element>

    /// An empty set variable that belongs to the calling actor, task or thread.
    @inlinable
    public convenience init() {
        self.init([], with: SetOperations())
    }

    /// A set variable that belongs to the calling actor, task or thread, with the elements of a sequence.
    @inlinable
    public convenience init(_ elements: some Sequence<Element>) {
        self.init(Set(elements), with: SetOperations())
    }

    @usableFromInline
    init(_ elements: Set<Element>, with operations: SetOperations<Element>) {
        node = HashedSetVariableNode(elements, operations: operations)
    }

    /// An empty set variable that belongs to the calling actor, task or thread, of elements with small numbers of their
    /// own. It keeps a bit for each number up to the greatest. `element` must return the element with a number.
    ///
    /// - Complexity: inserting and removing hash nothing, and take O(1); to enumerate the elements takes O(*m*) for the
    ///   greatest number *m*.
    @inlinable
    package convenience init(
        numberedBy number: @escaping (Element) -> Int, _ element: @escaping (Int) -> Element
    ) {
        self.init(numberedBy: number, element, bits: [], with: SetOperations())
    }

    /// The same, with the elements whose numbers are set: that of number *n* is bit *n* mod 64 of word *n* / 64.
    ///
    /// - Complexity: O(*m* / 64). The words are not copied before one of the two is changed.
    @inlinable
    package convenience init(
        numberedBy number: @escaping (Element) -> Int, bits: [UInt64],
        _ element: @escaping (Int) -> Element
    ) {
        self.init(numberedBy: number, element, bits: bits, with: SetOperations())
    }

    @usableFromInline
    init(
        numberedBy number: @escaping (Element) -> Int, _ element: @escaping (Int) -> Element,
        bits: [UInt64], with operations: SetOperations<Element>
    ) {
        node = NumberedSetVariableNode(
            number: number, element: element, bits: bits, operations: operations)
    }

    /// A set variable that belongs to the calling actor, task or thread, with the given elements.
    @inlinable
    public convenience init(arrayLiteral elements: Element...) {
        self.init(Set(elements))
    }

    /// The set as a read-only observable.
    public var observableSet: ObservableSet<Element> { ObservableSet(node) }

    /// All elements. Setting it removes and inserts the difference.
    public var value: Set<Element> {
        get { observableSet.value }
        set {
            node.write { [node] in
                let difference = SetChange(from: node.elements, to: newValue)
                for element in difference.removed { node.remove(element) }
                for element in difference.inserted { node.insert(element) }
            }
        }
    }

    /// Makes room for so many elements in all, so that the set does not grow step by step.
    ///
    /// - Complexity: O(*n*), but O(1) for an empty set.
    public func reserveCapacity(_ count: Int) {
        node.reserveCapacity(count)
    }

    /// Inserts an element, unless an equal one is present.
    ///
    /// - Complexity: O(1).
    public func insert(_ element: Element) {
        node.write { [node] in node.insert(element) }
    }

    /// Removes an element, if present.
    ///
    /// - Complexity: O(1).
    public func remove(_ element: Element) {
        node.write { [node] in node.remove(element) }
    }

    /// Removes all elements.
    ///
    /// - Complexity: O(*n*).
    public func removeAll() {
        value = []
    }

    /// Removes and inserts the elements of a change, in one transaction.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public func apply(_ change: SetChange<Element>) {
        node.write { [node] in
            for element in change.removed { node.remove(element) }
            for element in change.inserted { node.insert(element) }
        }
    }

    /// Removes elements, then inserts others, in one transaction.
    ///
    /// - Complexity: O(*k*) for *k* elements.
    public func apply(
        removing removed: some Sequence<Element>, inserting inserted: some Sequence<Element>
    ) {
        let (removed, inserted) = (Array(removed), Array(inserted))
        node.write { [node] in
            node.expect(removing: removed.count, inserting: inserted.count)
            for element in removed { node.remove(element) }
            for element in inserted { node.insert(element) }
        }
    }

    /// Inserts all elements of `elements` that are not present.
    ///
    /// - Complexity: O(*k*) for *k* elements in `elements`.
    public func formUnion(_ elements: some Sequence<Element>) {
        let elements = Array(elements)
        node.write { [node] in for element in elements { node.insert(element) } }
    }

    /// Removes all elements of `elements`.
    ///
    /// - Complexity: O(*k*) for *k* elements in `elements`.
    public func subtract(_ elements: some Sequence<Element>) {
        let elements = Array(elements)
        node.write { [node] in for element in elements { node.remove(element) } }
    }

    /// Removes all elements that are not in `elements`.
    ///
    /// - Complexity: O(*n* + *k*) for *k* elements in `elements`.
    public func formIntersection(_ elements: some Sequence<Element>) {
        let elements = Set(elements)
        node.write { [node] in
            for element in node.elements where !elements.contains(element) {
                node.remove(element)
            }
        }
    }

    /// Removes the elements of `elements` that are present, and inserts the others.
    ///
    /// - Complexity: O(*k*) for *k* elements in `elements`.
    public func formSymmetricDifference(_ elements: some Sequence<Element>) {
        let elements = Set(elements)
        node.write { [node] in
            for element in elements {
                if node.contains(element) { node.remove(element) } else { node.insert(element) }
            }
        }
    }

    /// Removes all elements for which `predicate` holds.
    ///
    /// - Complexity: *n* calls of `predicate`.
    public func removeAll(where predicate: @escaping (Element) -> Bool) {
        node.write { [node] in
            for element in node.elements where predicate(element) { node.remove(element) }
        }
    }
}
