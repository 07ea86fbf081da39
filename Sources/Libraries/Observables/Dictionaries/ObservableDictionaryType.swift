// The fourth flavour of what can be observed, beside scalars, arrays and sets.

/// An observable dictionary.
public protocol ObservableDictionaryType<Key, Value>: ObservableType
where Change == DictionaryChange<Key, Value> {
    /// The type of the keys.
    associatedtype Key: Hashable
    /// The type of the values.
    associatedtype Value

    /// How many keys there are.
    var count: Int { get }

    /// The value of a key, or `nil` if there is no such key.
    subscript(key: Key) -> Value? { get }

    /// The same observable, known only by the types of its keys and values.
    var observableDictionary: ObservableDictionary<Key, Value> { get }
}

extension ObservableDictionaryType {
    /// All keys with their values.
    public var value: [Key: Value] { observableDictionary.value }

    /// The changes of the dictionary: one for each transaction that changed it.
    public var changes: Source<DictionaryChange<Key, Value>> {
        observableDictionary.node.changes
    }

    /// How many keys there are.
    public var count: Int { observableDictionary.count }

    /// Whether there are no keys.
    public var isEmpty: Bool { count == 0 }

    /// The value of a key, or `nil` if there is no such key.
    public subscript(key: Key) -> Value? { observableDictionary[key] }
}
