// Inputs refused because they depend on the node that chose them. The dependency may be momentary: when
// two switches exchange their inputs in one transaction, the lower one finds the upper one still above
// it. So a refused switch is queued again when everything else has settled, as long as the number of
// refusals decreases; whatever is refused after that is a cycle and is reported.

/// The refusals of a settling that are retried or still to be reported.
struct Refusals {
    /// The number of refusals to report.
    private(set) var count = 0
    private var retries: [Node] = []
    /// The number of nodes in the current round of retries.
    private var tried = Int.max
    /// Whether nodes refused now will be retried.
    private(set) var mayRetry = true

    mutating func add() {
        count += 1
    }

    mutating func retry(_ node: Node) {
        retries.append(node)
    }

    /// The nodes to retry, now that everything has settled.
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
