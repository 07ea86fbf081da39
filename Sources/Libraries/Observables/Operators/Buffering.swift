extension ObservableScalarType {
    /// The same value, cached while anything is connected to this observable: a read then calls no
    /// transform.
    ///
    /// - Complexity: O(1) for each change.
    public func buffered() -> Observable<Value> {
        let node = observable.node
        return Observable(ComputedNode([node]) { node.read() })
    }
}

extension ObservableArrayType {
    /// The same elements, copied while anything is connected to this array: a read then calls no
    /// transform.
    ///
    /// - Complexity: O(log *n*) for each changed element; O(*n*) memory.
    public func buffered() -> ObservableArray<Element> {
        ObservableArray(ArrayBufferNode(observableArray.node))
    }
}

extension ObservableSetType {
    /// The same elements, copied while anything is connected to this set: a read then calls no transform
    /// or predicate.
    ///
    /// - Complexity: O(1) for each changed element; O(*n*) memory.
    public func buffered() -> ObservableSet<Element> {
        ObservableSet(SetBufferNode(observableSet.node))
    }
}

extension ObservableDictionaryType {
    /// The same entries, copied while anything is connected to this dictionary: a read then calls no
    /// transform or predicate.
    ///
    /// - Complexity: O(1) for each changed key; O(*n*) memory.
    public func buffered() -> ObservableDictionary<Key, Value> {
        ObservableDictionary(DictionaryBufferNode(observableDictionary.node))
    }
}
