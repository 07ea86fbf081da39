import WireProtocol

// Tracks the unanswered requests of a relay. Lines are only inspected; those that are neither a request nor
// an answer to one are ignored.

/// Inspects lines in both directions.
struct UnansweredRequests {
    /// The most requests that are tracked.
    private static let most = 100_000

    private var sent = LineFramer(limit: 16 << 20)
    private var received = LineFramer(limit: 16 << 20)
    private var ids: Set<RequestID> = []

    /// The number of unanswered requests.
    var count: Int { ids.count }

    mutating func send(_ bytes: ArraySlice<UInt8>) {
        sent.append(bytes)
        while let event = sent.next() {
            guard case .line(let line) = event else { continue }
            guard case .request(let request)? = try? WireMessage(parsing: line),
                let id = request.id, ids.count < Self.most
            else { continue }
            ids.insert(id)
        }
    }

    mutating func receive(_ bytes: ArraySlice<UInt8>) {
        if ids.isEmpty { received = LineFramer(limit: 16 << 20) }
        received.append(bytes)
        while let event = received.next() {
            guard case .line(let line) = event else { continue }
            if case .reply(let reply)? = try? WireMessage(parsing: line), let id = reply.id {
                ids.remove(id)
            }
        }
    }
}
