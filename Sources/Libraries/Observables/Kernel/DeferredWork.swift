// Work that waits until the program is idle, in the order in which nodes deferred it. A node has at most
// one entry, and removes it when it has done the work itself and before it is deactivated, so no entry
// keeps an unused node alive. (Weak references would do without the removal, but slow down every retain
// and release of these nodes.)

/// Active nodes with deferred work.
struct DeferredWork {
    private var nodes: [Node] = []

    /// Whether any work is left.
    var isLeft: Bool { !nodes.isEmpty }

    /// The next node to work.
    var next: Node? { nodes.first }

    mutating func add(_ node: Node) {
        remove(node)
        nodes.append(node)
    }

    mutating func remove(_ node: Node) {
        nodes.removeAll { $0 === node }
    }
}
