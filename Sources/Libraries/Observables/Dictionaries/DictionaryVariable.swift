/// A dictionary that the program writes and others observe.
///
/// Outside of a transaction, each method is a transaction of its own. In a sink, writes are queued until
/// all sinks have been called. A value equal to the old one changes nothing.
public final class DictionaryVariable<Key: Hashable, Value>: ObservableDictionaryType,
    ExpressibleByDictionaryLiteral
{
    private let node: DictionaryVariableNode<Key, Value>

    /// A dictionary variable that belongs to the calling actor, task or thread.
    public init(_ entries: [Key: Value] = [:]) {
        node = DictionaryVariableNode(entries)
    }

    /// A dictionary variable that belongs to the calling actor, task or thread, with the given entries,
    /// whose keys must differ.
    public convenience init(dictionaryLiteral entries: (Key, Value)...) {
        self.init(Dictionary(uniqueKeysWithValues: entries))
    }

    /// The dictionary as a read-only observable.
    public var observableDictionary: ObservableDictionary<Key, Value> {
        ObservableDictionary(node)
    }

    /// All keys with their values. Setting it removes, inserts and replaces the difference; values that
    /// are not `Equatable` count as replaced.
    public var value: [Key: Value] {
        get { observableDictionary.value }
        set {
            node.write { [node] in
                let difference = DictionaryChange(from: node.entries, to: newValue)
                for (key, edit) in difference.edits { node.assign(edit.new, forKey: key) }
            }
        }
    }

    /// The value of a key. Setting it to `nil` removes the key.
    ///
    /// - Complexity: O(1).
    public subscript(key: Key) -> Value? {
        get { observableDictionary[key] }
        set {
            node.write { [node] in node.assign(newValue, forKey: key) }
        }
    }

    /// The value of a key, or `fallback` if the key is missing. Setting it inserts or updates the key.
    ///
    /// In a sink, where writes are queued, `+=` and similar operators read the value before the queued
    /// writes.
    ///
    /// - Complexity: O(1).
    public subscript(key: Key, default fallback: @autoclosure () -> Value) -> Value {
        get { self[key] ?? fallback() }
        set { updateValue(newValue, forKey: key) }
    }

    /// Inserts or updates the value of a key.
    ///
    /// - Complexity: O(1).
    public func updateValue(_ value: Value, forKey key: Key) {
        node.write { [node] in node.assign(value, forKey: key) }
    }

    /// Removes a key, if present.
    ///
    /// - Complexity: O(1).
    public func removeValue(forKey key: Key) {
        node.write { [node] in node.assign(nil, forKey: key) }
    }

    /// Removes all keys for which `predicate` holds.
    ///
    /// - Complexity: *n* calls of `predicate`.
    public func removeAll(where predicate: @escaping (Key, Value) -> Bool) {
        node.write { [node] in
            for (key, value) in node.entries where predicate(key, value) {
                node.assign(nil, forKey: key)
            }
        }
    }

    /// Removes all keys.
    ///
    /// - Complexity: O(*n*).
    public func removeAll() {
        value = [:]
    }

    /// Inserts all entries of `other`. For a key that is present, `combine` computes the new value from
    /// the old one and the other one; it is called when the write is performed.
    ///
    /// - Complexity: O(*k*) for *k* entries in `other`.
    public func merge(
        _ other: [Key: Value], uniquingKeysWith combine: @escaping (Value, Value) -> Value
    ) {
        node.write { [node] in
            for (key, new) in other {
                let old = node.content(forKey: key)
                node.assign(old.map { combine($0, new) } ?? new, forKey: key)
            }
        }
    }

    /// Applies all edits of `change` in one transaction, whatever the old values of the keys are.
    ///
    /// - Complexity: O(*k*) for a change of *k* keys.
    public func apply(_ change: DictionaryChange<Key, Value>) {
        node.write { [node] in
            for (key, edit) in change.edits { node.assign(edit.new, forKey: key) }
        }
    }
}
