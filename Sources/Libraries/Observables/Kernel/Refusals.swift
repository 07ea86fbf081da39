// Inputs that were refused because they depend on the node that chose them. That may be so for only a
// moment: of two switches that exchange their places in one transaction, the lower one finds the
// upper one still above it. So a switch that was refused is put in line again when all else has come
// to rest, for as long as that gets anywhere; what is refused after that is a circle and is reported.

/// What was refused in a settling, or is still to be reported.
struct Refusals {
    /// How many are to be reported.
    private(set) var count = 0
    private var retries: [Node] = []
    /// How many nodes are being tried again.
    private var tried = Int.max
    /// Whether those refused now will be tried again.
    private(set) var mayRetry = true

    mutating func add() {
        count += 1
    }

    mutating func retry(_ node: Node) {
        retries.append(node)
    }

    /// The nodes to try again now that all is settled.
    mutating func takeRetries() -> [Node] {
        let nodes = retries
        retries = []
        mayRetry = nodes.isEmpty || nodes.count < tried
        tried = nodes.isEmpty ? .max : nodes.count
        return nodes
    }

    mutating func takeReport() -> CascadeReport {
        defer { count = 0 }
        return CascadeReport(kind: .dependencies, limit: 0, dropped: count)
    }
}
