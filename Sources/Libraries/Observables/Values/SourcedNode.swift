// A value that lives elsewhere: in an object that is not observable, in a file's state, in another library.
// A getter reads it, and a source says when to read it again.

/// The value that a getter gives, read anew whenever a source sends something.
final class SourcedNode<Value>: ScalarNode<Value> {
    private let getter: () -> Value
    private let follow: (@escaping () -> Void) -> Connection
    private let areEqual = equality(of: Value.self)
    /// What was told last; nil while idle.
    private var value: Value?
    private var connection: Connection?
    private var pending: ScalarChange<Value>?

    /// - Parameters:
    ///   - getter: Reads the value.
    ///   - follow: Has its argument called after each change of the value.
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
        guard let change = pending else { return }
        pending = nil
        if areEqual?(change.old, change.new) == true { return }
        emit(change)
    }
}

extension Observable {
    /// A value that `getter` reads and that may have changed whenever `changes` sends anything.
    ///
    /// While something is connected, `getter` is called once at first and once for each value sent; else
    /// whenever the value is read. What it gives must change only when `changes` sends something, from
    /// where a variable could be written: in a sink, it is read when all sinks have been called. What is
    /// computed from other observables is better made by operators, which take part in their
    /// transactions.
    ///
    /// - Complexity: one call of `getter` for each value that is sent.
    public init(getter: @escaping () -> Value, changes: some SourceType) {
        self.init(SourcedNode(getter: getter) { told in changes.connect { _ in told() } })
    }
}
