/// The value of an observable in each value of a dictionary, by key.
///
/// It otherwise works as with sets (see SetEachNode.swift); taps are found by their keys.
final class DictionaryEachNode<Key: Hashable, Input, Content>: DictionaryNode<Key, Content> {
    private typealias Entry = ElementTap<Key, ScalarNode<Content>>

    private var input: InputEdge<DictionaryNode<Key, Input>>
    private let fieldOf: (Input) -> ScalarNode<Content>
    private let areEqual = equality(of: Content.self)
    private lazy var collector = ElementTapCollector<Key, ScalarNode<Content>>(owner: self)
    private var taps: [Key: Entry] = [:]
    private var pending: DictionaryChange<Key, Input>?
    private var newTaps: [Entry] = []

    init(_ input: DictionaryNode<Key, Input>, field: @escaping (Input) -> ScalarNode<Content>) {
        self.input = InputEdge(input)
        fieldOf = field
        super.init(above: [input])
        raiseToSharingHeight()
    }

    // MARK: - Reading

    override var entries: [Key: Content] {
        isActive
            ? taps.compactMapValues { $0.isRefused ? nil : .some($0.field.read()) }
            : input.node.entries.mapValues { fieldOf($0).read() }
    }

    override func content(forKey key: Key) -> Content? {
        guard isActive else { return input.node.content(forKey: key).map { fieldOf($0).read() } }
        guard let tap = taps[key], !tap.isRefused else { return nil }
        return tap.field.read()
    }

    // MARK: - Coming and going

    override func chooseInputs() -> [Node] {
        newTaps = input.node.entries.map { Entry($0.key, fieldOf($0.value), collector) }
        return newTaps.map(\.field)
    }

    override func refuseInput(at index: Int) { newTaps[index].isRefused = true }

    override func abandonInputs() { newTaps = [] }

    override func activate() {
        input.attach(self)
        for tap in newTaps {
            tap.startObserving()
            taps[tap.element] = tap
        }
        newTaps = []
    }

    override func deactivate() {
        _ = collector.takeChangedTaps()
        for tap in taps.values { tap.stopObserving() }
        taps = [:]
        pending = nil
        newTaps = []
        input.detach(self)
    }

    // MARK: - Changing

    override func recompute() {
        if let change = input.takeChange() {
            pending = change
            newTaps = change.edits.compactMap { key, edit in
                edit.new.map { Entry(key, fieldOf($0), collector) }
            }
        }
        if !newTaps.isEmpty, !collector.attach(newTaps) { return }
        var result = DictionaryChange<Key, Content>()
        if let change = pending {
            for (key, edit) in change.edits where edit.old != nil {
                remove(key, from: &result)
            }
            for tap in newTaps {
                taps[tap.element] = tap
                if tap.isRefused { continue }
                result.add(.insert(tap.field.read()), forKey: tap.element, by: areEqual)
            }
            pending = nil
            newTaps = []
        }
        for tap in collector.takeChangedTaps() {
            guard let change = tap.takeChange() else { continue }
            result.add(.replace(change.old, with: change.new), forKey: tap.element, by: areEqual)
        }
        if !result.isEmpty { emit(result) }
    }

    private func remove(_ key: Key, from result: inout DictionaryChange<Key, Content>) {
        guard let tap = taps.removeValue(forKey: key) else {
            stop("A dictionary emitted the removal of a key that it never had.")
        }
        defer { tap.stopObserving() }
        if tap.isRefused { return }
        result.add(.remove(tap.takeChange()?.old ?? tap.field.read()), forKey: key, by: areEqual)
    }
}

extension ObservableDictionaryType {
    /// The value of the observable that `field` returns for each value, by key.
    ///
    /// - Complexity: O(1) for each changed key and each change of a key's observable.
    public func selectEach<Field: ObservableScalarType>(
        _ field: @escaping (Value) -> Field
    ) -> ObservableDictionary<Key, Field.Value> {
        ObservableDictionary<Key, Field.Value>(
            DictionaryEachNode(observableDictionary.node) { field($0).observable.node })
    }
}
