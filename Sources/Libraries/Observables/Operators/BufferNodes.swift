// Copies of observed collections, for frequent reads behind an operator that computes each read anew,
// such as `map`.

/// A copy of an array, kept while active.
final class ArrayBufferNode<Element>: ArrayInputNode<Element, Element> {
    private var storage = ChunkedRows<Element>()

    override var count: Int { isActive ? storage.count : input.node.count }

    override func rows(in range: Range<Int>) -> [Element] {
        isActive ? storage.elements(in: range) : input.node.rows(in: range)
    }

    override func row(at index: Int) -> Element {
        isActive ? storage[index] : input.node.row(at: index)
    }

    override func activate() {
        super.activate()
        storage = ChunkedRows(input.node.allRows)
    }

    override func deactivate() {
        storage = ChunkedRows()
        super.deactivate()
    }

    override func recompute() {
        // A newly computed order may equal the old one.
        guard let change = input.takeChange(), !change.isEmpty else { return }
        for modification in change.modifications {
            storage.replaceSubrange(modification.inputRange, with: modification.newElements)
        }
        emit(change)
    }
}

/// A copy of a set, kept while active.
final class SetBufferNode<Element: Hashable>: SetInputNode<SetNode<Element>, Element> {
    private var storage: Set<Element> = []

    override var elements: Set<Element> { isActive ? storage : input.node.elements }

    override var count: Int { isActive ? storage.count : input.node.count }

    override func contains(_ element: Element) -> Bool {
        isActive ? storage.contains(element) : input.node.contains(element)
    }

    override func activate() {
        super.activate()
        storage = input.node.elements
    }

    override func deactivate() {
        storage = []
        super.deactivate()
    }

    override func recompute() {
        guard let change = input.takeChange() else { return }
        storage.subtract(change.removed)
        storage.formUnion(change.inserted)
        emit(change)
    }
}

/// A copy of a dictionary, kept while active.
final class DictionaryBufferNode<Key: Hashable, Content>: DictionaryNode<Key, Content> {
    private var input: InputEdge<DictionaryNode<Key, Content>>
    private var storage: [Key: Content] = [:]

    init(_ input: DictionaryNode<Key, Content>) {
        self.input = InputEdge(input)
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
        guard let change = input.takeChange() else { return }
        change.apply(on: &storage)
        emit(change)
    }
}
