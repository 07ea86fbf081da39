// Operators on an observable in each element. A change of one such observable costs a search for its
// element's row, whatever the number of elements. The function that returns an element's observable is
// called once for each element that arrives while the result is observed.
//
// Elements may occur several times, and several may share an observable. If an element's observable is
// computed from the operator's own result, `ObservableScheduler.onCascade` receives a report, and the
// element has no result until it is inserted again.

extension ObservableArrayType {
    /// The elements whose observable, returned by `test`, is true, in their order.
    ///
    /// - Complexity: O(log *n*) for each changed element and each change of an element's observable.
    public func filter<Field: ObservableScalarType>(
        _ test: @escaping (Element) -> Field
    ) -> ObservableArray<Element> where Field.Value == Bool {
        ObservableArray(
            ArrayFilterEachNode(observableArray.node) { test($0).observable.node })
    }

    /// The value of the observable that `key` returns for each element, in the elements' order.
    ///
    /// - Complexity: O(log *n*) for each changed element and each change of an element's observable.
    public func selectEach<Field: ObservableScalarType>(
        _ key: @escaping (Element) -> Field
    ) -> ObservableArray<Field.Value> {
        ObservableArray<Field.Value>(
            ArraySelectNode(observableArray.node) { key($0).observable.node })
    }

    /// The elements of the observable arrays that `key` returns for each element, concatenated.
    ///
    /// - Complexity: O(log *n*) for each change of an element's array, plus the size of the change;
    ///   O(log *n* + *k*) for an element that arrives or leaves with an array of *k*.
    public func selectEach<Field: ObservableArrayType>(
        _ key: @escaping (Element) -> Field
    ) -> ObservableArray<Field.Element> {
        ObservableArray<Field.Element>(
            ArrayFlattenNode(observableArray.node) { key($0).observableArray.node })
    }
}

extension ObservableSetType {
    /// The elements whose observable, returned by `test`, is true.
    ///
    /// - Complexity: O(1) for each changed element and each change of an element's observable.
    public func filter<Field: ObservableScalarType>(
        _ test: @escaping (Element) -> Field
    ) -> ObservableSet<Element> where Field.Value == Bool {
        ObservableSet(SetFilterEachNode(observableSet.node) { test($0).observable.node })
    }

    /// The values of the observables that `key` returns for the elements. A value stays as long as any
    /// element has it.
    ///
    /// - Complexity: O(1) for each changed element and each change of an element's observable.
    public func selectEach<Field: ObservableScalarType>(
        _ key: @escaping (Element) -> Field
    ) -> ObservableSet<Field.Value> where Field.Value: Hashable {
        ObservableSet<Field.Value>(
            SetSelectNode(observableSet.node) { key($0).observable.node })
    }

    /// The union of the observable sets that `key` returns for the elements. An element of several of
    /// them stays until it has left the last.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements in an element's set, and for an element that
    ///   arrives or leaves with a set of *k*.
    public func selectEach<Field: ObservableSetType>(
        _ key: @escaping (Element) -> Field
    ) -> ObservableSet<Field.Element> {
        ObservableSet<Field.Element>(
            SetUnionNode(observableSet.node) { key($0).observableSet.node })
    }
}
