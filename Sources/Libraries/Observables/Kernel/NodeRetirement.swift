// Deactivation and release of nodes without recursion.
//
// A node that loses its last user detaches from its inputs, which may lose their last users in turn. A
// list here handles one node after the other, whatever the length of the chain. A node without users
// stays active until its turn comes, before the call that removed the last user returns. A node that
// finds a new user in between stays active.
//
// A node that is released releases its inputs in turn. The runtime releases the properties of a subclass
// after the `deinit` of the base class, and therefore recursively. So the scheduler keeps the inputs of
// a high node until it is next used, and then releases them one by one. Captures of a transform are
// unknown here: a chain of tens of thousands of observables, each captured by the closure of the next,
// is still released recursively.

/// Deactivates and releases nodes without recursion.
final class NodeRetirement {
    private var idle: [Node] = []
    private var isRetiring = false
    private var kept: [Node] = []

    /// The height up to which nodes release their inputs recursively.
    static let recursionLimit = 1_000

    func retire(_ node: Node) {
        if node.staticInputs.isEmpty, !isRetiring {
            node.stopIfUnused()
            return
        }
        idle.append(node)
        guard !isRetiring else { return }
        isRetiring = true
        while let node = idle.popLast() { node.stopIfUnused() }
        isRetiring = false
        releaseKept()
    }

    func keep(_ nodes: [Node]) {
        kept.append(contentsOf: nodes)
    }

    /// Releases the kept nodes.
    func releaseKept() {
        while kept.popLast() != nil {}
    }
}
