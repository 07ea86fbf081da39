// Following one of many observables. The outer observable says which; what comes out is of the inner
// one's kind. A switch tells one change, from the content observers know to that of the new inner
// observable; nothing the old one does after that is heard of.
//
// An inner observable that is computed from the switch's own result is refused and reported through
// `ObservableScheduler.onCascade`: the switch goes on following the one before, until the outer
// observable changes again. Switches that only change places within a transaction are no circle. At
// the very first choice there is none before: an array or set is then empty, a scalar traps.

extension ObservableScalarType where Value: ObservableScalarType {
    /// The value of the observable that is the value now.
    ///
    /// - Complexity: O(1) for each change; taking up an inner observable that nothing else uses
    ///   costs what connecting to it does.
    public func unpacked() -> Observable<Value.Value> {
        flatMap { $0 }
    }
}

extension ObservableScalarType where Value: ObservableArrayType {
    /// The elements of the observable array that is the value now.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements; O(*n* + *m*) for a switch from *n*
    ///   elements to *m*, which is told as one replacement, of what lies between the equal ones at
    ///   both ends if elements are `Equatable`.
    public func unpacked() -> ObservableArray<Value.Element> {
        flatMap { $0 }
    }
}

extension ObservableScalarType where Value: ObservableSetType {
    /// The elements of the observable set that is the value now.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements; O(*n* + *m*) for a switch from *n*
    ///   elements to *m*, which tells the difference.
    public func unpacked() -> ObservableSet<Value.Element> {
        flatMap { $0 }
    }
}

extension ObservableScalarType {
    /// The value of the observable that `transform` gives for the value now.
    ///
    /// `transform` is called when the value has changed; if it gives the same observable again,
    /// nothing has.
    ///
    /// - Complexity: that of ``unpacked()->Observable<Self.Value.Value>``.
    public func flatMap<Inner: ObservableScalarType>(
        _ transform: @escaping (Value) -> Inner
    ) -> Observable<Inner.Value> {
        Observable(ScalarSwitchNode(observable.node) { transform($0).observable.node })
    }

    /// The elements of the observable array that `transform` gives for the value now.
    ///
    /// `transform` is called when the value has changed; if it gives the same observable again,
    /// nothing has.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements; O(*n* + *m*) for a switch from *n*
    ///   elements to *m*.
    public func flatMap<Inner: ObservableArrayType>(
        _ transform: @escaping (Value) -> Inner
    ) -> ObservableArray<Inner.Element> {
        ObservableArray(
            ArraySwitchNode(observable.node) { transform($0).observableArray.node })
    }

    /// The elements of the observable set that `transform` gives for the value now.
    ///
    /// `transform` is called when the value has changed; if it gives the same observable again,
    /// nothing has.
    ///
    /// - Complexity: O(*k*) for a change of *k* elements; O(*n* + *m*) for a switch from *n*
    ///   elements to *m*.
    public func flatMap<Inner: ObservableSetType>(
        _ transform: @escaping (Value) -> Inner
    ) -> ObservableSet<Inner.Element> {
        ObservableSet(SetSwitchNode(observable.node) { transform($0).observableSet.node })
    }
}
