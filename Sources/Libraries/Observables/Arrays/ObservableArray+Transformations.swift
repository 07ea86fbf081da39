extension ObservableArrayType {
    /// How many elements there are, as an observable.
    ///
    /// - Complexity: O(1) for any change of the array.
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
        observableArray.filter(
            where: predicate.map { RowPredicate($0) }, with: FilterOperations())
    }

    /// The elements that match the current criterion, in their order.
    ///
    /// Where one criterion is known to narrow another, as a longer search text does a shorter one,
    /// only the elements that matched are asked when the narrower one takes over, and only those
    /// that did not when the wider one comes back.
    ///
    /// - Parameters:
    ///   - criterion: What is looked for.
    ///   - narrows: Whether every element that matches the first criterion is known to match the
    ///     second. Saying so when it does not hold gives wrong rows; `false` is always right.
    ///   - matches: Whether an element matches a criterion. It must depend on its arguments only.
    /// - Returns: The elements that match.
    /// - Complexity: one call of `matches` and O(log *n*) for each changed element; when the
    ///   criterion changes, *m* calls if it narrows the one before, *m* the number of elements that
    ///   matched, *n* − *m* if it is narrowed by it, else *n*; told as ``filter(where:)`` does.
    @inlinable
    public func filter<Criterion>(
        by criterion: Observable<Criterion>,
        narrowing narrows: @escaping (Criterion, Criterion) -> Bool,
        matches: @escaping (Criterion, Element) -> Bool
    ) -> ObservableArray<Element> {
        observableArray.filter(
            where: criterion.map { criterion in
                RowPredicate(criterion, narrows: narrows) { matches(criterion, $0) }
            }, with: FilterOperations())
    }

    /// The elements for which `test` holds. The same as ``filter(_:)-((Self.Element)->Bool)``.
    ///
    /// - Complexity: one call of `test` and O(log *n*) for each changed element.
    @inlinable
    public func filtered(test: @escaping (Element) -> Bool) -> ObservableArray<Element> {
        filter(test)
    }

    /// The elements for which the current test holds. The same as ``filter(where:)``.
    ///
    /// - Complexity: as for ``filter(where:)``.
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
        where predicate: Observable<RowPredicate<Element>>,
        with operations: FilterOperations<Element>
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
