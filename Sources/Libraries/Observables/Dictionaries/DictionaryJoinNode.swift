/// For each key of two dictionaries, the result of a function of the values there. Keeps only the number
/// of entries.
final class DictionaryJoinNode<Key: Hashable, Left, Right, Content>: DictionaryNode<Key, Content> {
    private var left: InputEdge<DictionaryNode<Key, Left>>
    private var right: InputEdge<DictionaryNode<Key, Right>>
    /// Called for keys with at least one value; `nil` for no entry.
    private let combine: (Key, Left?, Right?) -> Content?
    private let areEqual = equality(of: Content.self)
    /// Nil while idle.
    private var knownCount: Int?

    init(
        _ left: DictionaryNode<Key, Left>, _ right: DictionaryNode<Key, Right>,
        by combine: @escaping (Key, Left?, Right?) -> Content?
    ) {
        self.left = InputEdge(left)
        self.right = InputEdge(right)
        self.combine = combine
        super.init(above: [left, right])
    }

    override var entries: [Key: Content] {
        var result: [Key: Content] = [:]
        for (key, value) in left.node.entries {
            result[key] = combine(key, value, right.node.content(forKey: key))
        }
        for (key, value) in right.node.entries where left.node.content(forKey: key) == nil {
            result[key] = combine(key, nil, value)
        }
        return result
    }

    override var count: Int { knownCount ?? entries.count }

    override func content(forKey key: Key) -> Content? {
        content(of: key, left.node.content(forKey: key), right.node.content(forKey: key))
    }

    private func content(of key: Key, _ left: Left?, _ right: Right?) -> Content? {
        left == nil && right == nil ? nil : combine(key, left, right)
    }

    override func activate() {
        left.attach(self)
        right.attach(self)
        knownCount = entries.count
    }

    override func deactivate() {
        knownCount = nil
        left.detach(self)
        right.detach(self)
    }

    override func recompute() {
        let lefts = left.takeChange()?.edits ?? [:]
        let rights = right.takeChange()?.edits ?? [:]
        var result = DictionaryChange<Key, Content>()
        func look(at key: Key) {
            let newLeft = left.node.content(forKey: key)
            let newRight = right.node.content(forKey: key)
            let oldLeft = lefts[key].map(\.old) ?? newLeft
            let oldRight = rights[key].map(\.old) ?? newRight
            guard
                let edit = DictionaryEdit(
                    from: content(of: key, oldLeft, oldRight),
                    to: content(of: key, newLeft, newRight))
            else { return }
            result.add(edit, forKey: key, by: areEqual)
        }
        for key in lefts.keys { look(at: key) }
        for key in rights.keys where lefts[key] == nil { look(at: key) }
        knownCount = knownCount.map { $0 + result.deltaCount }
        if !result.isEmpty { emit(result) }
    }
}
