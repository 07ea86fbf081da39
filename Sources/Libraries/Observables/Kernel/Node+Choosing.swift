// Support for nodes that attach and detach inputs while they are recomputed.
//
// Such a node calls `attachChosenInputs` with its chosen inputs before it attaches any of them. If all of them are
// readable, they are attached immediately. If not, the node rises above the inputs that block it, is
// queued again at its new height, and must return without emitting anything; it is recomputed once those
// inputs are settled. Such a turn is not counted: `recomputations` counts the turns in which a node did
// its work, at most one per settling.
//
// An input that depends on the node that chose it is found before any state changes. It is refused, and
// the node must keep its current inputs. A node that `retriesRefusals` is queued again once everything has
// settled, and should choose the same inputs then: see Refusals.swift. Other refusals are reported.

extension Node {
    /// Prepares `candidates` for attaching and calls `attach` with the indices of the refused ones,
    /// which depend on this node.
    ///
    /// - Returns: Whether `attach` was called. If not, the node has been queued again.
    final func attachChosenInputs(
        _ candidates: [Node], retriesRefusals: Bool = false,
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
                scheduler.uncountRecomputation(of: self)
                scheduler.enqueue(self)
                return false
            }
            refused = Set(blockers.map(\.index))
            if retriesRefusals, scheduler.refusals.mayRetry {
                scheduler.refusals.retry(self)
            } else {
                for _ in refused { scheduler.didRefuseInput() }
            }
        }
        attach(refused)
        activation.release()
        return true
    }

    /// This node and all nodes that depend on it or wait for one of them, up to height `limit`.
    private func nodesAbove(upTo limit: Int) -> Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var pending: [Node] = [self]
        func visit(_ node: Node) {
            if found.insert(ObjectIdentifier(node)).inserted { pending.append(node) }
        }
        while let node = pending.popLast() {
            // Waiting nodes are followed at any height: they have yet to rise.
            for waiting in scheduler.waits.nodes(waitingFor: node) { visit(waiting) }
            node.forEachDependent { if $0.height <= limit { visit($0) } }
        }
        return found
    }
}
