// Within a settling, a node that has chosen an input as high as itself or higher must wait until
// that one is settled. Until it is attached, the graph does not show that it will depend on it; it is
// noted here. Else two nodes that choose each other would rise above each other for ever.

/// Which nodes wait for which others, within one settling.
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
