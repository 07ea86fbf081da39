/// A type-erased observable scalar.
///
/// Without a connection, it keeps no value and computes it on each read.
public struct Observable<Value>: ObservableScalarType {
    let node: ScalarNode<Value>

    init(_ node: ScalarNode<Value>) {
        self.node = node
    }

    /// The current value. Inside a transaction, it follows from the writes so far.
    public var value: Value {
        node.reading { node.read() }
    }

    /// The changes of the value: one for each transaction that changed it.
    public var changes: Source<ScalarChange<Value>> { node.changes }

    /// Itself.
    public var observable: Observable { self }
}

/// A scalar that the program writes and others observe.
public final class Variable<Value>: ObservableScalarType {
    let node: VariableNode<Value>

    /// A variable that belongs to the calling actor, task or thread.
    public init(_ value: Value) {
        node = VariableNode(value)
    }

    /// The value. Outside of a transaction, setting it is a transaction of its own; in a sink, setting
    /// it takes effect when all sinks have been called (see ``modify(_:)`` for writes there that depend
    /// on the old value). A value equal to the old one changes nothing.
    public var value: Value {
        get {
            node.checkOwner()
            return node.value
        }
        set {
            let node = node
            node.write { node.assign(newValue) }
        }
    }

    /// Modifies the value in place. In a sink, where writes are queued, `body` runs in its turn with the
    /// value that is current then.
    public func modify(_ body: @escaping (inout Value) -> Void) {
        let node = node
        node.write {
            var value = node.value
            body(&value)
            node.assign(value)
        }
    }

    /// The changes of the value: one for each transaction that changed it.
    public var changes: Source<ScalarChange<Value>> { node.changes }

    /// The variable as a read-only observable.
    public var observable: Observable<Value> { Observable(node) }
}
