#if DEBUG
extension BlockTree {
    /// Traps unless the invariants at the head of `BlockTree.swift` hold, for summaries that the caller
    /// can compare.
    func checkInvariants(_ equal: (Summary, Summary) -> Bool) {
        var depths = Set<Int>()
        func check(_ node: Node, depth: Int) {
            if node.isLeaf {
                precondition(node.elements.count <= leafLimit, "a leaf is too full")
                precondition(depth == 0 || !node.elements.isEmpty, "a leaf is empty")
                depths.insert(depth)
                return
            }
            precondition(node.elements.isEmpty, "elements above the leaves")
            precondition(node.children.count <= childLimit, "a node is too full")
            precondition(node.children.count == node.sums.count, "a child without a sum")
            for (first, second) in zip(node.children, node.children.dropFirst()) {
                let half = (first.isLeaf ? leafLimit : childLimit) / 2
                precondition(first.size + second.size > half, "two that should be one")
            }
            for (child, sum) in zip(node.children, node.sums) {
                precondition(equal(child.summary, sum), "a sum is out of date")
                check(child, depth: depth + 1)
            }
        }
        check(root, depth: 0)
        precondition(depths.count == 1, "leaves of different depths")
        precondition(root.isLeaf || root.children.count > 1, "a root with one child")
        precondition(equal(root.summary, total), "the total is out of date")
    }
}
#endif
