// Folds over collections that can be undone element by element. Each step is a function of the
// result so far and one element; what `add` has done, `remove` takes back, in any order.

extension ObservableArrayType {
    /// The result of adding all elements to `initial`, kept by adding and removing those that change.
    ///
    /// The order in which elements are added and removed is not specified: `remove` must undo
    /// `add` whatever was added between. Only elements that were added are removed. A change holds
    /// the result before and after, so the result should be small, or share what it is made of.
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
                    node.forEachBlockAtHand { result = $0.reduce(result, add) }
                    return result
                },
                update: { result, change in
                    for modification in change.modifications {
                        result = modification.oldElements.reduce(result, remove)
                        result = modification.newElements.reduce(result, add)
                    }
                }))
    }

    /// How many elements there are for which `predicate` holds, as an observable.
    ///
    /// `predicate` must depend on its argument only: it is asked about an element that leaves too.
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
    /// Sums of floating-point numbers gather errors of rounding as elements come and go.
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
    /// The result of adding all elements to `initial`, kept by adding and removing those that change.
    ///
    /// The order in which elements are added and removed is not specified: `remove` must undo
    /// `add` whatever was added between. A change holds the result before and after, so the result
    /// should be small, or share what it is made of.
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

    /// What `result` says of a state to which all elements were added, kept by adding and removing those
    /// that change.
    ///
    /// The state is altered in place and never copied, so it may be as large as the set: elements in an
    /// order, for example, of which the result is the first. The order in which elements are added and
    /// removed is not specified: `remove` must undo `add` whatever was added between. While nobody
    /// observes, there is no state, and reading makes one each time.
    ///
    /// - Parameters:
    ///   - initial: The state of an empty set.
    ///   - add: Adds an element to a state.
    ///   - remove: Takes an element that was added out of a state.
    ///   - result: Reads the result off a state; it should be small.
    /// - Returns: the result, as an observable.
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

    /// How many elements there are for which `predicate` holds, as an observable.
    ///
    /// `predicate` must depend on its argument only: it is asked about an element that leaves too.
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
    /// Sums of floating-point numbers gather errors of rounding as elements come and go.
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
