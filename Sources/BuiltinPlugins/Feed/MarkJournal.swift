internal import FeedStorage
internal import JSONText
internal import Observables
internal import PickerModel
internal import PluginInterface
internal import SystemdEventLoop
internal import WireProtocol

/// Has marks stored, and then shown.
///
/// At the end of a turn of the loop, all wishes that have come are planned on top of each other and
/// handed to a worker thread as one transaction; the next one is planned when that has been answered. A
/// client is answered, and the documents are marked, once it is stored. If it can't be, the clients are
/// told so (1012) and nothing has changed. In the same transactions goes what has become of marked
/// files (where they are, that they are gone); what could not be stored of that is tried again.
///
/// Nothing is opened or made before there is something to store, or was. Without a folder marks live
/// as long as the daemon.
final class MarkJournal {
    /// The most requests that wait for the transaction after the one under way.
    private static let mostWaiting = 1024
    /// A transaction takes no further request beyond so many documents: the loop spends a few milliseconds on them.
    private static let mostAtOnce = 4096
    /// How long a start waits for the store, in milliseconds. A slower one is taken in when it is there.
    private static let openingLimit: Int32 = 5000
    /// How long the end of the daemon may wait, in milliseconds.
    static let finishLimit: Int32 = 2000
    /// From a failure to the next try, if no client brings it on.
    private static let retryPace = Duration.seconds(10)

    private struct Waiting {
        let request: MarkRequest
        let reply: PendingReply
    }

    /// What the worker is at.
    private enum Work {
        case nothing
        case opening
        case writing([MarkPlan], answers: [(request: Waiting, marks: [Marks])], also: MarkChanges)
    }

    private let context: PluginContext
    private let documents: DocumentStore
    private let store: (any MarkStore)?
    private var worker: MarkWorker?
    private var answers: (any LoopSource)?
    private var work = Work.nothing
    private var waiting: [Waiting] = []
    /// Whether what was stored is known.
    private var isLoaded = false
    /// Whether what is stored may differ from what was answered.
    private var mustReplace = true
    /// Why nothing is stored; nil while all is well.
    private var fault: String?
    private var retryTimer: (any TimerSource)?
    private var isTurnEndAwaited = false
    /// Whether all plugins have started.
    private var isRunning = false
    private var completeness: Connection?

    /// A journal in `store`; nil for none.
    init(in store: (any MarkStore)?, _ context: PluginContext) {
        self.store = store
        self.context = context
        documents = context.documents
    }

    // MARK: The start

    /// Has the documents marked with what is stored, before there are any.
    func start() {
        let marks = documents.marks
        let loop = context.loop
        marks.now = { [unowned loop] in Int64(loop.wallSeconds) }
        marks.onChange = { [weak self] in self?.awaitTurnEnd() }
        completeness = documents.isComplete.changes.connect { [weak self] _ in self?.settle() }
        // By then it is known whether there is a first scan to wait for.
        context.loop.enqueue { [weak self] in
            self?.isRunning = true
            self?.settle()
        }
        guard let store else {
            isLoaded = true
            context.report(
                .notice,
                "likes, and what is dropped, are not kept across restarts: there is no folder for it. "
                    + "Set HOME or XDG_STATE_HOME, or give --state FOLDER",
                fields: ["PICKERD_EVENT": "feed-store-off"])
            return
        }
        if store.isUnused {
            isLoaded = true
            return
        }
        work = .opening
        guard let worker = startedWorker() else { return }
        if let answer = worker.openFirst(within: Self.openingLimit) { take(answer) }
    }

    private func settle() {
        if documents.isComplete.value {
            documents.marks.settle()
        } else {
            documents.marks.unsettle()
        }
    }

    /// The worker, started if need be; nil if that fails, which is told.
    private func startedWorker() -> MarkWorker? {
        if let worker { return worker }
        guard let store else { return nil }
        do throws(EventLoopError) {
            let mailbox = try LoopMailbox<MarkWorker.Answer>(limit: 16)
            answers = try mailbox.deliver(on: context.loop) { [unowned self] in take($0) }
            do throws(MarkStoreError) {
                worker = try MarkWorker(store) { mailbox.post($0) }
            } catch {
                failed(error, isOpen: false)
            }
        } catch {
            failed(MarkStoreError(.failed, "\(error)"), isOpen: false)
        }
        return worker
    }

