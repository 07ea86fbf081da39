import WireProtocol

// Which requests of a relay have had no answer. Lines are only looked at; what is no request, or no answer to
// one, plays no part.

/// Follows lines in both directions.
struct UnansweredRequests {
    /// More than this are not kept account of.
    private static let most = 100_000

    private var sent = LineFramer(limit: 16 << 20)
    private var received = LineFramer(limit: 16 << 20)
    private var ids: Set<RequestID> = []

    /// How many there are.
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
