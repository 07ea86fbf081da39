internal import FeedStorage
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import SystemdEventLoop
internal import WireProtocol

// Requests: queueing and planning.

extension MarkJournal {
    /// Queues a request; without a store, marks the documents at once.
    func handle(
        _ request: MarkRequest, _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        if case .keys(let keys) = request.target {
            for key in keys where documents.row(key: key) == nil { throw Self.unknown(key) }
        }
        guard store != nil else {
            var planner = MarkPlanner(for: documents)
            let marks = try Self.plan(request, with: &planner)
            documents.mark(planner.changes)
            request.write(&writer, marks)
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

    private static func unknown(_ key: String) -> ProtocolError {
        .noSuchItem("there is no document with the key \(ProtocolError.quoted(key))")
    }

    /// Plans a whole request, or nothing.
    private static func plan(
        _ request: MarkRequest, with planner: inout MarkPlanner
    ) throws(ProtocolError) -> [Marks] {
        guard case .keys(let keys) = request.target else {
            planner.planRestoringAll()
            return []
        }
        var marks: [Marks] = []
        planner.begin()
        for key in keys {
            switch planner.plan(request.wish, for: key) {
            case .planned(let planned): marks.append(planned)
            case .noDocument:
                planner.takeBack()
                throw unknown(key)
            case .noRoom:
                planner.takeBack()
                throw .limitExceeded(
                    limit: DocumentMarks.most,
                    "\(DocumentMarks.most) documents are liked or dropped: no more can be")
            }
        }
        return marks
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

    func planRequests(
        _ requests: [QueuedRequest], with planner: inout MarkPlanner
    ) -> [(request: QueuedRequest, marks: [Marks])] {
        var answers: [(request: QueuedRequest, marks: [Marks])] = []
        for queued in requests {
            do throws(ProtocolError) {
                answers.append((queued, try Self.plan(queued.request, with: &planner)))
            } catch {
                queued.reply.fail(error)
            }
        }
        return answers
    }
}
