// The protocol of observable dictionaries, next to those of scalars, arrays and sets.

/// An observable dictionary.
public protocol ObservableDictionaryType<Key, Value>: ObservableType
where Change == DictionaryChange<Key, Value> {
    /// The type of the keys.
    associatedtype Key: Hashable
    /// The type of the values.
    associatedtype Value

    /// The number of keys.
    var count: Int { get }

    /// The value of a key, or `nil` if there is no such key.
    subscript(key: Key) -> Value? { get }

    /// The same observable, type-erased.
    var observableDictionary: ObservableDictionary<Key, Value> { get }
}

extension ObservableDictionaryType {
    /// All keys with their values.
    public var value: [Key: Value] { observableDictionary.value }

    /// The changes of the dictionary: one for each transaction that changed it.
    public var changes: Source<DictionaryChange<Key, Value>> {
        observableDictionary.node.changes
    }

    /// The number of keys.
    public var count: Int { observableDictionary.count }

    /// Whether there are no keys.
    public var isEmpty: Bool { count == 0 }

    /// The value of a key, or `nil` if there is no such key.
    public subscript(key: Key) -> Value? { observableDictionary[key] }
}
