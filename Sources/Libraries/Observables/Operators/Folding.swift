// Folds over collections that can be undone element by element. Each step is a function of the current
// result and one element; `remove` undoes `add`, in any order.

extension ObservableArrayType {
    /// The result of adding all elements to `initial`, updated by adding and removing changed elements.
    ///
    /// Elements are added and removed in no particular order: `remove` must undo `add` whatever was
    /// added between. Only added elements are removed. A change holds the result before and after, so
    /// the result should be small, or share its storage.
    ///
    /// - Complexity: O(1) for each changed element.
    public func reduce<Result>(
        _ initial: Result, add: @escaping (Result, Element) -> Result,
        remove: @escaping (Result, Element) -> Result
    ) -> Observable<Result> {
        let node = observableArray.node
        return Observable(
            FoldNode(
                node,
                compute: {
                    var result = initial
                    node.forEachUnorderedBlock { result = $0.reduce(result, add) }
                    return result
                },
                update: { result, change in
                    for modification in change.modifications {
                        result = modification.oldElements.reduce(result, remove)
                        result = modification.newElements.reduce(result, add)
                    }
                }))
    }

    /// The number of elements for which `predicate` holds, as an observable.
    ///
    /// `predicate` must depend on its argument only: it is also called for an element that leaves.
    ///
    /// - Complexity: one call of `predicate` for each element that arrives or leaves.
    public func observableCount(
        where predicate: @escaping (Element) -> Bool
    ) -> Observable<Int> {
        reduce(
            0, add: { predicate($1) ? $0 + 1 : $0 }, remove: { predicate($1) ? $0 - 1 : $0 })
    }
}

extension ObservableArrayType where Element: AdditiveArithmetic {
    /// The sum of all elements.
    ///
    /// Sums of floating-point numbers accumulate rounding errors as elements arrive and leave.
    ///
    /// - Complexity: O(1) for each changed element.
    public func sum() -> Observable<Element> {
        reduce(.zero, add: +, remove: -)
    }
}

extension ObservableArrayType where Element: Comparable {
    /// The least element, or `nil` if there is none.
    ///
    /// - Complexity: that of keeping the elements sorted.
    public var observableMin: Observable<Element?> { sorted().observableFirst }

    /// The greatest element, or `nil` if there is none.
    ///
    /// - Complexity: that of keeping the elements sorted.
    public var observableMax: Observable<Element?> { sorted().observableLast }
}

extension ObservableSetType {
    /// The result of adding all elements to `initial`, updated by adding and removing changed elements.
    ///
    /// Elements are added and removed in no particular order: `remove` must undo `add` whatever was
    /// added between. A change holds the result before and after, so the result should be small, or
    /// share its storage.
    ///
    /// - Complexity: O(1) for each changed element.
    public func reduce<Result>(
        _ initial: Result, add: @escaping (Result, Element) -> Result,
        remove: @escaping (Result, Element) -> Result
    ) -> Observable<Result> {
        let node = observableSet.node
        return Observable(
            FoldNode(
                node, compute: { node.elements.reduce(initial, add) },
                update: { result, change in
                    result = change.removed.reduce(result, remove)
                    result = change.inserted.reduce(result, add)
                }))
    }

    /// The result of a state to which all elements were added, updated by adding and removing changed
    /// elements.
    ///
    /// The state is mutated in place and never copied, so it may be as large as the set: a sorted
    /// collection, for example, whose result is the first element. Elements are added and removed in no
    /// particular order: `remove` must undo `add` whatever was added between. Without a connection there
    /// is no state, and each read builds one.
    ///
    /// - Parameters:
    ///   - initial: The state of an empty set.
    ///   - add: Adds an element to a state.
    ///   - remove: Removes an added element from a state.
    ///   - result: Computes the result from a state; it should be small.
    /// - Returns: The result, as an observable.
    /// - Complexity: one call of `add` or `remove` for each changed element, and one of `result`.
    public func reduce<State, Result>(
        into initial: State, add: @escaping (inout State, Element) -> Void,
        remove: @escaping (inout State, Element) -> Void,
        giving result: @escaping (State) -> Result
    ) -> Observable<Result> {
        let node = observableSet.node
        return Observable(
            StateFoldNode(
                node, build: { node.elements.reduce(into: initial, add) },
                update: { state, change in
                    for element in change.removed { remove(&state, element) }
                    for element in change.inserted { add(&state, element) }
                }, result: result))
    }

    /// The number of elements for which `predicate` holds, as an observable.
    ///
    /// `predicate` must depend on its argument only: it is also called for an element that leaves.
    ///
    /// - Complexity: one call of `predicate` for each element that arrives or leaves.
    public func observableCount(
        where predicate: @escaping (Element) -> Bool
    ) -> Observable<Int> {
        reduce(
            0, add: { predicate($1) ? $0 + 1 : $0 }, remove: { predicate($1) ? $0 - 1 : $0 })
    }
}

extension ObservableSetType where Element: AdditiveArithmetic {
    /// The sum of all elements.
    ///
    /// Sums of floating-point numbers accumulate rounding errors as elements arrive and leave.
    ///
    /// - Complexity: O(1) for each changed element.
    public func sum() -> Observable<Element> {
        reduce(.zero, add: +, remove: -)
    }
}

extension ObservableSetType where Element: Comparable {
    /// The least element, or `nil` if there is none.
    ///
    /// - Complexity: that of keeping the elements sorted.
    public var observableMin: Observable<Element?> { sorted().observableFirst }

    /// The greatest element, or `nil` if there is none.
    ///
    /// - Complexity: that of keeping the elements sorted.
    public var observableMax: Observable<Element?> { sorted().observableLast }
}
