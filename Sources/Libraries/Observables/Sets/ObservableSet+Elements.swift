extension ObservableSetType {
    /// Whether there are no elements, as an observable.
    ///
    /// - Complexity: O(1) for any change of the set.
    public var observableIsEmpty: Observable<Bool> {
        let node = observableSet.node
        return Observable(ComputedNode([node]) { node.count == 0 })
    }

    /// Whether `element` is in the set, as an observable.
    ///
    /// - Complexity: O(1) for each changed element, however many elements are observed; only the
    ///   observables of changed elements are recomputed.
    public func observableContains(_ element: Element) -> Observable<Bool> {
        Observable(KeyedNode(observableSet.node.keyHub, key: element))
    }

    /// Whether the current value of `element` is in the set.
    ///
    /// - Complexity: O(1) for any change of the set or the element.
    public func observableContains(_ element: some ObservableScalarType<Element>) -> Observable<
        Bool
    > {
        let node = observableSet.node
        let element = element.observable.node
        return Observable(ComputedNode([node, element]) { node.contains(element.read()) })
    }
}
