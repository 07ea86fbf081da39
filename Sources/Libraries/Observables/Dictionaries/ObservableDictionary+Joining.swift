// Joins of two dictionaries with the same key type. A change of a key on either side, or on both in one
// transaction, affects that key alone. The functions must depend on their arguments only: they are also
// called for old values.

extension ObservableDictionaryType {
    /// For each key that is in both dictionaries, the result of `combine` for the two values.
    ///
    /// - Complexity: at most two calls of `combine` for each changed key.
    public func join<Other: ObservableDictionaryType, Result>(
        _ other: Other, by combine: @escaping (Key, Value, Other.Value) -> Result
    ) -> ObservableDictionary<Key, Result> where Other.Key == Key {
        joined(other) { key, left, right in
            guard let left, let right else { return nil }
            return combine(key, left, right)
        }
    }

    /// For each key of this dictionary, the result of `combine` for its value and the one in `other`, if
    /// any.
    ///
    /// - Complexity: at most two calls of `combine` for each changed key.
    public func leftJoin<Other: ObservableDictionaryType, Result>(
        _ other: Other, by combine: @escaping (Key, Value, Other.Value?) -> Result
    ) -> ObservableDictionary<Key, Result> where Other.Key == Key {
        joined(other) { key, left, right in left.map { combine(key, $0, right) } }
    }

    /// For each key that is in either dictionary, the result of `combine` for its values, at least one
    /// of which is not `nil`.
    ///
    /// - Complexity: at most two calls of `combine` for each changed key.
    public func fullJoin<Other: ObservableDictionaryType, Result>(
        _ other: Other, by combine: @escaping (Key, Value?, Other.Value?) -> Result
    ) -> ObservableDictionary<Key, Result> where Other.Key == Key {
        joined(other, by: combine)
    }

    /// The entries of both dictionaries. For a key in both, the value is the result of `combine` for the
    /// value here and the one in `other`.
    ///
    /// - Complexity: at most two calls of `combine` for each changed key.
    public func merging<Other: ObservableDictionaryType>(
        _ other: Other, uniquingKeysWith combine: @escaping (Value, Value) -> Value
    ) -> ObservableDictionary<Key, Value> where Other.Key == Key, Other.Value == Value {
        joined(other) { _, left, right in
            if let left, let right { return combine(left, right) }
            return left ?? right
        }
    }

    private func joined<Other: ObservableDictionaryType, Result>(
        _ other: Other, by combine: @escaping (Key, Value?, Other.Value?) -> Result?
    ) -> ObservableDictionary<Key, Result> where Other.Key == Key {
        ObservableDictionary<Key, Result>(
            DictionaryJoinNode(
                observableDictionary.node, other.observableDictionary.node, by: combine))
    }
}
