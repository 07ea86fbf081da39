// Operators that look at an observable in each element. A change of one such observable costs a
// search for its element's row, whatever the number of elements. The function that gives an
// element's observable is called once for each element that arrives while the result is observed.
//
// Elements may occur several times, and several may have the same observable. If an element's
// observable is computed from the operator's own result, that is reported through
// `ObservableScheduler.onCascade`, and the element gives nothing until it is put in anew.

extension ObservableArrayType {
    /// The elements whose observable, given by `test`, is true, in their order.
    ///
    /// - Complexity: O(log *n*) for each changed element and each change of one's observable.
    public func filter<Field: ObservableScalarType>(
        _ test: @escaping (Element) -> Field
    ) -> ObservableArray<Element> where Field.Value == Bool {
        ObservableArray(
            ArrayFilterEachNode(observableArray.node) { test($0).observable.node })
    }

    /// The elements whose observable, given by `test`, is true, in their order. The same as
    /// `filter` with such a function.
    ///
    /// - Complexity: O(log *n*) for each changed element and each change of one's observable.
    public func filtered<Field: ObservableScalarType>(
        test: @escaping (Element) -> Field
    ) -> ObservableArray<Element> where Field.Value == Bool {
        filter(test)
    }

    /// The value of the observable that `key` gives for each element, in the elements' order.
    ///
    /// - Complexity: O(log *n*) for each changed element and each change of one's observable.
    public func selectEach<Field: ObservableScalarType>(
        _ key: @escaping (Element) -> Field
    ) -> ObservableArray<Field.Value> {
        ObservableArray<Field.Value>(
            ArraySelectNode(observableArray.node) { key($0).observable.node })
    }

    /// The elements of the observable arrays that `key` gives for each element, one array after
    /// the other.
    ///
    /// - Complexity: O(log *n*) for each change of one's array, plus its size; O(log *n* + *k*) for
    ///   an element with an array of *k* that comes or goes.
    public func selectEach<Field: ObservableArrayType>(
        _ key: @escaping (Element) -> Field
    ) -> ObservableArray<Field.Element> {
        ObservableArray<Field.Element>(
            ArrayFlattenNode(observableArray.node) { key($0).observableArray.node })
    }
}

extension ObservableSetType {
    /// The elements whose observable, given by `test`, is true.
    ///
    /// - Complexity: O(1) for each changed element and each change of one's observable.
    public func filter<Field: ObservableScalarType>(
        _ test: @escaping (Element) -> Field
    ) -> ObservableSet<Element> where Field.Value == Bool {
        ObservableSet(SetFilterEachNode(observableSet.node) { test($0).observable.node })
    }

    /// The elements whose observable, given by `test`, is true. The same as
    /// `filter` with such a function.
    ///
    /// - Complexity: O(1) for each changed element and each change of one's observable.
    public func filtered<Field: ObservableScalarType>(
        _ test: @escaping (Element) -> Field
    ) -> ObservableSet<Element> where Field.Value == Bool {
        filter(test)
    }

    /// The values of the observables that `key` gives for the elements. A value stays as long as
    /// any element has it.
    ///
    /// - Complexity: O(1) for each changed element and each change of one's observable.
    public func selectEach<Field: ObservableScalarType>(
        _ key: @escaping (Element) -> Field
    ) -> ObservableSet<Field.Value> where Field.Value: Hashable {
        ObservableSet<Field.Value>(
            SetSelectNode(observableSet.node) { key($0).observable.node })
    }

    /// The union of the observable sets that `key` gives for the elements. What is in several of
    /// them stays until it has left the last.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements of one's set, and for an element with a
    ///   set of *k* that comes or goes.
    public func selectEach<Field: ObservableSetType>(
        _ key: @escaping (Element) -> Field
    ) -> ObservableSet<Field.Element> {
        ObservableSet<Field.Element>(
            SetUnionNode(observableSet.node) { key($0).observableSet.node })
    }
}
