// Keeps the store equal to the regular files below the roots.
//
// State: a tree of the folders below each root, an inotify watch per folder, and a key per file. Events are
// only hints. A rename carries a key to another name in the tree; every other event marks a name. When the
// event queue is empty, each marked name is checked once (statx), and what is on disk decides. A lost, doubled
// or late event therefore costs a check and never a wrong list.
//
// Keys. A file keeps its key when it is renamed or moved, alone or with its folder, within a root or between
// roots. A file renamed over another takes that file's key (an atomic save). A file that disappears and returns
// keeps its key too: by its path within one transaction, by its inode for one second.
//
// Transactions. The changes of one drained queue are applied to the store in one transaction, or in parts of
// `WatchLimits.changesPerTransaction`. A first scan arrives in such parts. A rescan applies nothing before its
// end, because a file that seems gone may turn up in a folder that is read later.
//
// Rules. What the rules of a root leave out, such as caches and temporary files, is not watched, and its events are
// dropped (`DirectoryWatcher+Rules`).
//
// Failures. None is fatal. A folder that cannot be watched is polled every 1 to 30 s, as are all folders
// while there is no inotify instance. If watches run out, they move to where changes happen and lists look
// (`WatchMoves`). An unreadable folder is retried, a missing root is awaited, and a lost
// event starts a rescan. `onReport` and `roots` tell of each.
//
// Links. A symbolic link is a document, or a folder, only if the rules say so (`DirectoryWatcher+Links`).
//
// Saves. A name whose file is being saved is checked when the save is over (`HeldNames`).
//
// Blind spots, because the kernel sends no event: writes through a memory map; writes through a hard link that
// is outside the roots, in a folder that is left out, or removed before the event of its making was read or before the
// end of a long scan; a rename of a folder above a root, which the next `drainNow` finds. inotify does not report mounts;
// /proc/self/mountinfo does.

package import EventLoops
import FileRules
package import PickerModel
import SystemInterface

