/// A type-erased observable set.
///
/// A set identifies equal elements: an altered element is a change only if its `==` distinguishes the
/// two.
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
