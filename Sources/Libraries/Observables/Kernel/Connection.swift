// A connection keeps a pipeline alive. It owns the observer, which owns the observed node, which owns
// its inputs; nothing owns in the other direction. Releasing the last connection releases the state of
// the whole pipeline.

/// One sink's subscription. It ends with ``disconnect()`` or when the last reference goes.
public final class Connection {
    private var action: (() -> Void)?

    /// A connection that calls `action` once, when it ends.
    public init(_ action: @escaping () -> Void) {
        self.action = action
    }

    /// Ends the subscription. The sink receives nothing more, not even the value being delivered.
    /// Calling it again, or from within the sink, is harmless.
    public func disconnect() {
        guard let action = action.take() else { return }
        action()
    }

    deinit {
        disconnect()
    }
}

extension Connection: Hashable {
    /// Whether both are the same connection.
    public static func == (left: Connection, right: Connection) -> Bool { left === right }

    /// By identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    /// Stores the connection in a set, to be released with the others.
    ///
    /// - Complexity: O(1).
    public func store(in connections: inout Set<Connection>) {
        connections.insert(self)
    }

    /// Appends the connection to an array, to be released with the others.
    ///
    /// - Complexity: O(1).
    public func store(in connections: inout [Connection]) {
        connections.append(self)
    }
}
