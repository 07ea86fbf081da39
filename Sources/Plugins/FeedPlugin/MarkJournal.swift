internal import EventLoops
internal import FeedStorage
internal import JSONText
internal import Observables
internal import PickerModel
internal import PluginInterface
internal import StateFolder
internal import SystemInterface
internal import WireProtocol

/// Stores marks, and then applies them to the documents.
///
/// At the end of a turn of the loop, all queued requests are planned in order and given to a worker thread
/// as one transaction; the next one follows after its answer. Clients are answered and documents marked
/// once the marks are stored. If storing fails, clients get an error (1012) and nothing has changed. The
/// same transactions track marked files (their paths, and whether they are gone); a failed update of these
/// is repeated.
///
/// If the store's folder or files are not at their paths, the marks in memory are the only ones: requests
/// fail, and a moment later the store is recreated with all marks.
///
/// The store is opened or created only when there is something to store, or was before. Without a state
/// folder, marks last as long as the daemon.
final class MarkJournal {
    /// The most requests that wait for the next transaction.
    static let mostWaiting = 1024
    /// A transaction takes no more requests once it has this many documents.
    static let mostAtOnce = 4096
    /// The documents that are planned for in one turn, or whose stored marks take effect; more are in the next turns,
    /// before the next transaction.
    static let documentsAtOnce = 24
    /// The longest time that marks should take to take effect in one turn, in which all lists and results of queries
    /// follow them: half as many do in the next turn if it takes longer.
    static let effectTime = Duration.microseconds(500)
    /// The fewest marks that take effect in one turn, however long they take.
    static let fewestAtOnce = 3
    /// How long a start waits for the store, in milliseconds. The marks of a slower store are applied when
    /// it is open.
    private static let openingLimit: Int32 = 5000
    /// The time from a failure to the retry, unless a request comes first.
    static let retryPace = Duration.seconds(10)
    /// The delay before a misplaced store is recreated, unless a request comes first: whoever removes it
    /// has finished by then.
    static let repairDelay = Duration.seconds(1)

    struct QueuedRequest {
        let request: MarkRequest
        let reply: PendingReply
    }

    /// The worker's current task.
    enum Activity {
        case nothing
        case opening
        /// The documents of some requests are looked at.
        case planning(MarkPlanning)
        case writing(
            [MarkPlan], answers: [(request: QueuedRequest, marks: [Marks])],
            fileChanges: MarkChanges)
        /// These are stored, and take effect in parts.
        case applying(
            ArraySlice<MarkPlan>, answers: [(request: QueuedRequest, marks: [Marks])])
    }

    let context: PluginContext
    let documents: DocumentStore
    let store: (any MarkStore)?
    /// The path of the store; empty without one.
    var path: String { store?.path ?? "" }
    var worker: MarkWorker?
    private var answers: (any LoopSource)?
    var activity = Activity.nothing
    var queued: [QueuedRequest] = []
    /// Whether the stored marks have been loaded.
    var isLoaded = false
    /// Whether the stored marks may differ from those in the answers.
    var mustReplace = true
    /// The reason why nothing can be stored; nil without an error.
    var fault: String?
    var retryTimer: (any TimerSource)?
    var watch: StateFolderWatch?
    /// The marks that take effect in one turn.
    var takingEffect = BatchSize(
        documentsAtOnce / 4, in: fewestAtOnce...documentsAtOnce, taking: effectTime)
    var isTransactionScheduled = false
    /// Whether all plugins have started.
    private var isRunning = false
    private var completeness: Connection?

    /// A journal in `store`; with nil, marks are not stored.
    init(in store: (any MarkStore)?, _ context: PluginContext) {
        self.store = store
        self.context = context
        documents = context.documents
    }

    // MARK: The start

    /// Loads the stored marks before there are any documents.
    func start() {
        let marks = documents.marks
        let loop = context.loop
        marks.now = { [unowned loop] in Int64(loop.wallSeconds) }
        marks.onChange = { [weak self] in self?.scheduleTransaction() }
        completeness = documents.isComplete.changes.connect { [weak self] _ in self?.settle() }
        // By then it is known whether a first scan is under way.
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
        activity = .opening
        guard let worker = startedWorker() else { return }
        if let answer = worker.openFirst(within: Self.openingLimit) { receive(answer) }
    }

    private func settle() {
        if documents.isComplete.value {
            documents.marks.settle()
        } else {
            documents.marks.unsettle()
        }
    }

    /// The worker, started if needed; nil after an error, which is reported.
    func startedWorker() -> MarkWorker? {
        if let worker { return worker }
        guard let store else { return nil }
        do {
            let mailbox = try Mailbox<MarkWorker.Answer>(limit: 16)
            answers = try mailbox.deliver(on: context.loop) { [unowned self] in receive($0) }
            worker = try MarkWorker(store) { mailbox.post($0) }
        } catch {
            failed(error as? StorageError ?? StorageError(.failed, "\(error)"), isOpen: false)
        }
        return worker
    }

    func applyLoaded(_ marks: [StoredMark]) {
        isLoaded = true
        mustReplace = false
        // Existing documents may claim the marks in any order.
        documents.marks.unsettle()
        documents.restoreMarks(marks)
        if isRunning { settle() }
    }

    // MARK: The end

    /// Stores the remaining changes, and waits at most `limit` milliseconds for that.
    func finish(within limit: Int32) {
        retryTimer = nil
        watch = nil
        completeness = nil
        documents.marks.onChange = nil
        switch activity {
        case .planning: activity = .nothing
        case .applying(let rest, _):
            documents.mark(Array(rest))
            activity = .nothing
        case .nothing, .opening, .writing: break
        }
        guard let worker = worker ?? (documents.marks.hasChanges ? startedWorker() : nil) else {
            return
        }
        answers = nil
        let fileChanges = documents.marks.takeChanges()
        var batch: MarkBatch?
        if isLoaded, !fileChanges.isEmpty || (mustReplace && fault != nil) {
            // A transaction under way already replaces everything if needed.
            if case .nothing = activity {
                batch = self.batch([], fileChanges)
            } else {
                batch = MarkBatch(fileChanges)
            }
        }
        var end = worker.finish(writing: batch, within: limit)
        if end == .misplaced, isLoaded {
            mustReplace = true
            end = worker.finish(writing: self.batch([], fileChanges), within: limit)
        }
        switch end {
        case .done: break
        case .late:
            context.report(
                .warning,
                "the disk is too slow: the latest changes of liked files may be missing from "
                    + "'\(path)'",
                fields: ["PICKERD_PATH": path])
        case .misplaced:
            report(
                .warning,
                "'\(path)' was removed or replaced, and can't be made anew: likes, and what is dropped, "
                    + "are lost", "feed-store-degraded")
        }
    }

    // MARK: Information

    func report(_ level: Report.Level, _ message: String, _ event: String) {
        context.report(
            level, message, fields: ["PICKERD_EVENT": event, "PICKERD_PATH": path])
    }

    /// For `daemon.info`.
    func writeInfo(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("marked", documents.marks.wishedCount)
            writer.member("dropped", documents.droppedCount)
            writer.member("visited", documents.visits.count)
            writer.member("gone", documents.marks.waitingCount)
            if let fault { writer.member("degraded", fault) }
        }
    }
}
