extension Variable {
    /// Gives this variable the value of another, and from then on each of them what is written to
    /// the other, until the connection ends.
    ///
    /// A write is in both at once: no observer, and no reader in a transaction, sees them differ.
    /// The last write in a transaction holds. Variables may be bound to several others, in circles
    /// too. In a sink, the binding begins when the writes of the sink take effect. The connection
    /// keeps both variables alive.
    ///
    /// - Complexity: a write takes O(*b*), *b* the number of bindings it passes.
    public func bind(to other: Variable) -> Connection {
        require(node !== other.node, "A variable was bound to itself.")
        return connect(
            Binding(node, other.node, transforms: false, forward: { $0 }, backward: { $0 }),
            to: other.node)
    }

    /// Keeps this variable and one of another type together: a write here gives the other one the
    /// result of `forward`, a write there gives this one that of `backward`, in the same
    /// transaction. At first this one is given the result of `backward`.
    ///
    /// The functions must depend on their arguments only. Where they are not each other's inverse,
    /// what was written last stays as written, and the other side is what follows from it. Such a
    /// binding must not be part of a circle of bindings; that is a programming error and traps.
    ///
    /// - Parameters:
    ///   - other: The variable to bind to.
    ///   - forward: The value of `other` for a value of this variable.
    ///   - backward: The value of this variable for a value of `other`.
    /// - Returns: The connection that the binding ends with.
    /// - Complexity: a write takes O(*b*), *b* the number of bindings it passes.
    public func bind<Other>(
        to other: Variable<Other>, forward: @escaping (Value) -> Other,
        backward: @escaping (Other) -> Value
    ) -> Connection {
        connect(
            Binding(node, other.node, transforms: true, forward: forward, backward: backward),
            to: other.node)
    }

    private func connect<Other>(
        _ binding: Binding<Value, Other>, to other: VariableNode<Other>
    ) -> Connection {
        let node = node
        node.checkOwner()
        other.join(node.scheduler)
        // Until it begins, which in a sink is later, the operation keeps both ends alive.
        node.write { withExtendedLifetime((node, other)) { binding.begin() } }
        return Connection { withExtendedLifetime((node, other)) { binding.end() } }
    }
}
