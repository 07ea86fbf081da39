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
    public func map<Result>(
        _ transform: @escaping (Element) -> Result
    ) -> ObservableArray<Result> {
        ObservableArray<Result>(
            ArrayMapNode(observableArray.node, transform: transform))
    }

    /// The elements for which `predicate` holds, in their order.
    ///
    /// - Complexity: one call of `predicate` and O(log *n*) for each changed element.
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
    public func filter(
        where predicate: Observable<(Element) -> Bool>
    ) -> ObservableArray<Element> {
        ObservableArray(FilterNode(observableArray.node, where: predicate.node))
    }

    /// The elements for which `test` holds. The same as ``filter(_:)``.
    public func filtered(test: @escaping (Element) -> Bool) -> ObservableArray<Element> {
        filter(test)
    }

    /// The elements for which the current test holds. The same as ``filter(where:)``.
    public func filtered(test: Observable<(Element) -> Bool>) -> ObservableArray<Element> {
        filter(where: test)
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
