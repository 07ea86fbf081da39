extension ObservableSetType {
    /// The elements, grouped by the result of `key`.
    ///
    /// A group arrives with the first element of its key and leaves with the last. It is an independent
    /// set: it stays observable after it has left the dictionary; it is empty then, and fills again when
    /// an element of its key arrives. The dictionary's values are these sets, not their elements, so it
    /// changes only when keys arrive or leave.
    ///
    /// `key` must depend on its argument only. To group the elements of an array, use its
    /// `distinctUnion()`.
    ///
    /// - Complexity: O(1) for each changed element; only the groups of changed elements are updated.
    public func grouped<Key: Hashable>(
        by key: @escaping (Element) -> Key
    ) -> ObservableDictionary<Key, ObservableSet<Element>> {
        let hub = GroupingHub(observableSet.node, by: key)
        return ObservableDictionary(GroupDictionaryNode(hub))
    }

    /// The elements, grouped by the value of the observable that `key` returns for each. When it
    /// changes, the element moves from one group to the other.
    ///
    /// - Complexity: O(1) for each changed element and each changed key; only the groups of these
    ///   elements are updated.
    public func grouped<Field: ObservableScalarType>(
        by key: @escaping (Element) -> Field
    ) -> ObservableDictionary<Field.Value, ObservableSet<Element>> where Field.Value: Hashable {
        paired(with: key).grouped { $0.key }.mapValues { $0.map(\.value) }
    }

    /// Each element, paired with the value of its observable key.
    func paired<Field: ObservableScalarType>(
        with key: @escaping (Element) -> Field
    ) -> ObservableSet<DictionaryEntry<Field.Value, Element>> where Field.Value: Hashable {
        selectEach { element in key(element).map { DictionaryEntry(key: $0, value: element) } }
    }
}
