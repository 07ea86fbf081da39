extension ObservableDictionaryType {
    /// How many keys there are, as an observable.
    ///
    /// - Complexity: O(1) for any change of the dictionary.
    public var observableCount: Observable<Int> {
        let node = observableDictionary.node
        return Observable(ComputedNode([node]) { node.count })
    }

    /// Whether there are no keys, as an observable.
    ///
    /// - Complexity: O(1) for any change of the dictionary.
    public var observableIsEmpty: Observable<Bool> {
        let node = observableDictionary.node
        return Observable(ComputedNode([node]) { node.count == 0 })
    }

    /// The keys.
    ///
    /// - Complexity: O(1) for each changed key.
    public var keys: ObservableSet<Key> {
        ObservableSet(DictionaryKeysNode(observableDictionary.node))
    }

    /// The value of `key`, `nil` while there is no such key. Changes of other keys are no changes of
    /// it, whatever the type of the value.
    ///
    /// - Complexity: O(1) for each change of a key, whatever the number of keys that are observed; only
    ///   those of the changed keys are told.
    public func observable(forKey key: Key) -> Observable<Value?> {
        Observable(KeyedNode(observableDictionary.node.keyHub, key: key))
    }

    /// The same keys, with the results of `transform` for their values.
    ///
    /// `transform` must depend on its argument only: nothing is kept, and it is called again for
    /// whatever is read.
    ///
    /// - Complexity: O(1) for each changed key.
    public func mapValues<Result>(
        _ transform: @escaping (Value) -> Result
    ) -> ObservableDictionary<Key, Result> {
        ObservableDictionary<Key, Result>(
            DictionaryMapNode(observableDictionary.node, transform: transform))
    }

    /// The entries for which `predicate` holds.
    ///
    /// - Complexity: one call of `predicate` for each key that comes or holds another value.
    public func filter(
        _ predicate: @escaping (Key, Value) -> Bool
    ) -> ObservableDictionary<Key, Value> {
        filter(where: Observable.constant(predicate))
    }

    /// The entries for which the current predicate holds.
    ///
    /// - Complexity: one call of the predicate for each key that comes or holds another value; *n* calls
    ///   when the predicate changes.
    public func filter(
        where predicate: Observable<(Key, Value) -> Bool>
    ) -> ObservableDictionary<Key, Value> {
        ObservableDictionary(
            DictionaryFilterNode(observableDictionary.node, where: predicate.node))
    }

    /// The entries for which the variable's predicate holds.
    ///
    /// - Complexity: as with an observable predicate.
    public func filter(
        where predicate: Variable<(Key, Value) -> Bool>
    ) -> ObservableDictionary<Key, Value> {
        filter(where: predicate.observable)
    }

    /// The result of adding all entries to `initial`, kept by adding and removing those that change.
    ///
    /// The order in which entries are added and removed is not specified: `remove` must undo `add`
    /// whatever was added between. A change holds the result before and after, so the result should
    /// be small, or share what it is made of.
    ///
    /// - Complexity: O(1) for each changed key.
    public func reduce<Result>(
        _ initial: Result, add: @escaping (Result, Key, Value) -> Result,
        remove: @escaping (Result, Key, Value) -> Result
    ) -> Observable<Result> {
        let node = observableDictionary.node
        return Observable(
            FoldNode(
                node,
                compute: { node.entries.reduce(initial) { add($0, $1.key, $1.value) } },
                update: { result, change in
                    for (key, edit) in change.edits {
                        if let old = edit.old { result = remove(result, key, old) }
                        if let new = edit.new { result = add(result, key, new) }
                    }
                }))
    }
}

extension ObservableDictionaryType where Value: Hashable {
    /// The keys with their values, as a set.
    ///
    /// - Complexity: O(1) for each changed key.
    public var entries: ObservableSet<DictionaryEntry<Key, Value>> {
        ObservableSet(DictionaryEntriesNode(observableDictionary.node))
    }

    /// The keys with their values in the order of `areInIncreasingOrder`.
    ///
    /// Where values are not `Hashable`, sort the `keys` instead.
    ///
    /// - Complexity: that of sorting a set, for each changed key.
    @inlinable
    public func sorted(
        by areInIncreasingOrder:
            @escaping (DictionaryEntry<Key, Value>, DictionaryEntry<Key, Value>) -> Bool
    ) -> ObservableArray<DictionaryEntry<Key, Value>> {
        entries.sorted(by: areInIncreasingOrder)
    }

    /// The keys with their values in the order of the current comparator.
    ///
    /// - Complexity: that of sorting a set, for each changed key and for another comparator.
    @inlinable
    public func sorted(
        by areInIncreasingOrder:
            Observable<
                (DictionaryEntry<Key, Value>, DictionaryEntry<Key, Value>) -> Bool
            >
    ) -> ObservableArray<DictionaryEntry<Key, Value>> {
        entries.sorted(by: areInIncreasingOrder)
    }
}
