// A connection is what keeps a pipeline alive. It owns the observer, which owns the node it
// observes, which owns what it is computed from; nothing owns in the other direction. When the last
// connection goes, so does everything that was kept for it.

/// One sink's subscription. It ends with ``disconnect()`` or when the last reference goes.
public final class Connection {
    private var action: (() -> Void)?

    /// A connection that carries out `action` once, when it ends.
    public init(_ action: @escaping () -> Void) {
        self.action = action
    }

    /// Ends the subscription. The sink gets nothing more, not even what is being delivered just
    /// now. Calling it again, or from within the sink, is harmless.
    public func disconnect() {
        guard let action else { return }
        self.action = nil
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

    /// Puts the connection among others that are kept and let go of together.
    ///
    /// - Complexity: O(1).
    public func store(in connections: inout Set<Connection>) {
        connections.insert(self)
    }

    /// Puts the connection behind others that are kept and let go of together.
    ///
    /// - Complexity: O(1).
    public func store(in connections: inout [Connection]) {
        connections.append(self)
    }
}
