// These functions are inlinable so that `RowOperations` is created and specialized where the element
// type is known.

extension ObservableSetType {
    /// The elements in the order of `areInIncreasingOrder`.
    ///
    /// Elements that tie all keep their rows, in an unspecified order. The function must be a strict
    /// weak order, which `<` of floating-point numbers is only without NaN, and give the same result for
    /// two elements at any time. Otherwise no row is lost here, but the order is unspecified, and the
    /// changes or the rows of filters downstream may be inconsistent. Elements that are objects may be
    /// mutated in place: each keeps its position until it is inserted again or the comparator is
    /// replaced.
    ///
    /// - Complexity: O(log *n* + *t*) for each changed element, where *t* is the number of elements it
    ///   ties with.
    @inlinable
    public func sorted(
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool
    ) -> ObservableArray<Element> {
        sorted(by: Observable.constant(areInIncreasingOrder))
    }

    /// The elements in the order of `areInIncreasingOrder`, which a key of each element tells in most cases.
    ///
    /// An element with a lesser key must come before one with a greater key; for equal keys the function decides. The
    /// key of an element must be the same at any time.
    ///
    /// - Complexity: as without keys, but the function is called only for elements with equal keys.
    @inlinable
    package func sorted(
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool,
        key: @escaping (Element) -> UInt64
    ) -> ObservableArray<Element> {
        observableSet.sorted(
            by: Observable.constant(areInIncreasingOrder), with: RowOperations(key: key),
            SetOperations(key: key), LazyOrderOperations())
    }

    /// The elements in the order of the current comparator.
    ///
    /// When the comparator changes, the rows are sorted only as far as they are read. The rest follows
    /// with the next change of an element, before a sink receives all moved rows, or in slices
    /// (``ObservableScheduler/performDeferredWork(budget:)``).
    ///
    /// - Complexity: as for ``sorted(by:)-((Self.Element,Self.Element)->Bool)``. When the comparator
    ///   changes, O(*n* + *w* log *w*) for the first *w* rows that are read, O(*n* log *n*) for all.
    @inlinable
    public func sorted(
        by areInIncreasingOrder: Observable<(Element, Element) -> Bool>
    ) -> ObservableArray<Element> {
        observableSet.sorted(
            by: areInIncreasingOrder, with: RowOperations(), SetOperations(),
            LazyOrderOperations())
    }

    /// The elements in the order of the variable's comparator.
    ///
    /// - Complexity: as with an observable comparator.
    @inlinable
    public func sorted(
        by areInIncreasingOrder: Variable<(Element, Element) -> Bool>
    ) -> ObservableArray<Element> {
        sorted(by: areInIncreasingOrder.observable)
    }
}

extension ObservableArray where Element: Hashable {
    /// Provides the current elements in their order to a sorted set that is not observed yet, instead of
    /// a sort when the first observer connects. The set must not change until then.
    package func begin(with rows: PreparedRows<Element>) {
        (node as? SetSortedNode<Element>)?.begin(with: rows)
    }

    /// The elements of a sorted set, in chunks that are shared; nil if nobody observes them, or not all are sorted.
    /// Not for use in a transform.
    /// - Complexity: O(1).
    package var sortedRows: PreparedRows<Element>? {
        node.prepareToRead()
        return (node as? SetSortedNode<Element>)?.sortedRows
    }

    /// Lets the elements of a sorted set remain as they are, whatever the set does, as long as they are observed.
    /// Not for use in a transform.
    /// - Returns: the elements, in chunks that are shared; nil if nobody observes them.
    /// - Complexity: O(1), unless some are still to be sorted.
    package func stopFollowing() -> PreparedRows<Element>? {
        node.prepareToRead()
        return (node as? SetSortedNode<Element>)?.stopFollowing()
    }
}

extension ObservableSetType where Element: Comparable {
    /// The elements in ascending order.
    ///
    /// - Complexity: as for ``sorted(by:)-((Self.Element,Self.Element)->Bool)``.
    @inlinable
    public func sorted() -> ObservableArray<Element> {
        sorted(by: <)
    }
}

extension ObservableSet {
    @usableFromInline
    func sorted(
        by comparator: Observable<(Element, Element) -> Bool>,
        with operations: RowOperations<Element>, _ setOperations: SetOperations<Element>,
        _ lazyOperations: LazyOrderOperations<Element>
    ) -> ObservableArray<Element> {
        ObservableArray(
            SetSortedNode(
                node, by: comparator.node, operations: operations,
                setOperations: setOperations, lazyOperations: lazyOperations))
    }
}

extension ObservableArrayType where Element: Equatable {
    /// The elements in the order of `areInIncreasingOrder`.
    ///
    /// Elements that tie all keep their rows, in an unspecified order. The function must be a strict
    /// weak order, which `<` of floating-point numbers is only without NaN, and give the same result for
    /// two elements at any time. Otherwise no row is lost here, but the order is unspecified, and the
    /// changes or the rows of filters downstream may be inconsistent. Elements that are objects may be
    /// mutated in place: each keeps its position until it is inserted again or the comparator is
    /// replaced.
    ///
    /// - Complexity: O(log *n* + *t*) for each changed element, where *t* is the number of elements it
    ///   ties with.
    @inlinable
    public func sorted(
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool
    ) -> ObservableArray<Element> {
        sorted(by: Observable.constant(areInIncreasingOrder))
    }

    /// The elements in the order of the current comparator.
    ///
    /// - Complexity: that of sorting a set by an observable comparator.
    @inlinable
    public func sorted(
        by areInIncreasingOrder: Observable<(Element, Element) -> Bool>
    ) -> ObservableArray<Element> {
        observableArray.sorted(
            by: areInIncreasingOrder, with: RowOperations(), LazyOrderOperations())
    }

    /// The elements in the order of the variable's comparator.
    ///
    /// - Complexity: as with an observable comparator.
    @inlinable
    public func sorted(
        by areInIncreasingOrder: Variable<(Element, Element) -> Bool>
    ) -> ObservableArray<Element> {
        sorted(by: areInIncreasingOrder.observable)
    }
}

extension ObservableArrayType where Element: Comparable {
    /// The elements in ascending order.
    ///
    /// - Complexity: as for ``sorted(by:)-((Self.Element,Self.Element)->Bool)``.
    @inlinable
    public func sorted() -> ObservableArray<Element> {
        sorted(by: <)
    }
}

extension ObservableArray where Element: Equatable {
    @usableFromInline
    func sorted(
        by comparator: Observable<(Element, Element) -> Bool>,
        with operations: RowOperations<Element>,
        _ lazyOperations: LazyOrderOperations<Element>
    ) -> ObservableArray<Element> {
        ObservableArray(
            ArraySortedNode(
                node, by: comparator.node, operations: operations,
                lazyOperations: lazyOperations))
    }
}
