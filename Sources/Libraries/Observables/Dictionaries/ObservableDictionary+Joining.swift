// Two dictionaries with keys of one type as one. A change of a key on either side, or on both in one
// transaction, concerns that key alone. The functions must depend on their arguments only: they are called
// for what was there before as well.

extension ObservableDictionaryType {
    /// For each key that is in both dictionaries, what `combine` makes of the two values.
    ///
    /// - Complexity: two calls of `combine` at the most for each changed key.
    public func join<Other: ObservableDictionaryType, Result>(
        _ other: Other, by combine: @escaping (Key, Value, Other.Value) -> Result
    ) -> ObservableDictionary<Key, Result> where Other.Key == Key {
        joined(other) { key, left, right in
            guard let left, let right else { return nil }
            return combine(key, left, right)
        }
    }

    /// For each key of this dictionary, what `combine` makes of its value and the one in `other`, if it is
    /// there too.
    ///
    /// - Complexity: two calls of `combine` at the most for each changed key.
    public func leftJoin<Other: ObservableDictionaryType, Result>(
        _ other: Other, by combine: @escaping (Key, Value, Other.Value?) -> Result
    ) -> ObservableDictionary<Key, Result> where Other.Key == Key {
        joined(other) { key, left, right in left.map { combine(key, $0, right) } }
    }

    /// For each key that is in either dictionary, what `combine` makes of the values, of which at least one
    /// is there.
    ///
    /// - Complexity: two calls of `combine` at the most for each changed key.
    public func fullJoin<Other: ObservableDictionaryType, Result>(
        _ other: Other, by combine: @escaping (Key, Value?, Other.Value?) -> Result
    ) -> ObservableDictionary<Key, Result> where Other.Key == Key {
        joined(other, by: combine)
    }

    /// The entries of both dictionaries. Where a key is in both, `combine` makes one value of the one here
    /// and the one in `other`.
    ///
    /// - Complexity: two calls of `combine` at the most for each changed key.
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
