extension ObservableArrayType {
    /// How many elements there are, as an observable.
    public var observableCount: Observable<Int> {
        let node = observableArray.node
        return Observable(ComputedNode([node]) { node.count })
    }

    /// The results of `transform` for each element.
    ///
    /// `transform` must depend on its argument only: nothing is kept, and it is called again for
    /// whatever is read.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    @inlinable
    public func map<Result>(
        _ transform: @escaping (Element) -> Result
    ) -> ObservableArray<Result> {
        observableArray.map(transform, all: { $0.map(transform) })
    }

    /// The elements for which `predicate` holds, in their order.
    ///
    /// - Complexity: one call of `predicate` and O(log *n*) for each changed element.
    @inlinable
    public func filter(
        _ predicate: @escaping (Element) -> Bool
    ) -> ObservableArray<Element> {
        filter(where: .constant(predicate))
    }

    /// The elements for which the current predicate holds, in their order.
    ///
    /// - Complexity: one call of the predicate and O(log *n*) for each changed element; *n* calls
    ///   when the predicate changes, which is told as the rows that come and go, or, if these lie
    ///   in more than 1,000 places, as one replacement from the first of them to the last.
    @inlinable
    public func filter(
        where predicate: Observable<(Element) -> Bool>
    ) -> ObservableArray<Element> {
        observableArray.filter(where: predicate, with: FilterOperations())
    }

    /// The elements for which `test` holds. The same as ``filter(_:)``.
    @inlinable
    public func filtered(test: @escaping (Element) -> Bool) -> ObservableArray<Element> {
        filter(test)
    }

    /// The elements for which the current test holds. The same as ``filter(where:)``.
    @inlinable
    public func filtered(test: Observable<(Element) -> Bool>) -> ObservableArray<Element> {
        filter(where: test)
    }
}

extension ObservableArray {
    @usableFromInline
    func map<Result>(
        _ transform: @escaping (Element) -> Result,
        all transformAll: @escaping ([Element]) -> [Result]
    ) -> ObservableArray<Result> {
        ObservableArray<Result>(ArrayMapNode(node, transform: transform, all: transformAll))
    }

    @usableFromInline
    func filter(
        where predicate: Observable<(Element) -> Bool>, with operations: FilterOperations<Element>
    ) -> ObservableArray<Element> {
        ObservableArray(FilterNode(node, where: predicate.node, operations: operations))
    }
}

/// The elements of one array, followed by those of another.
///
/// Both sides may be the same array, and may change in one transaction.
///
/// - Complexity: O(*k*) for a change of *k* elements.
public func + <Left: ObservableArrayType, Right: ObservableArrayType>(
    left: Left, right: Right
) -> ObservableArray<Left.Element> where Left.Element == Right.Element {
    ObservableArray(ConcatenationNode(left.observableArray.node, right.observableArray.node))
}