/// Follows the regular files below some folders. Confined to its loop's thread.
package final class DirectoryWatcher {
    /// Called after the reported event; may call the watcher.
    package var onReport: ((WatchReport) -> Void)?
    /// Called after a change of the store; may call the watcher.
    package var onChange: ((DocumentChange) -> Void)?

    let loop: any EventLoop
    let store: DocumentStore
    /// The names of the files that have documents.
    let fileNames: FileNames
    let access: any FileAccess
    let limits: WatchLimits

    // The tree
    var rootList: [WatchedRoot] = []
    /// The numbers of documents in the store, by the text of their root. A root that is gone may have
    /// documents for a while: those in half-moved folders.
    var documentCounts: [String: Int] = [:]
    /// The rules of roots that lie in others, by their paths.
    var coveredRules: [[UInt8]: FolderRules] = [:]
    var rootWaiting = RootWaiting()
    var tree = FolderTree()
    var degraded: [ObjectIdentifier: WatchedFolder] = [:]

    /// Symbolic links that count, and which of them are followed.
    var links: KnownLinks

    /// Entries that left the tree and may return elsewhere.
    var moves: MovePairing
    /// Names to check on disk.
    var checks = PendingChecks()
    /// Names whose checks wait for the end of a save.
    var held: HeldNames

    /// Changes since the last commit.
    var changes: PendingChanges
    /// Changes committed in one turn; fewer while commits are slow.
    var commitSize: BatchSize

    // Events
    var hasOverflowed = false
    var isQueueEmpty = true
    var isTurnQueued = false
    /// A commit is waiting for unfinished checks, or part of one is left; no event is read before it.
    var isCommitDue = false
    /// When the first commit of this turn began, and the changes of all of them.
    var committed: (began: MonotonicInstant, changes: Int)?
    /// Since when there has always been something that the store does not have yet.
    var midwaySince: MonotonicInstant?
    /// The positions up to which the queue is to be read for callers, in several turns: bytes of events, in rising order.
    var drainTargets: [Int] = []
    /// The position up to which it was read last for a caller, with all that this takes.
    var drainedPosition = 0
    /// How often it was.
    var drainCount = 0
    /// Rounds left of reading the queue before a commit, when that continues in later turns.
    var roundsToCatchUp: Int?
    /// The end of this turn, after which the rest is left to the next one; `nil` if a caller waits for all of
    /// it.
    var turnEnd: MonotonicInstant?

    // Scans
    var scans: ScanQueue
    var isSliceQueued = false
    /// Read the folders of a long scan.
    var readers: (any FolderReaders)?
    /// There are none, or they could not be started; the next long scan tries again.
    var hasNoReaders = false
    var rescan: Rescan?
    var pollPace: PollPace
    /// Which folders are to have watches, while there are too few.
    var watchMoves: WatchMoves
    var isMoveQueued = false
    /// The time of the work under way, as folders keep it.
    var watchStamp: UInt32 = 0
    /// The folders of the last run, until the roots are set, by the paths of their roots.
    var restored: [[UInt8]: RestoredTree] = [:]
    /// They are to be compared with the disk.
    var isVerificationDue = false

    // Messages sent after the current work
    var isWorking = false
    var outbox: [Message] = []
    private var isDelivering = false
    private var settledWaiters: [SettledWait] = []
    /// Files that a client waits for.
    var fileWaits: [FileWait] = []

    var queueSource: (any IOSource)?
    /// Why there is no event queue; all folders are polled while it is set.
    var queueFault: ErrorNumber?
    /// Folders that could not be read because descriptors or memory ran out.
    var shortages: Set<ObjectIdentifier> = []
    var timers: [WatchTimer: any TimerSource] = [:]
    var mountSource: (any IOSource)?
    var mountTable: MountTable?
    var isMountCheckQueued = false

    /// A watcher of the real file system, or of `access`, where tests inject failures. It follows nothing
    /// before `setRoots`.
    package init(
        loop: any EventLoop, store: DocumentStore, access: any FileAccess = LinuxFileAccess(),
        limits: WatchLimits = WatchLimits()
    ) {
        loop.preconditionOnLoop()
        self.loop = loop
        self.store = store
        fileNames = FileNames(of: store.table)
        self.access = access
        self.limits = limits
        let most = limits.changesPerTransaction
        commitSize = BatchSize(
            limits.changesAtFirst, in: min(limits.fewestChangesPerTransaction, most)...most,
            taking: limits.commitTime)
        scans = ScanQueue(
            elsewhere: ScansElsewhere(
                folderLimit: limits.foldersElsewhere, entryLimit: limits.entriesElsewhere,
                touchedLimit: limits.namesTouched))
        links = KnownLinks(limit: limits.links)
        moves = MovePairing(limit: limits.pendingRenames)
        pollPace = PollPace(limits)
        watchMoves = WatchMoves(limits)
        held = HeldNames(for: limits.holdTime, limit: limits.namesHeld)
        changes = PendingChanges(
            remembering: KeyMemory(limit: limits.rememberedKeys, span: limits.keyMemory))
        openQueue()
        watchMounts()
        store.areMoreComing = { [weak self] in self?.areMoreComing ?? false }
    }

    deinit {
        queueSource?.cancel()
        mountSource?.cancel()
        readers?.end()
    }

    /// The status of each root, in the order given, without roots inside another root.
    package var roots: [RootStatus] {
        loop.preconditionOnLoop()
        return rootList.filter { !$0.isCovered }.map(status)
    }

    /// Whether the store has everything that was on disk when the queue was last empty, but for files that are being
    /// saved: `drainNow` does not wait for their programs.
    package var isSettled: Bool {
        isQueueEmpty && scans.isIdle && rescan == nil
            && !moves.hasPending && !moves.hasDeparted && checks.count == 0
            && !isCommitDue && !isDrainDue && !links.isDue && shortages.isEmpty
    }

    /// All that is queued is to be read for a caller, in several turns.
    var isDrainDue: Bool { !drainTargets.isEmpty }

    /// Whether the store has all that was read from the queue.
    private var isCommitted: Bool {
        scans.isIdle && rescan == nil && !hasOverflowed && !moves.hasDeparted && checks.count == 0
            && !isCommitDue && !changes.hasDecided && !links.isDue && shortages.isEmpty
    }

    /// Reads and applies all queued events; returns the store's revision.
    ///
    /// That revision includes every change made to a watched folder before the call, unless a scan or rescan is
    /// under way or turns out to be needed. In that case `isSettled` is false, and the change is in the
    /// revision by the time `whenSettled` calls back. Folders that are only polled are read again. A call from
    /// an observer of the store does nothing.
    /// - Complexity: O(events), and at most `WatchLimits.entriesInline` entries of new folders.
    @discardableResult
    package func drainNow() -> Int {
        loop.preconditionOnLoop()
        if !isWorking { perform { $0.drain() } }
        return store.rev
    }

    /// Calls `body` once when the store has every change that was made to a watched folder before this call: at once, if a
    /// turn suffices. Releasing the result cancels the wait.
    ///
    /// Changes that come later are not waited for, however many there are. The kernel queues events in the order of the
    /// changes, so it is enough to read as many bytes as wait now. Folders that are only polled are read again, and a
    /// scan or rescan that is under way is waited for.
    /// - Complexity: as of a turn of the loop.
    package func drain(then body: @escaping () -> Void) -> SettledWait {
        loop.preconditionOnLoop()
        let end = access.endOfQueue
        let wait = SettledWait(body, after: (end, drainCount))
        settledWaiters.append(wait)
        addDrainTarget(end)
        // A call from an observer is continued by the turn that it is in, or the next one.
        if !isWorking { performInTurn { $0.continueDrain() } }
        return wait
    }

    func addDrainTarget(_ end: Int) {
        if drainTargets.last != end { drainTargets.append(end) }
    }

    /// Calls `body` once when `isSettled` becomes true, at once if it is. Releasing the result cancels the
    /// wait.
    package func whenSettled(_ body: @escaping () -> Void) -> SettledWait {
        loop.preconditionOnLoop()
        let wait = SettledWait(body)
        if isSettled, !isWorking {
            wait.fire()
        } else {
            settledWaiters.append(wait)
        }
        return wait
    }

    func report(_ report: WatchReport) {
        outbox.append(.report(report))
    }

    func deliver() {
        if isDelivering { return }
        isDelivering = true
        defer { isDelivering = false }
        repeat {
            while !outbox.isEmpty {
                let messages = outbox
                outbox = []
                for message in messages {
                    switch message {
                    case .report(let report): onReport?(report)
                    case .change(let change): onChange?(change)
                    }
                }
            }
            tellWaiters()
        } while !outbox.isEmpty
    }

    private func tellWaiters() {
        proceedWithFiles()
        if settledWaiters.isEmpty || isWorking { return }
        let (isSettled, isCommitted) = (isSettled, isCommitted)
        var waiters: [SettledWait] = []
        settledWaiters.removeAll { wait in
            let isOver =
                if let (end, count) = wait.end {
                    isCommitted && drainCount > count && drainedPosition >= end
                } else {
                    isSettled
                }
            if isOver { waiters.append(wait) }
            return isOver || wait.isOver
        }
        for wait in waiters { wait.fire() }
    }

    enum Message {
        case report(WatchReport)
        case change(DocumentChange)
    }
}

/// A wait for a watcher to settle; cancelled when released.
package final class SettledWait {
    private var body: (() -> Void)?
    /// The position up to which the queue is to be read, and how often it had been read so when the wait began; nil if
    /// the watcher is to settle.
    let end: (position: Int, drainCount: Int)?

    init(_ body: @escaping () -> Void, after end: (position: Int, drainCount: Int)? = nil) {
        self.body = body
        self.end = end
    }

    var isOver: Bool { body == nil }

    /// Cancels the wait. Idempotent.
    package func cancel() {
        body = nil
    }

    func fire() {
        let body = body
        self.body = nil
        body?()
    }
}
