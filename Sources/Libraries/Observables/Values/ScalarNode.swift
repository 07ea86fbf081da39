// Scalar nodes. A computed node keeps its value while active and compares it with the new one, so it
// ignores the changes of its inputs.

/// A node whose value is a scalar.
class ScalarNode<Value>: ChangeNode<ScalarChange<Value>> {
    /// The value as of the last settling. For use within the graph.
    func read() -> Value {
        stop("\(Self.self) does not implement read().")
    }
}

/// A value that never changes.
final class ConstantScalarNode<Value>: ScalarNode<Value> {
    private let value: Value

    init(_ value: Value) {
        self.value = value
        super.init(above: [])
    }

    override func read() -> Value { value }
}

/// A value that the program writes.
final class VariableNode<Value>: ScalarNode<Value> {
    private(set) var value: Value
    private let areEqual: ((Value, Value) -> Bool)?
    private var pending: ScalarChange<Value>?
    /// The bindings to variables with the same value, or one computed from it.
    var bindings: [AnyBinding] = []

    init(_ value: Value) {
        self.value = value
        areEqual = equality(of: Value.self)
        super.init(above: [])
    }

    override func read() -> Value { value }

    /// Bound variables can't move separately.
    override var canMove: Bool { bindings.isEmpty && super.canMove }

    func assign(_ new: Value) {
        store(new)
        if !bindings.isEmpty { propagateValue() }
    }

    /// Sets the value without propagating it to bound variables.
    func store(_ new: Value) {
        if isActive {
            pending = ScalarChange(from: pending?.old ?? value, to: new)
            scheduler.enqueue(self)
        }
        // The old value may be an object that uses this variable when it is released, so release it
        // last.
        let old = value
        value = new
        withExtendedLifetime(old) {}
    }

    override func recompute() {
        guard let change = pending else { return }
        pending = nil
        if areEqual?(change.old, change.new) == true { return }
        emit(change)
    }

    override func deactivate() {
        pending = nil
    }
}

/// A value computed from other nodes.
final class ComputedNode<Value>: ScalarNode<Value> {
    private let compute: () -> Value
    private let areEqual: ((Value, Value) -> Bool)?
    private var value: Value?

    /// A node for the result of `compute`, which reads no changing state except `inputs`. A value equal
    /// to the previous one is not emitted.
    init(
        _ inputs: [Node], areEqual: ((Value, Value) -> Bool)? = equality(of: Value.self),
        compute: @escaping () -> Value
    ) {
        self.areEqual = areEqual
        self.compute = compute
        super.init(above: inputs)
    }

    override func read() -> Value { value ?? compute() }

    override func activate() {
        for input in staticInputs { input.attach(self) }
        value = compute()
    }

    override func deactivate() {
        value = nil
        for input in staticInputs { input.detach(self) }
    }

    override func recompute() {
        let new = compute()
        guard let old = value else { return }
        // If they are equal, keep the old value: readers that hold it hold an equal one.
        if areEqual?(old, new) == true { return }
        value = new
        emit(ScalarChange(from: old, to: new))
    }
}
