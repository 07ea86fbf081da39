extension ObservableSetType {
    /// How many elements there are, as an observable.
    ///
    /// - Complexity: O(1) for any change of the set.
    public var observableCount: Observable<Int> {
        let node = observableSet.node
        return Observable(ComputedNode([node]) { node.count })
    }

    /// The results of `transform` for all elements. A result stays as long as any element has it.
    ///
    /// `transform` must depend on its argument only.
    ///
    /// - Complexity: O(1) for each changed element.
    public func map<Result: Hashable>(
        _ transform: @escaping (Element) -> Result
    ) -> ObservableSet<Result> {
        ObservableSet<Result>(SetMapNode(observableSet.node, transform: transform))
    }

    /// The elements for which `predicate` holds.
    ///
    /// - Complexity: one call of `predicate` for each element that arrives.
    public func filter(_ predicate: @escaping (Element) -> Bool) -> ObservableSet<Element> {
        filter(where: Observable.constant(predicate))
    }

    /// The elements for which the current predicate holds.
    ///
    /// - Complexity: one call of the predicate for each element that arrives; *n* calls when the
    ///   predicate changes.
    public func filter(
        where predicate: Observable<(Element) -> Bool>
    ) -> ObservableSet<Element> {
        ObservableSet(SetFilterNode(observableSet.node, where: predicate.node))
    }

    /// The elements for which the variable's predicate holds.
    ///
    /// - Complexity: as with an observable predicate.
    public func filter(where predicate: Variable<(Element) -> Bool>) -> ObservableSet<Element> {
        filter(where: predicate.observable)
    }

    /// The elements for which `predicate` holds. The same as
    /// ``filter(_:)-((Self.Element)->Bool)``.
    ///
    /// - Complexity: one call of `predicate` for each element that arrives.
    public func filtered(_ predicate: @escaping (Element) -> Bool) -> ObservableSet<Element> {
        filter(predicate)
    }
}
