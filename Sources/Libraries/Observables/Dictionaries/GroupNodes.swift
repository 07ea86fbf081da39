// The dependents of a `GroupingHub`: the groups, and the dictionary of them. They keep no state and
// receive their changes from the hub. Several nodes may represent one group.

/// The elements of one key.
final class GroupNode<Key: Hashable, Element: Hashable>: SetNode<Element> {
    let key: Key
    private let hub: GroupingHub<Key, Element>
    private var pending: SetChange<Element>?

    init(_ hub: GroupingHub<Key, Element>, key: Key) {
        self.hub = hub
        self.key = key
        super.init(above: [hub])
    }

    override var elements: Set<Element> { hub.elements(of: key) }

    override func contains(_ element: Element) -> Bool { hub.contains(element, in: key) }

    /// Receives a change from the hub.
    func receive(_ change: SetChange<Element>) {
        pending = change
        scheduler.enqueue(self)
    }

    override func activate() { hub.register(self) }

    override func deactivate() {
        pending = nil
        hub.unregister(self)
    }

    override func recompute() {
        guard let change = pending.take() else { return }
        emit(change)
    }
}

/// The groups that are not empty, by key.
final class GroupDictionaryNode<Key: Hashable, Element: Hashable>:
    DictionaryNode<Key, ObservableSet<Element>>
{
    private let hub: GroupingHub<Key, Element>
    private var pending: SetChange<Key>?

    init(_ hub: GroupingHub<Key, Element>) {
        self.hub = hub
        super.init(above: [hub])
    }

    private func group(_ key: Key) -> ObservableSet<Element> {
        ObservableSet(GroupNode(hub, key: key))
    }

    override var entries: [Key: ObservableSet<Element>] {
        Dictionary(uniqueKeysWithValues: hub.keys.map { ($0, group($0)) })
    }

    override var count: Int { hub.count }

    override func content(forKey key: Key) -> ObservableSet<Element>? {
        hub.hasGroup(key) ? group(key) : nil
    }

    /// Receives the keys that have arrived and left.
    func receive(_ keys: SetChange<Key>) {
        pending = keys
        scheduler.enqueue(self)
    }

    override func activate() { hub.register(self) }

    override func deactivate() {
        pending = nil
        hub.unregister(self)
    }

    override func recompute() {
        guard let keys = pending.take() else { return }
        var change = DictionaryChange<Key, ObservableSet<Element>>()
        for key in keys.removed { change.add(.remove(group(key)), forKey: key, by: nil) }
        for key in keys.inserted { change.add(.insert(group(key)), forKey: key, by: nil) }
        emit(change)
    }
}
