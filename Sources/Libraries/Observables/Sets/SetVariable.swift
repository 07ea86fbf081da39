/// A set that the program writes and others observe.
///
/// Outside of a transaction, each of the methods is one. In a sink, what they do is queued until
/// all sinks have been called.
public final class SetVariable<Element: Hashable>: ObservableSetType, ExpressibleByArrayLiteral {
    private let node: SetVariableNode<Element>

    /// A set variable that belongs to the calling actor, task or thread, without elements.
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
        node = SetVariableNode(elements, operations: operations)
    }

    /// A set variable that belongs to the calling actor, task or thread with the elements given.
    @inlinable
    public convenience init(arrayLiteral elements: Element...) {
        self.init(Set(elements))
    }

    /// The set, readable only.
    public var observableSet: ObservableSet<Element> { ObservableSet(node) }

    /// All elements. Setting it takes out and puts in the difference.
    public var value: Set<Element> {
        get { observableSet.value }
        set {
            let node = node
            node.write {
                let difference = SetChange(from: node.elements, to: newValue)
                for element in difference.removed { node.remove(element) }
                for element in difference.inserted { node.insert(element) }
            }
        }
    }

    /// Puts in an element, unless an equal one is there.
    ///
    /// - Complexity: O(1).
    public func insert(_ element: Element) {
        let node = node
        node.write { node.insert(element) }
    }

    /// Takes out an element, if it is there.
    ///
    /// - Complexity: O(1).
    public func remove(_ element: Element) {
        let node = node
        node.write { node.remove(element) }
    }

    /// Takes out all elements.
    ///
    /// - Complexity: O(*n*).
    public func removeAll() {
        value = []
    }

    /// Takes out some elements and puts in others, in one transaction.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public func apply(_ change: SetChange<Element>) {
        let node = node
        node.write {
            for element in change.removed { node.remove(element) }
            for element in change.inserted { node.insert(element) }
        }
    }

    /// Puts in all elements of `elements` that are not there.
    ///
    /// - Complexity: O(*k*) for *k* elements in `elements`.
    public func formUnion(_ elements: some Sequence<Element>) {
        let node = node
        let elements = Array(elements)
        node.write { for element in elements { node.insert(element) } }
    }

    /// Takes out all elements of `elements` that are there.
    ///
    /// - Complexity: O(*k*) for *k* elements in `elements`.
    public func subtract(_ elements: some Sequence<Element>) {
        let node = node
        let elements = Array(elements)
        node.write { for element in elements { node.remove(element) } }
    }

    /// Takes out all elements that are not in `elements`.
    ///
    /// - Complexity: O(*n* + *k*) for *k* elements in `elements`.
    public func formIntersection(_ elements: some Sequence<Element>) {
        let node = node
        let elements = Set(elements)
        node.write {
            for element in node.elements where !elements.contains(element) {
                node.remove(element)
            }
        }
    }

    /// Takes out the elements of `elements` that are there, and puts in those that are not.
    ///
    /// - Complexity: O(*k*) for *k* elements in `elements`.
    public func formSymmetricDifference(_ elements: some Sequence<Element>) {
        let node = node
        let elements = Set(elements)
        node.write {
            for element in elements {
                if node.contains(element) { node.remove(element) } else { node.insert(element) }
            }
        }
    }

    /// Takes out all elements for which `predicate` holds.
    ///
    /// - Complexity: *n* calls of `predicate`.
    public func removeAll(where predicate: @escaping (Element) -> Bool) {
        let node = node
        node.write {
            for element in node.elements where predicate(element) { node.remove(element) }
        }
    }
}
