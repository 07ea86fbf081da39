internal import EventLoops
internal import FeedStorage
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

// Requests: queueing and planning.

extension MarkJournal {
    /// Queues a request; without a store, marks a few documents at once.
    func handle(
        _ request: MarkRequest, _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        if case .keys(let keys) = request.target {
            for key in keys where documents.row(key: key) == nil { throw Self.unknown(key) }
        }
        if store == nil, queued.isEmpty, request.count <= Self.documentsAtOnce,
            case .nothing = activity
        {
            let planned = try MarkPlanning.plan(request, of: documents)
            documents.mark(planned.plans)
            request.write(&writer, planned.marks)
            return .answered
        }
        guard queued.count < Self.mostWaiting else {
            throw .overloaded(
                retryAfterMs: 100, "\(queued.count) requests wait to be stored: try again")
        }
        let reply = PendingReply()
        queued.append(QueuedRequest(request: request, reply: reply))
        scheduleTransaction()
        return .pending(reply)
    }

    /// Counts a visit that another part of the daemon has seen. It is passed over if too many requests wait, or if the
    /// document is gone.
    func recordVisit(of key: String) {
        guard queued.count < Self.mostWaiting, documents.row(key: key) != nil else { return }
        queued.append(
            QueuedRequest(
                request: .visit(of: key, at: context.loop.wallSeconds), reply: PendingReply()))
        scheduleTransaction()
    }

    static func unknown(_ key: String) -> ProtocolError {
        .noSuchItem("there is no document with the key \(ProtocolError.quoted(key))")
    }

    func dequeueRequests() -> [QueuedRequest] {
        var taken = 0
        let count = queued.prefix { request in
            defer { taken += request.request.count }
            return taken < Self.mostAtOnce
        }.count
        defer { queued.removeFirst(count) }
        return Array(queued.prefix(count))
    }
}
