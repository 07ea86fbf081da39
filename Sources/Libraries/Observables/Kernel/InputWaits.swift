// During a settling, a node that has chosen an input at its own height or above must wait until that
// input is settled. Until it is attached, the graph does not show the future dependency, so it is
// recorded here. Otherwise two nodes that choose each other would rise above each other forever.

/// The nodes that wait, and the nodes they wait for, within one settling.
struct InputWaits {
    private var waiters: [ObjectIdentifier: [Node]] = [:]
    private var awaited: [ObjectIdentifier: [Node]] = [:]

    mutating func begin(_ node: Node, for inputs: [Node]) {
        awaited[ObjectIdentifier(node)] = inputs
        for input in inputs { waiters[ObjectIdentifier(input), default: []].append(node) }
    }

    mutating func end(_ node: Node) {
        guard !awaited.isEmpty,
            let inputs = awaited.removeValue(forKey: ObjectIdentifier(node))
        else { return }
        for input in inputs {
            let id = ObjectIdentifier(input)
            waiters[id]?.removeAll { $0 === node }
            if waiters[id]?.isEmpty == true { waiters[id] = nil }
        }
    }

    func nodes(waitingFor node: Node) -> [Node] {
        waiters.isEmpty ? [] : waiters[ObjectIdentifier(node)] ?? []
    }
}
