// A value that is stored elsewhere: in an object that is not observable, in a file, in another library.
// A getter reads it, and a source signals when to read it again.

/// The value of a getter, read again whenever a source sends something.
final class SourcedNode<Value>: ScalarNode<Value> {
    private let getter: () -> Value
    private let follow: (@escaping () -> Void) -> Connection
    private let areEqual = equality(of: Value.self)
    /// The last emitted value; `nil` while idle.
    private var value: Value?
    private var connection: Connection?
    private var pending: ScalarChange<Value>?

    /// - Parameters:
    ///   - getter: Reads the value.
    ///   - follow: Calls its argument after each change of the value.
    init(getter: @escaping () -> Value, follow: @escaping (@escaping () -> Void) -> Connection) {
        self.getter = getter
        self.follow = follow
        super.init(above: [])
    }

    override func read() -> Value { value ?? getter() }

    override func activate() {
        connection = follow { [unowned self] in write { self.readAgain() } }
        value = getter()
    }

    override func deactivate() {
        connection = nil
        value = nil
        pending = nil
    }

    private func readAgain() {
        guard let old = value else { return }
        let new = getter()
        pending = ScalarChange(from: pending?.old ?? old, to: new)
        value = new
        scheduler.enqueue(self)
    }

    override func recompute() {
        guard let change = pending.take() else { return }
        if areEqual?(change.old, change.new) == true { return }
        emit(change)
    }
}

extension Observable {
    /// A value that `getter` reads and that may have changed whenever `changes` sends something.
    ///
    /// With a connection, `getter` is called once at first and once for each value sent; otherwise on
    /// each read. Its result must change only when `changes` sends something, from a place where a
    /// variable could be written: in a sink, it is read when all sinks have been called. For a value
    /// computed from other observables, prefer operators, which take part in their transactions.
    ///
    /// - Complexity: one call of `getter` for each value sent.
    public init(getter: @escaping () -> Value, changes: some SourceType) {
        self.init(SourcedNode(getter: getter) { told in changes.connect { _ in told() } })
    }
}
