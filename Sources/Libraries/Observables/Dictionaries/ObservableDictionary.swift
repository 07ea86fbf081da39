/// A type-erased observable dictionary.
///
/// Without a connection, it keeps no state and computes each value on request.
public struct ObservableDictionary<Key: Hashable, Value>: ObservableDictionaryType {
    let node: DictionaryNode<Key, Value>

    init(_ node: DictionaryNode<Key, Value>) {
        self.node = node
    }

    /// A dictionary that never changes.
    public static func constant(_ entries: [Key: Value]) -> ObservableDictionary {
        ObservableDictionary(ConstantDictionaryNode(entries))
    }

    /// The number of keys.
    public var count: Int {
        node.prepareToRead()
        return node.count
    }

    /// The value of a key, or `nil` if there is no such key.
    public subscript(key: Key) -> Value? {
        node.prepareToRead()
        return node.content(forKey: key)
    }

    /// All keys with their values.
    public var value: [Key: Value] {
        node.prepareToRead()
        return node.entries
    }

    /// Itself.
    public var observableDictionary: ObservableDictionary { self }
}