    private func loaded(_ marks: [StoredMark]) {
        isLoaded = true
        mustReplace = false
        // Whatever is there already may claim them, in no order.
        documents.marks.unsettle()
        documents.restoreMarks(marks)
        if isRunning { settle() }
    }

    // MARK: Requests

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
        if call.isInBatch {
            throw .unsupported(
                "\(call.method) is answered when it is stored, which a batch can't wait for: send it "
                    + "by itself, with 'keys' for several documents")
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
        var trial = planner
        var marks: [Marks] = []
        for key in keys {
            switch trial.plan(request.wish, for: key) {
            case .planned(let planned): marks.append(planned)
            case .noDocument: throw unknown(key)
            case .noRoom:
                throw .limitExceeded(
                    limit: DocumentMarks.most,
                    "\(DocumentMarks.most) documents are liked or dropped: no more can be")
            }
        }
        planner = trial
        return marks
    }

    // MARK: Transactions

    private func awaitTurnEnd() {
        guard !isTurnEndAwaited else { return }
        isTurnEndAwaited = true
        context.loop.atEndOfTurn { [weak self] in
            self?.isTurnEndAwaited = false
            self?.goOn()
        }
    }

    /// Hands the next transaction over, if there is one and the last is done.
    private func goOn(isRetry: Bool = false) {
        guard case .nothing = work else { return }
        if store == nil {
            _ = documents.marks.takeChanges()
            return
        }
        // After a failure, what only follows files about waits for a reason to try.
        let mayTry = isRetry || fault == nil || !waiting.isEmpty
        guard mayTry, isRetry || !waiting.isEmpty || documents.marks.hasChanges else { return }
        if !isLoaded {
            guard let worker = startedWorker() else { return }
            work = .opening
            worker.open()
            return
        }
        var planner = MarkPlanner(for: documents)
        let answers = planned(takeWaiting(), with: &planner)
        let plans = planner.changes
        let also = documents.marks.takeChanges()
        guard isRetry || fault != nil || !plans.isEmpty || !also.isEmpty else {
            // They are as they are wished already, and that is stored.
            resolve(answers)
            if !waiting.isEmpty { awaitTurnEnd() }
            return
        }
        work = .writing(plans, answers: answers, also: also)
        guard let worker = startedWorker() else { return }
        worker.write(batch(plans, also))
    }

    private func takeWaiting() -> [Waiting] {
        var taken = 0
        let count = waiting.prefix { request in
            defer { taken += request.request.count }
            return taken < Self.mostAtOnce
        }.count
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }

