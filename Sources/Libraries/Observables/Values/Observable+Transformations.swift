extension ObservableScalarType {
    /// The result of `transform`, which must depend on its argument only.
    ///
    /// While observed, `transform` is called once for each change; a result equal to the previous one is
    /// not emitted.
    ///
    /// - Complexity: one call of `transform` for each change.
    public func map<Result>(_ transform: @escaping (Value) -> Result) -> Observable<Result> {
        let node = observable.node
        return Observable(ComputedNode([node]) { transform(node.read()) })
    }

    /// The result of `transform` on this value and another, computed once even when both change
    /// in one transaction.
    ///
    /// - Complexity: one call of `transform` for a transaction that changes either value.
    public func combined<Other: ObservableScalarType, Result>(
        _ other: Other, by transform: @escaping (Value, Other.Value) -> Result
    ) -> Observable<Result> {
        let left = observable.node
        let right = other.observable.node
        return Observable(
            ComputedNode([left, right]) { transform(left.read(), right.read()) })
    }

    /// The same value, which changes only when it is not `areEqual` to the last emitted one.
    ///
    /// Values of an `Equatable` type are always compared by `==`, without this operator.
    ///
    /// - Complexity: one call of `areEqual` for each change.
    public func distinct(
        by areEqual: @escaping (Value, Value) -> Bool
    ) -> Observable<Value> {
        let node = observable.node
        return Observable(ComputedNode([node], areEqual: areEqual) { node.read() })
    }
}
