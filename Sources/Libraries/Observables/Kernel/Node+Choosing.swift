// For nodes that attach and detach inputs while they are recomputed.
//
// Such a node calls `takeUp` with what it has chosen before it attaches any of it. If all of it can
// be read, it is attached there and then. If not, the node rises above what is in the way, is put in
// line again at its new height, and has to return without emitting anything; it is recomputed once
// what it waits for is settled. Such a turn is not counted: `recomputations` counts those in which a
// node did its work, of which there is at most one in a settling.
//
// An input that depends on the node that chose it is found before anything is altered. It is refused,
// and the node has to go on with what it has. A node that `keepsTrying` is put in line again once all
// is settled, and should choose the same then: see Refusals.swift. The rest is reported.

extension Node {
    /// Makes `candidates` fit to be attached and calls `attach`, with the indices of those that must
    /// not be, as they depend on this node. Returns whether it was called; if not, the node has been
    /// put in line again.
    final func takeUp(
        _ candidates: [Node], keepsTrying: Bool = false,
        _ attach: (_ refused: Set<Int>) -> Void
    ) -> Bool {
        scheduler.waits.end(self)
        var activation = Activation()
        var blockers: [(index: Int, node: Node)] = []
        for (index, candidate) in candidates.enumerated() {
            candidate.join(scheduler)
            if let node = activation.hold(candidate) { blockers.append((index, node)) }
        }
        var refused: Set<Int> = []
        if !blockers.isEmpty {
            let top = blockers.map(\.node.height).max() ?? 0
            let above = nodesAbove(upTo: top)
            let others = blockers.filter { !above.contains(ObjectIdentifier($0.node)) }
            if let highest = others.map(\.node.height).max() {
                activation.release()
                raise(to: highest + 1)
                scheduler.waits.begin(self, for: others.map(\.node))
                scheduler.didWait(self)
                scheduler.enqueue(self)
                return false
            }
            refused = Set(blockers.map(\.index))
            if keepsTrying, scheduler.refusals.mayRetry {
                scheduler.refusals.retry(self)
            } else {
                for _ in refused { scheduler.didRefuseInput() }
            }
        }
        attach(refused)
        activation.release()
        return true
    }

    /// This node and all that depend on it or wait for that, as far as they are no higher than
    /// `limit`.
    private func nodesAbove(upTo limit: Int) -> Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var pending: [Node] = [self]
        func visit(_ node: Node) {
            if found.insert(ObjectIdentifier(node)).inserted { pending.append(node) }
        }
        while let node = pending.popLast() {
            // Waiting nodes are followed at any height: they are yet to rise.
            for waiting in scheduler.waits.nodes(waitingFor: node) { visit(waiting) }
            node.forEachDependent { if $0.height <= limit { visit($0) } }
        }
        return found
    }
}
