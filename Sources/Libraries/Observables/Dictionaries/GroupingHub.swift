// The elements of a set, grouped by key. One hub receives the changes of the set and keeps the elements
// of each key. Its dependents are the dictionary of groups and each group in use. The hub queues only
// the affected ones for recomputation: the groups of changed keys, and the dictionary when keys arrive
// or leave. So a change recomputes few nodes, however many groups are observed.
//
// A group is a view of the hub for one key, and keeps the hub alive. It is empty while no element has
// its key, and fills again when one does.

/// The elements of a set, kept by key while a dependent is in use.
final class GroupingHub<Key: Hashable, Element: Hashable>: Node {
    private struct Touch {
        let wasThere: Bool
        var change = SetChange<Element>()
    }

    /// A group that is in use.
    private struct Listener {
        unowned let group: GroupNode<Key, Element>
    }

    private var input: InputEdge<SetNode<Element>>
    private let key: (Element) -> Key
    private var members: [Key: Set<Element>] = [:]
    private var listeners: [Key: [Listener]] = [:]
    /// The dictionary of groups, while it is in use.
    private weak var dictionary: GroupDictionaryNode<Key, Element>?

    init(_ input: SetNode<Element>, by key: @escaping (Element) -> Key) {
        self.input = InputEdge(input)
        self.key = key
        super.init(above: [input])
    }

    // MARK: - Reading

    private func computedMembers() -> [Key: Set<Element>] {
        var result: [Key: Set<Element>] = [:]
        for element in input.node.elements { result[key(element), default: []].insert(element) }
        return result
    }

    var keys: [Key] { Array((isActive ? members : computedMembers()).keys) }

    var count: Int { isActive ? members.count : Set(input.node.elements.map(key)).count }

    func hasGroup(_ key: Key) -> Bool {
        isActive
            ? members[key] != nil : input.node.elements.contains { self.key($0) == key }
    }

    func elements(of key: Key) -> Set<Element> {
        isActive ? members[key] ?? [] : input.node.elements.filter { self.key($0) == key }
    }

    func contains(_ element: Element, in key: Key) -> Bool {
        isActive
            ? members[key]?.contains(element) ?? false
            : self.key(element) == key && input.node.contains(element)
    }

    // MARK: - Dependents

    func register(_ group: GroupNode<Key, Element>) {
        attach(group)
        listeners[group.key, default: []].append(Listener(group: group))
    }

    func unregister(_ group: GroupNode<Key, Element>) {
        listeners[group.key]?.removeAll { $0.group === group }
        if listeners[group.key]?.isEmpty ?? false { listeners[group.key] = nil }
        detach(group)
    }

    func register(_ node: GroupDictionaryNode<Key, Element>) {
        attach(node)
        dictionary = node
    }

    func unregister(_ node: GroupDictionaryNode<Key, Element>) {
        dictionary = nil
        detach(node)
    }

    // MARK: - Changing

    override func activate() {
        input.attach(self)
        members = computedMembers()
    }

    override func deactivate() {
        members = [:]
        input.detach(self)
    }

    override func recompute() {
        guard let change = input.takeChange() else { return }
        var touches: [Key: Touch] = [:]
        for element in change.removed {
            let key = key(element)
            touches[key, default: touch(key)].change.remove(element)
            members[key]?.remove(element)
        }
        for element in change.inserted {
            let key = key(element)
            touches[key, default: touch(key)].change.insert(element)
            members[key, default: []].insert(element)
        }
        var keys = SetChange<Key>()
        for (key, touch) in touches {
            let isThere = !(members[key]?.isEmpty ?? true)
            if !isThere { members[key] = nil }
            if touch.wasThere, !isThere { keys.remove(key) }
            if isThere, !touch.wasThere { keys.insert(key) }
            for listener in listeners[key] ?? [] { listener.group.receive(touch.change) }
        }
        if !keys.isEmpty { dictionary?.receive(keys) }
    }

    private func touch(_ key: Key) -> Touch { Touch(wasThere: members[key] != nil) }
}
