/// A dictionary that the program writes and others observe.
///
/// Outside of a transaction, each of the methods is one. In a sink, what they do is queued until
/// all sinks have been called. A value equal to the old one is told to nobody.
public final class DictionaryVariable<Key: Hashable, Value>: ObservableDictionaryType,
    ExpressibleByDictionaryLiteral
{
    private let node: DictionaryVariableNode<Key, Value>

    /// A dictionary variable that belongs to the calling actor, task or thread.
    public init(_ entries: [Key: Value] = [:]) {
        node = DictionaryVariableNode(entries)
    }

    /// A dictionary variable that belongs to the calling actor, task or thread with the entries given, whose keys must differ.
    public convenience init(dictionaryLiteral entries: (Key, Value)...) {
        self.init(Dictionary(uniqueKeysWithValues: entries))
    }

    /// The dictionary, readable only.
    public var observableDictionary: ObservableDictionary<Key, Value> {
        ObservableDictionary(node)
    }

    /// All keys with their values. Setting it takes out, puts in and replaces the difference; values
    /// that are not `Equatable` count as replaced.
    public var value: [Key: Value] {
        get { observableDictionary.value }
        set {
            let node = node
            node.write {
                let difference = DictionaryChange(from: node.entries, to: newValue)
                for (key, edit) in difference.edits { node.assign(edit.new, forKey: key) }
            }
        }
    }

    /// The value of a key. Setting it to `nil` takes the key out.
    ///
    /// - Complexity: O(1).
    public subscript(key: Key) -> Value? {
        get { observableDictionary[key] }
        set {
            let node = node
            node.write { node.assign(newValue, forKey: key) }
        }
    }

    /// The value of a key, or `fallback` if there is no such key. Setting it gives the key that value.
    ///
    /// In a sink, where writes are queued, `+=` and the like add to the value that is there now.
    ///
    /// - Complexity: O(1).
    public subscript(key: Key, default fallback: @autoclosure () -> Value) -> Value {
        get { self[key] ?? fallback() }
        set { updateValue(newValue, forKey: key) }
    }

    /// Gives a key a value, whether it is there or not.
    ///
    /// - Complexity: O(1).
    public func updateValue(_ value: Value, forKey key: Key) {
        let node = node
        node.write { node.assign(value, forKey: key) }
    }

    /// Takes out a key, if it is there.
    ///
    /// - Complexity: O(1).
    public func removeValue(forKey key: Key) {
        let node = node
        node.write { node.assign(nil, forKey: key) }
    }

    /// Takes out all keys for which `predicate` holds.
    ///
    /// - Complexity: *n* calls of `predicate`.
    public func removeAll(where predicate: @escaping (Key, Value) -> Bool) {
        let node = node
        node.write {
            for (key, value) in node.entries where predicate(key, value) {
                node.assign(nil, forKey: key)
            }
        }
    }

    /// Takes out all keys.
    ///
    /// - Complexity: O(*n*).
    public func removeAll() {
        value = [:]
    }

    /// Puts in all entries of `other`. Where a key is there already, `combine` makes one value of
    /// the one there and the other one; it is called when the write is carried out.
    ///
    /// - Complexity: O(*k*) for *k* entries in `other`.
    public func merge(
        _ other: [Key: Value], uniquingKeysWith combine: @escaping (Value, Value) -> Value
    ) {
        let node = node
        node.write {
            for (key, new) in other {
                let old = node.content(forKey: key)
                node.assign(old.map { combine($0, new) } ?? new, forKey: key)
            }
        }
    }

    /// Carries out all edits of `change`, in one transaction, whatever the keys held before.
    ///
    /// - Complexity: O(*k*) for a change of *k* keys.
    public func apply(_ change: DictionaryChange<Key, Value>) {
        let node = node
        node.write {
            for (key, edit) in change.edits { node.assign(edit.new, forKey: key) }
        }
    }
}
