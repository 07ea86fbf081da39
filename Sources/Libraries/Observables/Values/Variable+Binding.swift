extension Variable {
    /// Copies the value of another variable to this one, and from then on each write of either to the
    /// other, until the connection ends.
    ///
    /// A write changes both at once: no observer, and no reader in a transaction, sees them differ. The
    /// last write of a transaction wins. Variables may be bound to several others, and in cycles. In a
    /// sink, the binding starts when the writes of the sink take effect. The connection keeps both
    /// variables alive.
    ///
    /// - Complexity: a write takes O(*b*) for the *b* bindings it passes.
    public func bind(to other: Variable) -> Connection {
        require(node !== other.node, "A variable was bound to itself.")
        return connect(
            Binding(node, other.node, transforms: false, forward: { $0 }, backward: { $0 }),
            to: other.node)
    }

    /// Binds this variable to one of another type: a write here sets the other one to the result of
    /// `forward`, a write there sets this one to the result of `backward`, in the same transaction.
    /// Initially this one is set to the result of `backward`.
    ///
    /// The functions must depend on their arguments only. If they are not each other's inverse, the last
    /// written value stays as written, and the other side follows from it. Such a binding must not be
    /// part of a cycle of bindings; that is a programming error and traps.
    ///
    /// - Parameters:
    ///   - other: The variable to bind to.
    ///   - forward: Computes the value of `other` from a value of this variable.
    ///   - backward: Computes the value of this variable from a value of `other`.
    /// - Returns: A connection; the binding ends with it.
    /// - Complexity: a write takes O(*b*) for the *b* bindings it passes.
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
        // The operation keeps both ends alive until the binding starts, which is later in a sink.
        node.write { withExtendedLifetime((node, other)) { binding.begin() } }
        return Connection { withExtendedLifetime((node, other)) { binding.end() } }
    }
}
