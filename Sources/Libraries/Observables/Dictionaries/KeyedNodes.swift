// Single keys of a dictionary and single elements of a set. The observer of a key is notified of its
// changes only, however many other keys are observed: a hub between the collection and its keys receives
// each change once and queues the affected keys for recomputation. A collection has at most one hub.

/// Forwards the changes of single keys to their observers.
class KeyHub<Upstream: ChangeEmitting, Key: Hashable, Value>: Node {
    /// An observer of a key.
    private struct Listener {
        unowned let node: KeyedNode<Upstream, Key, Value>
    }

    final var input: InputEdge<Upstream>
    private var listeners: [Key: [Listener]] = [:]

    init(_ input: Upstream) {
        self.input = InputEdge(input)
        super.init(above: [input])
    }

    final override func activate() { input.attach(self) }

    final override func deactivate() { input.detach(self) }

    func value(forKey key: Key) -> Value {
        stop("\(Self.self) does not implement value(forKey:).")
    }

    final func register(_ node: KeyedNode<Upstream, Key, Value>) {
        attach(node)
        listeners[node.key, default: []].append(Listener(node: node))
    }

    final func unregister(_ node: KeyedNode<Upstream, Key, Value>) {
        listeners[node.key]?.removeAll { $0.node === node }
        if listeners[node.key]?.isEmpty ?? false { listeners[node.key] = nil }
        detach(node)
    }

    /// Calls `body` with each observed key, if there are fewer than `count`; otherwise does nothing and
    /// returns `false`.
    final func forEachKey(ifFewerThan count: Int, _ body: (Key) -> Void) -> Bool {
        guard listeners.count < count else { return false }
        for key in listeners.keys { body(key) }
        return true
    }

    final func forwardChange(of key: Key, from old: Value, to new: Value) {
        guard let listeners = listeners[key] else { return }
        for listener in listeners { listener.node.receive(ScalarChange(from: old, to: new)) }
    }
}

/// The value of a collection for one key.
final class KeyedNode<Upstream: ChangeEmitting, Key: Hashable, Value>: ScalarNode<Value> {
    let key: Key
    private let hub: KeyHub<Upstream, Key, Value>
    private var pending: ScalarChange<Value>?

    init(_ hub: KeyHub<Upstream, Key, Value>, key: Key) {
        self.hub = hub
        self.key = key
        super.init(above: [hub])
    }

    override func read() -> Value { hub.value(forKey: key) }

    /// Receives a change from the hub.
    func receive(_ change: ScalarChange<Value>) {
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

/// The hub of a dictionary. A missing key has the value `nil`.
final class DictionaryKeyHub<Key: Hashable, Content>:
    KeyHub<DictionaryNode<Key, Content>, Key, Content?>
{
    override func value(forKey key: Key) -> Content? { input.node.content(forKey: key) }

    override func recompute() {
        guard let edits = input.takeChange()?.edits else { return }
        let isDone = forEachKey(ifFewerThan: edits.count) { key in
            if let edit = edits[key] { forwardChange(of: key, from: edit.old, to: edit.new) }
        }
        if isDone { return }
        for (key, edit) in edits { forwardChange(of: key, from: edit.old, to: edit.new) }
    }
}

/// The hub of a set. The value of an element is whether it is in the set.
final class SetKeyHub<Element: Hashable>: KeyHub<SetNode<Element>, Element, Bool> {
    override func value(forKey element: Element) -> Bool { input.node.contains(element) }

    override func recompute() {
        guard let change = input.takeChange() else { return }
        let (removed, inserted) = (change.removed, change.inserted)
        let isDone = forEachKey(ifFewerThan: removed.count + inserted.count) { element in
            if removed.contains(element) {
                forwardChange(of: element, from: true, to: false)
            } else if inserted.contains(element) {
                forwardChange(of: element, from: false, to: true)
            }
        }
        if isDone { return }
        for element in removed { forwardChange(of: element, from: true, to: false) }
        for element in inserted { forwardChange(of: element, from: false, to: true) }
    }
}
