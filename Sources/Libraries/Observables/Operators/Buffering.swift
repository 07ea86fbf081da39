extension ObservableScalarType {
    /// The same value, kept while anything is connected to this observable: to read it then calls
    /// no transform it is computed by.
    ///
    /// - Complexity: O(1) for each change.
    public func buffered() -> Observable<Value> {
        let node = observable.node
        return Observable(ComputedNode([node]) { node.read() })
    }
}

extension ObservableArrayType {
    /// The same elements, of which a copy is kept while anything is connected to this array: to read
    /// them then calls no transform they are computed by.
    ///
    /// - Complexity: O(log *n*) for each changed element; O(*n*) memory.
    public func buffered() -> ObservableArray<Element> {
        ObservableArray(ArrayBufferNode(observableArray.node))
    }
}

extension ObservableSetType {
    /// The same elements, of which a copy is kept while anything is connected to this set: to read
    /// them then calls no transform or predicate they are computed by.
    ///
    /// - Complexity: O(1) for each changed element; O(*n*) memory.
    public func buffered() -> ObservableSet<Element> {
        ObservableSet(SetBufferNode(observableSet.node))
    }
}

extension ObservableDictionaryType {
    /// The same entries, of which a copy is kept while anything is connected to this dictionary: to
    /// read them then calls no transform or predicate they are computed by.
    ///
    /// - Complexity: O(1) for each changed key; O(*n*) memory.
    public func buffered() -> ObservableDictionary<Key, Value> {
        ObservableDictionary(DictionaryBufferNode(observableDictionary.node))
    }
}
