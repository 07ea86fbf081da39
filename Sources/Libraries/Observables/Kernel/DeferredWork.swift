// Work that can wait until the program has nothing else to do. It is done node by node, the one that
// has put it off first being the first. A node has one entry at the most and takes it out when it has
// done the work itself, and before it goes idle; so no entry keeps a node that nobody uses. (Weak
// references would do without that, but make each retain and release of these nodes take a detour.)

/// Active nodes with work that was put off.
struct DeferredWork {
    private var nodes: [Node] = []

    /// Whether any work is left.
    var isLeft: Bool { !nodes.isEmpty }

    /// The node whose turn it is.
    var next: Node? { nodes.first }

    mutating func add(_ node: Node) {
        remove(node)
        nodes.append(node)
    }

    mutating func remove(_ node: Node) {
        nodes.removeAll { $0 === node }
    }
}
