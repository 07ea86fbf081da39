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
    /// `transform` must depend on its argument only: no results are kept, and each read calls it again.
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
        filter(where: Observable.constant(predicate))
    }

    /// The elements for which the current predicate holds, in their order.
    ///
    /// - Complexity: one call of the predicate and O(log *n*) for each changed element; *n* calls when
    ///   the predicate changes, which emits the rows that arrive and leave, or, if they lie in more than
    ///   1,000 places, one replacement from the first to the last.
    @inlinable
    public func filter(
        where predicate: Observable<(Element) -> Bool>
    ) -> ObservableArray<Element> {
        observableArray.filter(
            where: predicate.map { RowPredicate($0) }, with: FilterOperations())
    }

    /// The elements for which the variable's predicate holds, in their order. The same as
    /// `filter(where:)`.
    ///
    /// - Complexity: as with an observable predicate.
    @inlinable
    public func filter(where predicate: Variable<(Element) -> Bool>) -> ObservableArray<Element> {
        filter(where: predicate.observable)
    }

    /// The elements that match the current criterion, in their order.
    ///
    /// If one criterion is known to narrow another, as a longer search text narrows a shorter one, only
    /// the matching elements are checked when the narrower one takes over, and only the others when the
    /// wider one returns.
    ///
    /// - Parameters:
    ///   - criterion: The search criterion.
    ///   - narrows: Whether every element that matches the first criterion is known to match the second. A wrong
    ///     `true` gives wrong rows; `false` is always correct.
    ///   - matches: Whether an element matches a criterion. It must depend on its arguments only.
    /// - Returns: The matching elements.
    /// - Complexity: one call of `matches` and O(log *n*) for each changed element; when the criterion
    ///   changes, *m* calls if the new one narrows the old one, where *m* is the number of matching
    ///   elements, *n* − *m* if the old one narrows the new one, otherwise *n*; emitted as by
    ///   `filter(where:)`.
    @inlinable
    public func filter<Criterion>(
        by criterion: some ObservableScalarType<Criterion>,
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

    /// The elements for which the current test holds. The same as `filter(where:)`.
    ///
    /// - Complexity: as for `filter(where:)`.
    @inlinable
    public func filtered(test: Observable<(Element) -> Bool>) -> ObservableArray<Element> {
        filter(where: test)
    }
}

extension ObservableArrayType {
    /// The results of `transform` that are not `nil`.
    ///
    /// `transform` must depend on its argument only: no results are kept, and each read calls it again.
    ///
    /// - Complexity: that of a filter, and two calls of `transform` for each element that arrives.
    public func compactMap<Result>(
        _ transform: @escaping (Element) -> Result?
    ) -> ObservableArray<Result> {
        filter { transform($0) != nil }.map { element in
            guard let result = transform(element) else {
                stop("A transform gave nil for an element for which it had not before.")
            }
            return result
        }
    }

    /// The elements of the lists that `transform` returns, concatenated.
    ///
    /// - Complexity: that of `selectEach` to constant arrays: O(*k* + log *n*) for an element that
    ///   arrives or leaves with *k* results.
    public func flatMap<Result>(
        _ transform: @escaping (Element) -> [Result]
    ) -> ObservableArray<Result> {
        selectEach { ObservableArray.constant(transform($0)) }
    }

    /// The elements in reverse order.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements.
    public func reversed() -> ObservableArray<Element> {
        ObservableArray(ReversedNode(observableArray.node))
    }

    /// The first `maxCount` elements, or all if there are fewer.
    ///
    /// - Complexity: that of `window(_:)` of a range.
    @inlinable
    public func prefix(_ maxCount: Int) -> ObservableArray<Element> { window(0..<maxCount) }

    /// The last `maxCount` elements, or all if there are fewer.
    ///
    /// - Complexity: that of `window(_:)` of a range.
    @inlinable
    public func suffix(_ maxCount: Int) -> ObservableArray<Element> {
        window(fromEnd: 0, count: maxCount)
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
