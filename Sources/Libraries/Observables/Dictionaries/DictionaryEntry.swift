/// A key of a dictionary with its value.
public struct DictionaryEntry<Key: Hashable, Value> {
    /// The key.
    public let key: Key
    /// The value.
    public let value: Value

    /// A key with its value.
    public init(key: Key, value: Value) {
        self.key = key
        self.value = value
    }
}

extension DictionaryEntry: Equatable where Value: Equatable {}

extension DictionaryEntry: Hashable where Value: Hashable {}

extension DictionaryEntry: Sendable where Key: Sendable, Value: Sendable {}
