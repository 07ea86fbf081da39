extension ObservableArrayType where Element: Hashable {
    /// The distinct elements. An element stays as long as it occurs anywhere in the array.
    ///
    /// An element that leaves and arrives in one change emits nothing. To join several arrays,
    /// concatenate them: `(a + b).distinctUnion()`.
    ///
    /// - Complexity: O(1) for each changed element.
    public func distinctUnion() -> ObservableSet<Element> {
        ObservableSet(DistinctNode(observableArray.node))
    }
}
