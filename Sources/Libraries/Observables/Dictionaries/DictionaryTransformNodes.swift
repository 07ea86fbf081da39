// Dictionaries computed from dictionaries. Mapped values are computed when they are read; a filter
// keeps which keys match.

/// A dictionary with its values turned into others.
final class DictionaryMapNode<Key: Hashable, Input, Content>: DictionaryNode<Key, Content> {
    private var input: Edge<DictionaryNode<Key, Input>>
    private let transform: (Input) -> Content

    init(_ input: DictionaryNode<Key, Input>, transform: @escaping (Input) -> Content) {
        self.input = Edge(input)
        self.transform = transform
        super.init(above: [input])
    }

    override var entries: [Key: Content] { input.node.entries.mapValues(transform) }

    override var count: Int { input.node.count }

    override func content(forKey key: Key) -> Content? {
        input.node.content(forKey: key).map(transform)
    }

    override func activate() { input.attach(self) }

    override func deactivate() { input.detach(self) }

    override func recompute() {
        guard let change = input.take()?.mapValues(transform), !change.isEmpty else { return }
        emit(change)
    }
}

/// The entries of a dictionary for which a predicate holds.
final class DictionaryFilterNode<Key: Hashable, Content>: DictionaryNode<Key, Content> {
    private var input: Edge<DictionaryNode<Key, Content>>
    private let predicate: (Key, Content) -> Bool
    private var matching: Set<Key> = []

    init(
        _ input: DictionaryNode<Key, Content>, where predicate: @escaping (Key, Content) -> Bool
    ) {
        self.input = Edge(input)
        self.predicate = predicate
        super.init(above: [input])
    }

    override var entries: [Key: Content] {
        input.node.entries.filter { entry in
            isActive ? matching.contains(entry.key) : predicate(entry.key, entry.value)
        }
    }

    override var count: Int { isActive ? matching.count : entries.count }

    override func content(forKey key: Key) -> Content? {
        if isActive, !matching.contains(key) { return nil }
        guard let content = input.node.content(forKey: key) else { return nil }
        return isActive || predicate(key, content) ? content : nil
    }

    override func activate() {
        input.attach(self)
        for (key, content) in input.node.entries where predicate(key, content) {
            matching.insert(key)
        }
    }

    override func deactivate() {
        matching = []
        input.detach(self)
    }

    override func recompute() {
        guard let change = input.take() else { return }
        var result = DictionaryChange<Key, Content>()
        for (key, edit) in change.edits {
            let old = matching.contains(key) ? edit.old : nil
            let new = edit.new.flatMap { predicate(key, $0) ? $0 : nil }
            if new != nil { matching.insert(key) } else { matching.remove(key) }
            guard let visible = DictionaryEdit(from: old, to: new) else { continue }
            // The input has compared values, if they can be.
            result.add(visible, forKey: key, by: nil)
        }
        if !result.isEmpty { emit(result) }
    }
}