    private func planned(
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

    private func batch(_ plans: [MarkPlan], _ also: MarkChanges) -> MarkBatch {
        let marks = documents.marks
        let base = mustReplace ? MarkChanges(puts: marks.everything()) : also
        var puts = Dictionary(uniqueKeysWithValues: base.puts.map { ($0.id, $0) })
        var removals = Set(base.removals)
        for plan in plans {
            let id = plan.stored.id
            if plan.stored.marks.isEmpty {
                puts[id] = nil
                removals.insert(id)
            } else {
                puts[id] = plan.stored
                removals.remove(id)
            }
        }
        let changes = MarkChanges(
            puts: puts.values.sorted { $0.id < $1.id },
            removals: mustReplace ? [] : removals.sorted())
        return MarkBatch(
            changes, replacesAll: mustReplace, isDurable: mustReplace || !plans.isEmpty)
    }

    // MARK: Answers

    private func take(_ answer: MarkWorker.Answer) {
        for note in answer.notes {
            context.report(
                .warning, note,
                fields: [
                    "PICKERD_EVENT": "feed-store-damaged", "PICKERD_PATH": store?.path ?? "",
                ])
        }
        if let error = answer.error {
            failed(error, isOpen: answer.isOpen)
        } else {
            succeeded(answer)
        }
        // Those that came meanwhile.
        if fault == nil || !waiting.isEmpty { goOn() }
    }

    private func succeeded(_ answer: MarkWorker.Answer) {
        let done = work
        work = .nothing
        retryTimer?.unschedule()
        if let marks = answer.opened { loaded(marks) }
        if case .writing(let plans, let answers, _) = done {
            mustReplace = false
            documents.mark(plans)
            resolve(answers)
        }
        guard fault != nil else { return }
        fault = nil
        context.report(
            .notice, "likes, and what is dropped, are stored again, in '\(store?.path ?? "")'",
            fields: ["PICKERD_EVENT": "feed-store-restored", "PICKERD_PATH": store?.path ?? ""])
        publish("daemon.restored", nil)
    }

    private func resolve(_ answers: [(request: Waiting, marks: [Marks])]) {
        for answer in answers {
            answer.request.reply.resolve { answer.request.request.write(&$0, answer.marks) }
        }
    }

    private func failed(_ error: MarkStoreError, isOpen: Bool) {
        let failed = work
        work = .nothing
        if !isOpen { mustReplace = true }
        let refusal = ProtocolError.overloaded(
            retryAfterMs: 1000, "it can't be stored, and nothing was changed: \(error)")
        if case .writing(_, let answers, let also) = failed {
            documents.marks.putBack(also)
            for answer in answers { answer.request.reply.fail(refusal) }
        } else {
            // There was nothing to plan on: those that waited for it are told.
            let refused = waiting
            waiting = []
            for waiting in refused { waiting.reply.fail(refusal) }
        }
        degrade(because: "\(error)")
        if let retryTimer {
            retryTimer.reschedule(after: Self.retryPace)
        } else {
            retryTimer = try? context.loop.schedule(after: Self.retryPace) { [unowned self] in
                retry()
            }
        }
    }

    private func degrade(because reason: String) {
        let isNew = fault == nil
        fault = reason
        guard isNew else { return }
        context.report(
            .warning,
            "likes, and what is dropped, can't be stored: \(reason). Free space, or mend what is wrong "
                + "with '\(store?.path ?? "")'; it is tried again",
            fields: ["PICKERD_EVENT": "feed-store-degraded", "PICKERD_PATH": store?.path ?? ""])
        publish("daemon.degraded", reason)
    }

    private func publish(_ topic: Topic, _ reason: String?) {
        context.publish(topic) { writer in
            writer.object { writer in
                writer.member("what", "feed-store")
                if let reason { writer.member("reason", reason) }
                writer.member("path", store?.path ?? "")
            }
        }
    }

    /// Tries again after an error. Does nothing when there was none.
    func retry() {
        if fault != nil { goOn(isRetry: true) }
    }

    // MARK: The end

    /// Has what is left stored, and waits for that for so many milliseconds.
    func finish(within limit: Int32) {
        retryTimer = nil
        completeness = nil
        documents.marks.onChange = nil
        guard let worker = worker ?? (documents.marks.hasChanges ? startedWorker() : nil) else {
            return
        }
        answers = nil
        let also = documents.marks.takeChanges()
        var batch: MarkBatch?
        if isLoaded, !also.isEmpty {
            // What is under way replaces all if that must be.
            if case .nothing = work {
                batch = self.batch([], also)
            } else {
                batch = MarkBatch(also)
            }
        }
        guard !worker.finish(writing: batch, within: limit) else { return }
        context.report(
            .warning,
            "the disk is too slow: what has become of liked files last may be missing from "
                + "'\(store?.path ?? "")'",
            fields: ["PICKERD_PATH": store?.path ?? ""])
    }

    // MARK: Information

    /// For `daemon.info`.
    func writeInfo(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("marked", documents.marks.count)
            writer.member("dropped", documents.droppedCount)
            writer.member("gone", documents.marks.waitingCount)
            if let fault { writer.member("degraded", fault) }
        }
    }
}
