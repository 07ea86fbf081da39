// The keys and the entries of a dictionary as sets. Neither node keeps state; both query the dictionary.

/// The keys of a dictionary.
final class DictionaryKeysNode<Key: Hashable, Content>:
    SetInputNode<DictionaryNode<Key, Content>, Key>
{
    override var elements: Set<Key> { Set(input.node.entries.keys) }

    override var count: Int { input.node.count }

    override func contains(_ element: Key) -> Bool {
        input.node.content(forKey: element) != nil
    }

    override func recompute() {
        guard let change = input.takeChange() else { return }
        var result = SetChange<Key>()
        for (key, edit) in change.edits {
            switch edit {
            case .insert: result.insert(key)
            case .remove: result.remove(key)
            case .replace: break
            }
        }
        if !result.isEmpty { emit(result) }
    }
}

/// The keys of a dictionary with their values.
final class DictionaryEntriesNode<Key: Hashable, Content: Hashable>:
    SetInputNode<DictionaryNode<Key, Content>, DictionaryEntry<Key, Content>>
{
    override var elements: Set<DictionaryEntry<Key, Content>> {
        Set(input.node.entries.map { DictionaryEntry(key: $0.key, value: $0.value) })
    }

    override var count: Int { input.node.count }

    override func contains(_ element: DictionaryEntry<Key, Content>) -> Bool {
        input.node.content(forKey: element.key) == element.value
    }

    override func recompute() {
        guard let change = input.takeChange() else { return }
        var result = SetChange<DictionaryEntry<Key, Content>>()
        for (key, edit) in change.edits {
            if let old = edit.old { result.remove(DictionaryEntry(key: key, value: old)) }
            if let new = edit.new { result.insert(DictionaryEntry(key: key, value: new)) }
        }
        if !result.isEmpty { emit(result) }
    }
}
