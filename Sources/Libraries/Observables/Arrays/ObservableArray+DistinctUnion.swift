extension ObservableArrayType where Element: Hashable {
    /// The different elements. One stays as long as it is anywhere in the array.
    ///
    /// An element that leaves and arrives in one change is told to nobody. The elements of several
    /// arrays are had from their concatenation: `(a + b).distinctUnion()`.
    ///
    /// - Complexity: O(1) for each changed element.
    public func distinctUnion() -> ObservableSet<Element> {
        ObservableSet(DistinctNode(observableArray.node))
    }
}
