extension ObservableSetType {
    /// The elements by what `key` gives for them.
    ///
    /// A group comes with the first element of its key and goes with the last. It is a set in its own
    /// right: whoever holds it may observe it after it has gone from the dictionary, where it is
    /// empty, and sees it fill again when an element of its key comes. As the dictionary's values are
    /// these sets, not their elements, it changes only when keys come and go.
    ///
    /// `key` must depend on its argument only. The elements of an array can be grouped by way of its
    /// `distinctUnion()`.
    ///
    /// - Complexity: O(1) for each changed element; only groups that hold one of these are told.
    public func grouped<Key: Hashable>(
        by key: @escaping (Element) -> Key
    ) -> ObservableDictionary<Key, ObservableSet<Element>> {
        let hub = GroupingHub(observableSet.node, by: key)
        return ObservableDictionary(GroupDictionaryNode(hub))
    }

    /// The elements by the value of the observable that `key` gives for them. When it changes, the element
    /// goes from one group to the other.
    ///
    /// - Complexity: O(1) for each changed element and each changed key; only groups that hold one of these
    ///   are told.
    public func grouped<Field: ObservableScalarType>(
        by key: @escaping (Element) -> Field
    ) -> ObservableDictionary<Field.Value, ObservableSet<Element>> where Field.Value: Hashable {
        paired(with: key).grouped { $0.key }.mapValues { $0.map(\.value) }
    }

    /// Each element with the value of an observable in it.
    func paired<Field: ObservableScalarType>(
        with key: @escaping (Element) -> Field
    ) -> ObservableSet<DictionaryEntry<Field.Value, Element>> where Field.Value: Hashable {
        selectEach { element in key(element).map { DictionaryEntry(key: $0, value: element) } }
    }
}
