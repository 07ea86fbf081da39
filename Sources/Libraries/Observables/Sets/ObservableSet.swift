/// An observable set of any kind, known only by the type of its elements.
///
/// Elements that are equal are the same to a set: to have an element that was altered told, its
/// `==` must tell the two apart.
public struct ObservableSet<Element: Hashable>: ObservableSetType {
    let node: SetNode<Element>

    init(_ node: SetNode<Element>) {
        self.node = node
    }

    /// A set that never changes.
    public static func constant(_ elements: Set<Element>) -> ObservableSet {
        ObservableSet(ConstantSetNode(elements))
    }

    /// How many elements there are.
    public var count: Int {
        node.reading { node.count }
    }

    /// Whether `element` is in the set.
    public func contains(_ element: Element) -> Bool {
        node.reading { node.contains(element) }
    }

    /// All elements.
    public var value: Set<Element> {
        node.reading { node.elements }
    }

    /// Itself.
    public var observableSet: ObservableSet { self }
}

/// A set that the program writes and others observe.
///
/// Outside of a transaction, each of the methods is one. In a sink, what they do is queued until
/// all sinks have been called.
public final class SetVariable<Element: Hashable>: ObservableSetType, ExpressibleByArrayLiteral {
    private let node: SetVariableNode<Element>

    /// A set variable that belongs to the calling actor, task or thread.
    @inlinable
    public convenience init(_ elements: Set<Element> = []) {
        self.init(elements, with: SetOperations())
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
    public func formUnion(_ elements: Set<Element>) {
        let node = node
        node.write { for element in elements { node.insert(element) } }
    }

    /// Takes out all elements of `elements` that are there.
    ///
    /// - Complexity: O(*k*) for *k* elements in `elements`.
    public func subtract(_ elements: Set<Element>) {
        let node = node
        node.write { for element in elements { node.remove(element) } }
    }
}
