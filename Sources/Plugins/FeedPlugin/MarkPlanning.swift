internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// Plans requests in their order, a few documents at a time: each whole, or not at all.
///
/// Documents may change meanwhile. A plan says what is stored, and takes effect on the document as it is by then; a
/// request for one that is gone before it is planned fails.
final class MarkPlanning {
    private let requests: [MarkJournal.QueuedRequest]
    private var planner: MarkPlanner
    private var nextRequest = 0
    /// The documents of the request under way that are planned.
    private var marks: [Marks] = []
    /// Those whose planning has succeeded.
    private(set) var answers: [(request: MarkJournal.QueuedRequest, marks: [Marks])] = []
    /// Whether a failed transaction is tried again.
    let isRetry: Bool

    init(_ requests: [MarkJournal.QueuedRequest], of documents: DocumentStore, isRetry: Bool) {
        self.requests = requests
        self.isRetry = isRetry
        planner = MarkPlanner(for: documents)
    }

    /// Plans one request at once.
    static func plan(
        _ request: MarkRequest, of documents: DocumentStore
    ) throws(ProtocolError) -> (plans: [MarkPlan], marks: [Marks]) {
        let planning = MarkPlanning([], of: documents, isRetry: false)
        var left = Int.max
        _ = try planning.plan(request, &left)
        return (planning.plans, planning.marks)
    }

    /// The plans that change something.
    var plans: [MarkPlan] { planner.changes }

    /// Plans for `budget` documents at most; all dropped documents are restored at once.
    /// - Returns: whether all is planned.
    func advance(budget: Int) -> Bool {
        var left = budget
        while left > 0, nextRequest < requests.count {
            let queued = requests[nextRequest]
            do throws(ProtocolError) {
                guard try plan(queued.request, &left) else { return false }
                answers.append((queued, marks))
            } catch {
                planner.takeBack()
                queued.reply.fail(error)
            }
            marks = []
            nextRequest += 1
        }
        return nextRequest == requests.count
    }

    /// - Returns: whether the request is planned.
    private func plan(_ request: MarkRequest, _ left: inout Int) throws(ProtocolError) -> Bool {
        guard case .keys(let keys) = request.target else {
            planner.planRestoringAll()
            left -= 1
            return true
        }
        if marks.isEmpty { planner.begin() }
        while marks.count < keys.count {
            if left == 0 { return false }
            left -= 1
            let key = keys[marks.count]
            switch planner.plan(request.wish, for: key) {
            case .planned(let planned): marks.append(planned)
            case .noDocument: throw MarkJournal.unknown(key)
            case .noRoom:
                throw .limitExceeded(
                    limit: DocumentMarks.most,
                    "\(DocumentMarks.most) documents are liked, dropped or visited: no more can be")
            }
        }
        return true
    }
}
