internal import Synchronization

extension ForceTree {
    /// Processes squares or groups, depending on the stage, until none is left.
    ///
    /// - Parameters:
    ///   - list: The worker's own memory.
    ///   - instructions: An instruction set of this processor.
    func work(_ list: InteractionList, instructions: Int32) {
        switch stage {
        case .squares, .movedSquares: weighSquares()
        case .groups, .again: pushGroups(list, instructions)
        }
    }

    private func weighSquares() {
        let count = nodeCount
        let moved = stage == .movedSquares
        let lists = isListing
        while true {
            let start = next.wrappingAdd(Self.taken, ordering: .relaxed).oldValue
            guard start < count else { return }
            for node in start..<min(start + Self.taken, count) {
                if moved {
                    recomputeMoments(node)
                } else {
                    computeMoments(node)
                    if lists { recordSpot(node) }
                }
            }
        }
    }

    /// Writes the totals of the cells of each group.
    private func pushGroups(_ list: InteractionList, _ instructions: Int32) {
        // The target's arrays hold all cells, and are not reallocated until the sum is done. Each cell
        // is in one group, and each group is processed once, so no two workers write to one position.
        guard let pushX = unsafe target.x, let pushY = unsafe target.y else { return }
        let potential = unsafe target.potential
        let totals = unsafe list.totals.pointer
        let groups = unsafe self.groups.pointer
        let order = unsafe self.order.pointer
        let count = groupCount
        let again = stage == .again
        var sum = unsafe GroupSum(
            self, list, potential: potential != nil, instructions: instructions)
        while true {
            let start = next.wrappingAdd(Self.taken, ordering: .relaxed).oldValue
            guard start < count else { return }
            for group in start..<min(start + Self.taken, count) {
                let first = unsafe Int(groups[group])
                let end = unsafe Int(groups[group + 1])
                unsafe sum.add(group: group, first: first, end: end, again: again)
                for place in first..<end {
                    let cell = unsafe Int(order[place])
                    unsafe pushX[cell] = Double(totals[place - first])
                    unsafe pushY[cell] = Double(totals[Self.leaf + place - first])
                    if let potential = unsafe potential {
                        unsafe potential[cell] = Double(totals[2 * Self.leaf + place - first])
                    }
                }
            }
        }
    }

    /// The number of squares or groups that a worker claims at once.
    private static let taken = 4
}
