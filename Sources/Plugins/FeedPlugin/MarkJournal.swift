internal import FeedStorage
internal import JSONText
internal import Observables
internal import PickerModel
internal import PluginInterface
internal import StateFolder
internal import SystemInterface
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
/// If the store's folder or files are not where they were made any more, what is known here is all there is:
/// wishes are refused, and a moment later the store is made anew with every mark.
///
/// Nothing is opened or made before there is something to store, or was. Without a folder marks live
/// as long as the daemon.
final class MarkJournal {
    /// The most requests that wait for the transaction after the one under way.
    static let mostWaiting = 1024
    /// A transaction takes no further request beyond so many documents: the loop spends a few milliseconds on them.
    static let mostAtOnce = 4096
    /// How long a start waits for the store, in milliseconds. A slower one is taken in when it is there.
    private static let openingLimit: Int32 = 5000
    /// How long the end of the daemon may wait, in milliseconds.
    static let finishLimit: Int32 = 2000
    /// From a failure to the next try, if no client brings it on.
    static let retryPace = Duration.seconds(10)
    /// From when it is seen that the store is not in its place to when it is made anew, if no client brings
    /// it on: who removes it is done by then.
    static let repairDelay = Duration.seconds(1)

    struct Waiting {
        let request: MarkRequest
        let reply: PendingReply
    }

    /// What the worker is at.
    enum Work {
        case nothing
        case opening
        case writing([MarkPlan], answers: [(request: Waiting, marks: [Marks])], also: MarkChanges)
    }

    let context: PluginContext
    let documents: DocumentStore
    let store: (any MarkStore)?
    var worker: MarkWorker?
    private var answers: (any LoopSource)?
    var work = Work.nothing
    var waiting: [Waiting] = []
    /// Whether what was stored is known.
    var isLoaded = false
    /// Whether what is stored may differ from what was answered.
    var mustReplace = true
    /// Why nothing is stored; nil while all is well.
    var fault: String?
    var retryTimer: (any TimerSource)?
    var watch: StateFolderWatch?
    var isTurnEndAwaited = false
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
    func startedWorker() -> MarkWorker? {
        if let worker { return worker }
        guard let store else { return nil }
        do {
            let mailbox = try Mailbox<MarkWorker.Answer>(limit: 16)
            answers = try mailbox.deliver(on: context.loop) { [unowned self] in take($0) }
            worker = try MarkWorker(store) { mailbox.post($0) }
        } catch {
            failed(error as? StorageError ?? StorageError(.failed, "\(error)"), isOpen: false)
        }
        return worker
    }

    func loaded(_ marks: [StoredMark]) {
        isLoaded = true
        mustReplace = false
        // Whatever is there already may claim them, in no order.
        documents.marks.unsettle()
        documents.restoreMarks(marks)
        if isRunning { settle() }
    }

    // MARK: The end

    /// Has what is left stored, and waits for that for so many milliseconds.
    func finish(within limit: Int32) {
        retryTimer = nil
        watch = nil
        completeness = nil
        documents.marks.onChange = nil
        guard let worker = worker ?? (documents.marks.hasChanges ? startedWorker() : nil) else {
            return
        }
        answers = nil
        let also = documents.marks.takeChanges()
        var batch: MarkBatch?
        if isLoaded, !also.isEmpty || (mustReplace && fault != nil) {
            // What is under way replaces all if that must be.
            if case .nothing = work {
                batch = self.batch([], also)
            } else {
                batch = MarkBatch(also)
            }
        }
        var end = worker.finish(writing: batch, within: limit)
        if end == .misplaced, isLoaded {
            mustReplace = true
            end = worker.finish(writing: self.batch([], also), within: limit)
        }
        let path = store?.path ?? ""
        switch end {
        case .done: break
        case .late:
            context.report(
                .warning,
                "the disk is too slow: what has become of liked files last may be missing from "
                    + "'\(path)'",
                fields: ["PICKERD_PATH": path])
        case .misplaced:
            context.report(
                .warning,
                "'\(path)' was removed or replaced, and can't be made anew: likes, and what is dropped, "
                    + "are lost",
                fields: ["PICKERD_EVENT": "feed-store-degraded", "PICKERD_PATH": path])
        }
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
