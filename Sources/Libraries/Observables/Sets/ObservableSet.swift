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
