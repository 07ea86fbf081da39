// Nodes on their way out. A node that loses its last user lets go of its inputs, which may lose
// theirs by that, and so on down a chain; the same when a node is released. Both are done from lists
// here, one node after the other, whatever the length of the chain.
//
// A node that has lost its last user remains active until its turn comes, which is before the call
// that took the user away returns. One that is used again in between just stays active.
//
// What a transform holds by capturing it is not in these lists: a chain of tens of thousands of
// observables, each known only to the closure of the next, is released by recursion.

/// Lets nodes go idle and be released without recursion.
final class NodeRetirement {
    private var idle: [Node] = []
    private var isRetiring = false
    private var released: [Node] = []
    private var isReleasing = false

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
    }

    /// Takes the nodes away from whoever held them, so that no other reference is left.
    func release(_ nodes: inout [Node]) {
        released.append(contentsOf: nodes)
        nodes = []
        guard !isReleasing else { return }
        isReleasing = true
        while released.popLast() != nil {}
        isReleasing = false
    }
}
