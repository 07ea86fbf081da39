extension ObservableDictionaryType {
    /// The number of keys, as an observable.
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

    /// The value of `key`, or `nil` while the key is missing. Changes of other keys do not change it,
    /// whatever the type of the value.
    ///
    /// - Complexity: O(1) for each changed key, however many keys are observed; only the observables of
    ///   changed keys are recomputed.
    public func observable(forKey key: Key) -> Observable<Value?> {
        Observable(KeyedNode(observableDictionary.node.keyHub, key: key))
    }

    /// The same keys, with the results of `transform` for their values.
    ///
    /// `transform` must depend on its argument only: no results are kept, and each read calls it again.
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
    /// - Complexity: one call of `predicate` for each key that arrives or gets another value.
    public func filter(
        _ predicate: @escaping (Key, Value) -> Bool
    ) -> ObservableDictionary<Key, Value> {
        filter(where: Observable.constant(predicate))
    }

    /// The entries for which the current predicate holds.
    ///
    /// - Complexity: one call of the predicate for each key that arrives or gets another value; *n*
    ///   calls when the predicate changes.
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

    /// The result of adding all entries to `initial`, updated by adding and removing changed entries.
    ///
    /// Entries are added and removed in no particular order: `remove` must undo `add` whatever was added
    /// between. A change holds the result before and after, so the result should be small, or share its
    /// storage.
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
    /// If values are not `Hashable`, sort the `keys` instead.
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
