// Nodes on their way out. A node that loses its last user lets go of its inputs, which may lose
// theirs by that, and so on down a chain. This is done from a list here, one node after the other,
// whatever the length of the chain. A node that has lost its last user remains active until its turn
// comes, which is before the call that took the user away returns. One that is used again in between
// just stays active.
//
// A node that is released releases its inputs, and so on. What a subclass holds is released after
// the `deinit` of this module's base class, by the runtime and thus by recursion. So a node at a
// great height has its inputs kept here until the scheduler is next used, which then lets them go one
// by one. What a transform holds by capturing it is not known here: a chain of tens of thousands of
// observables, each known only to the closure of the next, is released by recursion all the same.

/// Lets nodes go idle and be released without recursion.
final class NodeRetirement {
    private var idle: [Node] = []
    private var isRetiring = false
    private var kept: [Node] = []

    /// Nodes up to this height release their inputs by recursion.
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

    /// Lets go of what was kept.
    func releaseKept() {
        while kept.popLast() != nil {}
    }
}
