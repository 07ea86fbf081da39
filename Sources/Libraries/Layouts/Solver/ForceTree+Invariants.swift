internal import CLayoutKernels

#if DEBUG
extension ForceTree {
    /// Checks the order, the groups and the squares of a new tree.
    func checkInvariants() {
        var seen = [Bool](repeating: false, count: count)
        for place in 0..<count {
            // Positions are below the cell count, here and below; nodes below the node count.
            let cell = unsafe Int(order.pointer[place])
            precondition(!seen[cell], "a cell is in two places")
            seen[cell] = true
        }
        var place = 0
        for group in 0..<groupCount {
            let first = unsafe Int(groups.pointer[group])
            let end = unsafe Int(groups.pointer[group + 1])
            precondition(first == place && end > first, "groups leave a gap")
            precondition(end - first <= Self.leaf, "a group is too large")
            place = end
        }
        precondition(place == count, "not all cells are in a group")
        if nodeCount > 0 { check(0, first: 0, end: count) }
    }

    private func check(_ index: Int, first: Int, end: Int) {
        precondition(index < nodeCount)
        let node = unsafe nodes.pointer[index]
        precondition(Int(node.first) == first && Int(node.end) == end, "a square has other cells")
        precondition(node.mass == Float(end - first), "a square has another mass")
        for place in first..<end {
            let dx = unsafe x.pointer[place] - node.x
            let dy = unsafe y.pointer[place] - node.y
            precondition(
                (dx * dx + dy * dy).squareRoot() <= Double(node.radius) * 1.000001 + 1e-30,
                "a cell is outside of its square")
        }
        guard node.children > 0 else { return }
        precondition(node.children > 1 && node.children <= 4)
        var place = first
        for child in Int(node.child)..<Int(node.child + node.children) {
            let below = unsafe nodes.pointer[child]
            precondition(Int(below.first) == place, "children leave a gap")
            check(child, first: place, end: Int(below.end))
            place = Int(below.end)
        }
        precondition(place == end, "children leave cells out")
    }
}
#endif
