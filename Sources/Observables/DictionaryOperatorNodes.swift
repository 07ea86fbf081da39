// What is computed from dictionaries. Keys, entries and mapped values keep nothing and ask their
// input; a filter keeps which keys match.

/// The keys of a dictionary.
final class DictionaryKeysNode<Key: Hashable, Content>: SetNode<Key> {
    private var input: Edge<DictionaryNode<Key, Content>>

    init(_ input: DictionaryNode<Key, Content>) {
        self.input = Edge(input)
        super.init(above: [input])
    }

    override var elements: Set<Key> { Set(input.node.entries.keys) }

    override var count: Int { input.node.count }

    override func contains(_ element: Key) -> Bool {
        input.node.content(forKey: element) != nil
    }

    override func activate() { input.attach(self) }

    override func deactivate() { input.detach(self) }

    override func recompute() {
        guard let change = input.take() else { return }
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
    SetNode<DictionaryEntry<Key, Content>>
{
    private var input: Edge<DictionaryNode<Key, Content>>

    init(_ input: DictionaryNode<Key, Content>) {
        self.input = Edge(input)
        super.init(above: [input])
    }

    override var elements: Set<DictionaryEntry<Key, Content>> {
        Set(input.node.entries.map { DictionaryEntry(key: $0.key, value: $0.value) })
    }

    override var count: Int { input.node.count }

    override func contains(_ element: DictionaryEntry<Key, Content>) -> Bool {
        input.node.content(forKey: element.key) == element.value
    }

    override func activate() { input.attach(self) }

    override func deactivate() { input.detach(self) }

    override func recompute() {
        guard let change = input.take() else { return }
        var result = SetChange<DictionaryEntry<Key, Content>>()
        for (key, edit) in change.edits {
            if let old = edit.old { result.remove(DictionaryEntry(key: key, value: old)) }
            if let new = edit.new { result.insert(DictionaryEntry(key: key, value: new)) }
        }
        if !result.isEmpty { emit(result) }
    }
}

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

/// The value of one key of a dictionary, `nil` while there is no such key.
final class DictionaryValueNode<Key: Hashable, Content>: ScalarNode<Content?> {
    private var input: Edge<DictionaryNode<Key, Content>>
    private let key: Key

    init(_ input: DictionaryNode<Key, Content>, forKey key: Key) {
        self.input = Edge(input)
        self.key = key
        super.init(above: [input])
    }

    override func read() -> Content? { input.node.content(forKey: key) }

    override func activate() { input.attach(self) }

    override func deactivate() { input.detach(self) }

    override func recompute() {
        guard let edit = input.take()?.edits[key] else { return }
        emit(ScalarChange(from: edit.old, to: edit.new))
    }
}

/// A copy of a dictionary, kept while active.
final class DictionaryBufferNode<Key: Hashable, Content>: DictionaryNode<Key, Content> {
    private var input: Edge<DictionaryNode<Key, Content>>
    private var storage: [Key: Content] = [:]

    init(_ input: DictionaryNode<Key, Content>) {
        self.input = Edge(input)
        super.init(above: [input])
    }

    override var entries: [Key: Content] { isActive ? storage : input.node.entries }

    override var count: Int { isActive ? storage.count : input.node.count }

    override func content(forKey key: Key) -> Content? {
        isActive ? storage[key] : input.node.content(forKey: key)
    }

    override func activate() {
        input.attach(self)
        storage = input.node.entries
    }

    override func deactivate() {
        storage = [:]
        input.detach(self)
    }

    override func recompute() {
        guard let change = input.take() else { return }
        change.apply(on: &storage)
        emit(change)
    }
}
