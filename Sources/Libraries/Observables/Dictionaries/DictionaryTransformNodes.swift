// Dictionaries computed from dictionaries. Mapped values are computed on each read; a filter keeps the
// matching keys.

/// A dictionary with transformed values.
final class DictionaryMapNode<Key: Hashable, Input, Content>: DictionaryNode<Key, Content> {
    private var input: InputEdge<DictionaryNode<Key, Input>>
    private let transform: (Input) -> Content

    init(_ input: DictionaryNode<Key, Input>, transform: @escaping (Input) -> Content) {
        self.input = InputEdge(input)
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
        guard let change = input.takeChange()?.mapValues(transform), !change.isEmpty else { return }
        emit(change)
    }
}

/// The entries of a dictionary for which a predicate holds.
final class DictionaryFilterNode<Key: Hashable, Content>: DictionaryNode<Key, Content> {
    private var input: InputEdge<DictionaryNode<Key, Content>>
    private var predicate: InputEdge<ScalarNode<(Key, Content) -> Bool>>
    private var matching: Set<Key> = []

    init(
        _ input: DictionaryNode<Key, Content>, where predicate: ScalarNode<(Key, Content) -> Bool>
    ) {
        self.input = InputEdge(input)
        self.predicate = InputEdge(predicate)
        super.init(above: [input, predicate])
    }

    override var entries: [Key: Content] {
        if isActive { return input.node.entries.filter { matching.contains($0.key) } }
        let holds = predicate.node.read()
        return input.node.entries.filter { holds($0.key, $0.value) }
    }

    override var count: Int { isActive ? matching.count : entries.count }

    override func content(forKey key: Key) -> Content? {
        if isActive, !matching.contains(key) { return nil }
        guard let content = input.node.content(forKey: key) else { return nil }
        return isActive || predicate.node.read()(key, content) ? content : nil
    }

    override func activate() {
        input.attach(self)
        predicate.attach(self)
        let holds = predicate.node.read()
        for (key, content) in input.node.entries where holds(key, content) {
            matching.insert(key)
        }
    }

    override func deactivate() {
        matching = []
        input.detach(self)
        predicate.detach(self)
    }

    override func recompute() {
        var result = DictionaryChange<Key, Content>()
        let edits = input.takeChange()?.edits ?? [:]
        let isOther = predicate.takeChange() != nil
        let holds = predicate.node.read()
        func look(at key: Key, from old: Content?, to new: Content?) {
            let emitted = matching.contains(key) ? old : nil
            let visible = new.flatMap { holds(key, $0) ? $0 : nil }
            if visible != nil { matching.insert(key) } else { matching.remove(key) }
            // The input has compared values, if it can; a kept entry is no change.
            if emitted != nil, visible != nil, edits[key] == nil { return }
            guard let edit = DictionaryEdit(from: emitted, to: visible) else { return }
            result.add(edit, forKey: key, by: nil)
        }
        for (key, edit) in edits { look(at: key, from: edit.old, to: edit.new) }
        if isOther {
            for (key, content) in input.node.entries where edits[key] == nil {
                look(at: key, from: content, to: content)
            }
        }
        if !result.isEmpty { emit(result) }
    }
}
