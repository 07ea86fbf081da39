/// The elements of a set, each under its own key.
final class KeyedSetNode<Key: Hashable, Element: Hashable>: DictionaryNode<Key, Element> {
    private var input: InputEdge<SetNode<Element>>
    private let key: (Element) -> Key
    private var members: [Key: Element] = [:]

    init(_ input: SetNode<Element>, by key: @escaping (Element) -> Key) {
        self.input = InputEdge(input)
        self.key = key
        super.init(above: [input])
    }

    override var entries: [Key: Element] {
        if isActive { return members }
        return Dictionary(input.node.elements.map { (key($0), $0) }) { _, _ in
            Self.stopForDoubleKey()
        }
    }

    override func content(forKey key: Key) -> Element? {
        isActive ? members[key] : input.node.elements.first { self.key($0) == key }
    }

    override func activate() {
        input.attach(self)
        for element in input.node.elements { put(element) }
    }

    override func deactivate() {
        members = [:]
        input.detach(self)
    }

    override func recompute() {
        guard let change = input.takeChange() else { return }
        var result = DictionaryChange<Key, Element>()
        for element in change.removed {
            let key = key(element)
            members[key] = nil
            result.add(.remove(element), forKey: key, by: nil)
        }
        for element in change.inserted {
            result.add(.insert(element), forKey: put(element), by: nil)
        }
        if !result.isEmpty { emit(result) }
    }

    @discardableResult
    private func put(_ element: Element) -> Key {
        let key = key(element)
        if members.updateValue(element, forKey: key) != nil { Self.stopForDoubleKey() }
        return key
    }

    private static func stopForDoubleKey() -> Never {
        stop("Two elements of a set have one key: use grouped(by:), or give each a key of its own.")
    }
}

extension ObservableSetType {
    /// The elements by the key that `key` returns for each. Keys must be unique: two elements with one
    /// key stop the program. For shared keys, use `grouped(by:)`.
    ///
    /// An element that replaces another with the same key in one transaction is a replaced value of that
    /// key.
    ///
    /// - Complexity: O(1) for each changed element.
    public func keyed<Key: Hashable>(
        by key: @escaping (Element) -> Key
    ) -> ObservableDictionary<Key, Element> {
        ObservableDictionary(KeyedSetNode(observableSet.node, by: key))
    }
}
