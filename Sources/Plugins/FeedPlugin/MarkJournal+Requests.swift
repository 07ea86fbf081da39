internal import FeedStorage
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import SystemdEventLoop
internal import WireProtocol

// What is wished: taken in, and planned.

extension MarkJournal {
    /// Takes a request in.
    func handle(
        _ request: MarkRequest, _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        if case .keys(let keys) = request.target {
            for key in keys where documents[key: key] == nil { throw Self.unknown(key) }
        }
        guard store != nil else {
            var planner = MarkPlanner(for: documents)
            let marks = try Self.plan(request, with: &planner)
            documents.mark(planner.changes)
            request.write(&writer, marks)
            return .answered
        }
        guard waiting.count < Self.mostWaiting else {
            throw .overloaded(
                retryAfterMs: 100, "\(waiting.count) requests wait to be stored: try again")
        }
        let reply = PendingReply()
        waiting.append(Waiting(request: request, reply: reply))
        awaitTurnEnd()
        return .pending(reply)
    }

    private static func unknown(_ key: String) -> ProtocolError {
        .noSuchItem("there is no document with the key \(ProtocolError.quoted(key))")
    }

    /// Plans all of a request, or nothing.
    private static func plan(
        _ request: MarkRequest, with planner: inout MarkPlanner
    ) throws(ProtocolError) -> [Marks] {
        guard case .keys(let keys) = request.target else {
            planner.planRestoringAll()
            return []
        }
        var marks: [Marks] = []
        let before = planner.begin()
        for key in keys {
            switch planner.plan(request.wish, for: key) {
            case .planned(let planned): marks.append(planned)
            case .noDocument:
                planner.takeBack(to: before)
                throw unknown(key)
            case .noRoom:
                planner.takeBack(to: before)
                throw .limitExceeded(
                    limit: DocumentMarks.most,
                    "\(DocumentMarks.most) documents are liked or dropped: no more can be")
            }
        }
        return marks
    }

    func takeWaiting() -> [Waiting] {
        var taken = 0
        let count = waiting.prefix { request in
            defer { taken += request.request.count }
            return taken < Self.mostAtOnce
        }.count
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }

    func planned(
        _ requests: [Waiting], with planner: inout MarkPlanner
    ) -> [(request: Waiting, marks: [Marks])] {
        var answers: [(request: Waiting, marks: [Marks])] = []
        for waiting in requests {
            do throws(ProtocolError) {
                answers.append((waiting, try Self.plan(waiting.request, with: &planner)))
            } catch {
                waiting.reply.fail(error)
            }
        }
        return answers
    }
}
