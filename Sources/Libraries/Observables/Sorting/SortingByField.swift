// Sorting by an observable key in each element. A row moves when its key changes; a transaction that
// changes a key and the set of elements gives one change.

extension ObservableSetType {
    /// The elements in the order of the observables that `key` returns for them.
    ///
    /// Elements with equal keys all keep their rows, in an unspecified order. `key` is called once for
    /// each element that arrives while the result is observed.
    ///
    /// - Complexity: O(log *n*) for each changed element and each changed key. A change of more than a
    ///   quarter of all rows sorts anew, in O(*n* log *n*), and emits one replacement.
    public func sorted<Field: ObservableScalarType>(
        using key: @escaping (Element) -> Field,
        by areInIncreasingOrder: @escaping (Field.Value, Field.Value) -> Bool
    ) -> ObservableArray<Element> {
        sorted(using: key, by: Observable.constant(areInIncreasingOrder))
    }

    /// The elements in the order of the observables that `key` returns for them, by the current
    /// comparator.
    ///
    /// - Complexity: that of sorting with a fixed comparator; O(*n* log *n*) when the comparator
    ///   changes, which emits one replacement of the rows from the first that differs to the last.
    public func sorted<Field: ObservableScalarType>(
        using key: @escaping (Element) -> Field,
        by areInIncreasingOrder: Observable<(Field.Value, Field.Value) -> Bool>
    ) -> ObservableArray<Element> {
        ObservableArray(
            SetFieldSortedNode(
                observableSet.node, key: { key($0).observable.node },
                by: areInIncreasingOrder.node))
    }

    /// The elements in the ascending order of the observables that `key` returns for them.
    ///
    /// - Complexity: O(log *n*) for each changed element and each changed key.
    public func sorted<Field: ObservableScalarType>(
        using key: @escaping (Element) -> Field
    ) -> ObservableArray<Element> where Field.Value: Comparable {
        sorted(using: key, by: Observable.constant { $0 < $1 })
    }
}

extension ObservableArrayType {
    /// The elements in the order of the observables that `key` returns for them.
    ///
    /// Elements with equal keys all keep their rows, in an unspecified order. Elements need not be
    /// `Equatable` and may occur several times. `key` is called once for each element that arrives while
    /// the result is observed.
    ///
    /// - Complexity: O(log *n*) for each changed element and each changed key. A change of more than a
    ///   quarter of all rows sorts anew, in O(*n* log *n*), and emits one replacement.
    public func sorted<Field: ObservableScalarType>(
        using key: @escaping (Element) -> Field,
        by areInIncreasingOrder: @escaping (Field.Value, Field.Value) -> Bool
    ) -> ObservableArray<Element> {
        sorted(using: key, by: Observable.constant(areInIncreasingOrder))
    }

    /// The elements in the order of the observables that `key` returns for them, by the current
    /// comparator.
    ///
    /// - Complexity: that of sorting with a fixed comparator; O(*n* log *n*) when the comparator
    ///   changes, which emits one replacement of the rows from the first that differs to the last.
    public func sorted<Field: ObservableScalarType>(
        using key: @escaping (Element) -> Field,
        by areInIncreasingOrder: Observable<(Field.Value, Field.Value) -> Bool>
    ) -> ObservableArray<Element> {
        ObservableArray(
            ArrayFieldSortedNode(
                observableArray.node, key: { key($0).observable.node },
                by: areInIncreasingOrder.node))
    }

    /// The elements in the ascending order of the observables that `key` returns for them.
    ///
    /// - Complexity: O(log *n*) for each changed element and each changed key.
    public func sorted<Field: ObservableScalarType>(
        using key: @escaping (Element) -> Field
    ) -> ObservableArray<Element> where Field.Value: Comparable {
        sorted(using: key, by: Observable.constant { $0 < $1 })
    }
}
