// A dictionary change has at most one edit per key: from the value before the change to the value after
// it. A key that was inserted and removed again has none, and neither has one that got its old value
// back, if values are `Equatable`. So the change is canonical with respect to the dictionary it starts
// from, and it is reversed by reversing each edit.

/// The change of a dictionary: the inserted, removed and replaced keys.
public struct DictionaryChange<Key: Hashable, Content>: ChangeType {
    /// A dictionary.
    public typealias Value = [Key: Content]

    /// The edits of the changed keys.
    public private(set) var edits: [Key: DictionaryEdit<Content>] = [:]

    /// An empty change.
    public init() {}

    /// The change that turns `old` into `new`. A value that is not `Equatable` counts as replaced if its
    /// key is in both.
    ///
    /// - Complexity: O(*n*).
    public init(from old: [Key: Content], to new: [Key: Content]) {
        let areEqual = equality(of: Content.self)
        for (key, value) in old {
            set(key, from: value, to: new[key], by: areEqual)
        }
        for (key, value) in new where old[key] == nil { edits[key] = .insert(value) }
    }

    /// The values of the removed keys.
    ///
    /// - Complexity: O(*k*).
    public var removed: [Key: Content] {
        edits.compactMapValues { if case .remove(let old) = $0 { old } else { nil } }
    }

    /// The values of the inserted keys.
    ///
    /// - Complexity: O(*k*).
    public var inserted: [Key: Content] {
        edits.compactMapValues { if case .insert(let new) = $0 { new } else { nil } }
    }

    /// The values, before and after, of the keys with another value.
    ///
    /// - Complexity: O(*k*).
    public var replaced: [Key: (old: Content, new: Content)] {
        edits.compactMapValues {
            if case .replace(let old, let new) = $0 { (old, new) } else { nil }
        }
    }

    /// Whether no key changes.
    public var isEmpty: Bool { edits.isEmpty }

    /// The difference between the new and the old key count.
    ///
    /// - Complexity: O(*k*).
    public var deltaCount: Int {
        edits.values.reduce(0) { sum, edit in
            switch edit {
            case .insert: sum + 1
            case .remove: sum - 1
            case .replace: sum
            }
        }
    }

    /// Adds an edit that happened after all the others. It must fit their result: a present key can't be
    /// inserted, and a missing one can't be removed or replaced.
    ///
    /// - Complexity: O(1).
    public mutating func add(_ edit: DictionaryEdit<Content>, forKey key: Key) {
        add(edit, forKey: key, by: equality(of: Content.self))
    }

    /// Like ``add(_:forKey:)``, with a comparison of values.
    mutating func add(
        _ edit: DictionaryEdit<Content>, forKey key: Key,
        by areEqual: ((Content, Content) -> Bool)?
    ) {
        guard let earlier = edits[key] else {
            set(key, from: edit.old, to: edit.new, by: areEqual)
            return
        }
        require(
            (earlier.new == nil) == (edit.old == nil),
            """
            An edit of a \(earlier.new == nil ? "missing" : "present") key was made for a \
            \(edit.old == nil ? "missing" : "present") one. Merge changes in the order in which they \
            happened.
            """)
        set(key, from: earlier.old, to: edit.new, by: areEqual)
    }

    private mutating func set(
        _ key: Key, from old: Content?, to new: Content?,
        by areEqual: ((Content, Content) -> Bool)?
    ) {
        if let old, let new, areEqual?(old, new) == true {
            edits[key] = nil
        } else {
            edits[key] = DictionaryEdit(from: old, to: new)
        }
    }

    /// Whether this change can be applied to `value`: removed and replaced keys exist in it, and
    /// inserted keys do not.
    ///
    /// - Complexity: O(*k*).
    public func isApplicable(to value: [Key: Content]) -> Bool {
        edits.allSatisfy { key, edit in (value[key] == nil) == (edit.old == nil) }
    }

    /// Applies the change. A precondition refuses a dictionary that the change was not made for before
    /// anything is modified; ask ``isApplicable(to:)`` if in doubt.
    ///
    /// - Complexity: O(*k*).
    public func apply(on value: inout [Key: Content]) {
        require(
            isApplicable(to: value),
            "A dictionary change was applied to a dictionary it was not made for.")
        for (key, edit) in edits {
            if let new = edit.new {
                value.updateValue(new, forKey: key)
            } else {
                value.removeValue(forKey: key)
            }
        }
    }

    /// A change with the effect of this change followed by `change`.
    ///
    /// - Complexity: O(*k*) for the *k* edits of `change`.
    public func merged(with change: DictionaryChange) -> DictionaryChange {
        if isEmpty { return change }
        let areEqual = equality(of: Content.self)
        var result = self
        for (key, edit) in change.edits { result.add(edit, forKey: key, by: areEqual) }
        return result
    }

    /// The change that undoes this one.
    ///
    /// - Complexity: O(*k*).
    public func reversed() -> DictionaryChange {
        var result = DictionaryChange()
        result.edits = edits.mapValues { $0.reversed() }
        return result
    }

    /// The same change of a dictionary whose values `transform` computes.
    ///
    /// - Complexity: O(*k*).
    public func mapValues<Result>(
        _ transform: (Content) -> Result
    ) -> DictionaryChange<Key, Result> {
        let areEqual = equality(of: Result.self)
        var result = DictionaryChange<Key, Result>()
        for (key, edit) in edits {
            let mapped = edit.map(transform)
            result.set(key, from: mapped.old, to: mapped.new, by: areEqual)
        }
        return result
    }
}

extension DictionaryChange: Equatable where Content: Equatable {}

extension DictionaryChange: Sendable where Key: Sendable, Content: Sendable {}
