// Work that can wait until the program has nothing else to do. It is done node by node, the one that
// has put it off first being the first; a node has one entry at the most, and may have done its work
// itself, or gone idle, by the time its turn comes.

/// Nodes with work that was put off.
struct DeferredWork {
    private struct Entry {
        weak var node: Node?
    }

    private var entries: [Entry] = []

    /// Whether any node may have work left.
    var isLeft: Bool { entries.contains { $0.node?.isActive == true } }

    mutating func add(_ node: Node) {
        entries.removeAll { $0.node == nil || $0.node === node }
        entries.append(Entry(node: node))
    }

    /// The node whose turn it is. Those before it that have gone idle are dropped.
    mutating func next() -> Node? {
        while let entry = entries.first {
            if let node = entry.node, node.isActive { return node }
            entries.removeFirst()
        }
        return nil
    }

    mutating func remove(_ node: Node) {
        entries.removeAll { $0.node === node }
    }
}
