// Combines three or more observables in a single node: one computation per transaction, however many of
// them change.

extension ObservableScalarType {
    /// The result of `transform` on this value and several others, computed once even when all of
    /// them change in one transaction.
    ///
    /// - Complexity: one call of `transform` for a transaction that changes any of the values.
    public func combined<
        Second: ObservableScalarType, Third: ObservableScalarType,
        each Other: ObservableScalarType, Result
    >(
        _ second: Second, _ third: Third, _ other: repeat each Other,
        by transform:
            @escaping (Value, Second.Value, Third.Value, repeat (each Other).Value) -> Result
    ) -> Observable<Result> {
        let first = observable.node
        let second = second.observable.node
        let third = third.observable.node
        let others = (repeat (each other).observable.node)
        var inputs: [Node] = [first, second, third]
        for node in repeat each others { inputs.append(node) }
        return Observable<Result>(
            ComputedNode(inputs) {
                transform(
                    first.read(), second.read(), third.read(), repeat (each others).read())
            })
    }

    /// This value and others as a tuple, which changes at most once per transaction.
    ///
    /// It changes when any of the values differs, or is of a type that is not `Equatable`.
    ///
    /// - Complexity: one comparison of all values for a transaction that changes any of them.
    public func combined<Second: ObservableScalarType, each Other: ObservableScalarType>(
        _ second: Second, _ other: repeat each Other
    ) -> Observable<(Value, Second.Value, repeat (each Other).Value)> {
        typealias Tuple = (Value, Second.Value, repeat (each Other).Value)
        let first = observable.node
        let second = second.observable.node
        let others = (repeat (each other).observable.node)
        var inputs: [Node] = [first, second]
        for node in repeat each others { inputs.append(node) }
        let areEqual = equality(
            ofParts: Value.self, Second.Value.self, repeat (each Other).Value.self)
        return Observable<Tuple>(
            ComputedNode(inputs, areEqual: areEqual) {
                (first.read(), second.read(), repeat (each others).read())
            })
    }
}

/// The equality of tuples by comparing their parts, or `nil` if a part is not `Equatable`. Tuples
/// themselves are not `Equatable`.
private func equality<each Part>(
    ofParts types: repeat (each Part).Type
) -> (((repeat each Part), (repeat each Part)) -> Bool)? {
    let parts = (repeat equality(of: each types))
    for part in repeat each parts {
        if part == nil { return nil }
    }
    return { left, right in
        for (one, other, areEqual) in repeat (each left, each right, each parts) {
            if areEqual?(one, other) != true { return false }
        }
        return true
    }
}
