// Switches between observables. The outer observable chooses the inner one; the result is of the inner
// one's kind. A switch emits one change, from the content observers know to that of the new inner
// observable; later changes of the old one are ignored.
//
// An inner observable that is computed from the switch's own result is refused and reported through
// `ObservableScheduler.onCascade`: the switch keeps following the previous one until the outer
// observable changes again. Switches that only exchange their inputs within a transaction are no cycle.
// The very first choice has no predecessor: an array or set is then empty, a scalar traps.

extension ObservableScalarType where Value: ObservableScalarType {
    /// The value of the current inner observable.
    ///
    /// - Complexity: O(1) for each change; switching to an unused inner observable costs as much as
    ///   connecting to it.
    public func unpacked() -> Observable<Value.Value> {
        flatMap { $0 }
    }
}

extension ObservableScalarType where Value: ObservableArrayType {
    /// The elements of the current inner array.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements; O(*n* + *m*) for a switch from *n* elements to
    ///   *m*, which emits one replacement, without the equal elements at both ends if they are
    ///   `Equatable`.
    public func unpacked() -> ObservableArray<Value.Element> {
        flatMap { $0 }
    }
}

extension ObservableScalarType where Value: ObservableSetType {
    /// The elements of the current inner set.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements; O(*n* + *m*) for a switch from *n* elements to
    ///   *m*, which emits the difference.
    public func unpacked() -> ObservableSet<Value.Element> {
        flatMap { $0 }
    }
}

extension ObservableScalarType {
    /// The value of the observable that `transform` returns for the current value.
    ///
    /// `transform` is called when the value has changed; if it returns the same observable again,
    /// nothing changes.
    ///
    /// - Complexity: that of ``unpacked()->Observable<Self.Value.Value>``.
    public func flatMap<Inner: ObservableScalarType>(
        _ transform: @escaping (Value) -> Inner
    ) -> Observable<Inner.Value> {
        Observable(ScalarSwitchNode(observable.node) { transform($0).observable.node })
    }

    /// The elements of the observable array that `transform` returns for the current value.
    ///
    /// `transform` is called when the value has changed; if it returns the same observable again,
    /// nothing changes.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements; O(*n* + *m*) for a switch from *n*
    ///   elements to *m*.
    public func flatMap<Inner: ObservableArrayType>(
        _ transform: @escaping (Value) -> Inner
    ) -> ObservableArray<Inner.Element> {
        ObservableArray(
            ArraySwitchNode(observable.node) { transform($0).observableArray.node })
    }

    /// The elements of the observable set that `transform` returns for the current value.
    ///
    /// `transform` is called when the value has changed; if it returns the same observable again,
    /// nothing changes.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements; O(*n* + *m*) for a switch from *n*
    ///   elements to *m*.
    public func flatMap<Inner: ObservableSetType>(
        _ transform: @escaping (Value) -> Inner
    ) -> ObservableSet<Inner.Element> {
        ObservableSet(SetSwitchNode(observable.node) { transform($0).observableSet.node })
    }
}
