/// A node whose value is a dictionary. For use within the graph: all values are as of the last settling.
class DictionaryNode<Key: Hashable, Content>: ChangeNode<DictionaryChange<Key, Content>> {
    var entries: [Key: Content] {
        stop("\(Self.self) does not implement entries.")
    }

    var count: Int { entries.count }

    func content(forKey key: Key) -> Content? { entries[key] }

    private weak var knownHub: DictionaryKeyHub<Key, Content>?

    /// The hub for the observers of single keys of this node.
    final var keyHub: DictionaryKeyHub<Key, Content> {
        if let knownHub { return knownHub }
        let hub = DictionaryKeyHub(self)
        knownHub = hub
        return hub
    }
}

/// A dictionary that never changes.
final class ConstantDictionaryNode<Key: Hashable, Content>: DictionaryNode<Key, Content> {
    private let storage: [Key: Content]

    init(_ entries: [Key: Content]) {
        storage = entries
        super.init(above: [])
    }

    override var entries: [Key: Content] { storage }
}

/// A dictionary that the program writes.
final class DictionaryVariableNode<Key: Hashable, Content>: DictionaryNode<Key, Content> {
    private var storage: [Key: Content]
    private let areEqual = equality(of: Content.self)
    private var pending: DictionaryChange<Key, Content>?

    init(_ entries: [Key: Content]) {
        storage = entries
        super.init(above: [])
    }

    override var entries: [Key: Content] { storage }

    override func content(forKey key: Key) -> Content? { storage[key] }

    /// Sets the value of a key, or removes the key if the value is `nil`.
    func assign(_ new: Content?, forKey key: Key) {
        let old: Content?
        if let new {
            old = storage.updateValue(new, forKey: key)
        } else {
            old = storage.removeValue(forKey: key)
        }
        guard isActive, let edit = DictionaryEdit(from: old, to: new) else { return }
        if pending == nil {
            pending = DictionaryChange()
            scheduler.enqueue(self)
        }
        pending?.add(edit, forKey: key, by: areEqual)
    }

    override func recompute() {
        guard let change = pending.take() else { return }
        if !change.isEmpty { emit(change) }
    }

    override func deactivate() {
        pending = nil
    }
}
