// Keeps the store equal to the regular files below some roots, as they change.
//
// What it holds: a tree of the folders below each root, one inotify watch for each folder, and the
// key of each file. Events are only hints. A rename carries a key to another name in the tree, and
// every other event marks a name; at the end of a drained queue each marked name is looked at once
// (statx), and what is on disk then decides. So a lost, doubled, or late event costs a look, never
// a wrong list.
//
// Keys. A file keeps its key while it is renamed or moved, alone or with its folder, within and
// between roots. A file renamed over another takes that one's key (an atomic save). A file that is
// gone and there again keeps it too: by its path within one transaction, by being the same inode
// for a second after.
//
// Transactions. What one drained queue changed is applied to the store at once, or in parts of
// `WatchLimits.changesPerTransaction`. A first scan comes in such parts. While a rescan is under
// way nothing is applied before its end, because a file that seems gone may turn up further on.
//
// Failure. Nothing here is fatal: a folder that cannot be watched is read again every few seconds, and
// so are all while there is no inotify instance; one that cannot be read is tried again, a root that is
// not there is waited for, a lost event leads to a rescan. Each is told by `onReport` and in `roots`.
//
// Not seen, because the kernel does not tell: writing through a memory map, or through a hard link
// that is outside the roots or gone before it was looked at; and a rename of a folder above a root, which
// the next `drainNow` notices. inotify does not tell of mounts; /proc/self/mountinfo does.

package import PickerModel
import SystemInterface
package import SystemdEventLoop

/// Follows the regular files below some folders. Bound to its loop.
package final class DirectoryWatcher {
    /// Called after what it tells of has happened; may call the watcher.
    package var onReport: ((WatchReport) -> Void)?
    /// Called after the store has changed; may call the watcher.
    package var onChange: ((DocumentChange) -> Void)?

    let loop: any EventLoop
    let store: DocumentStore
    let access: any FileAccess
    let limits: WatchLimits

    // The tree
    var rootList: [WatchedRoot] = []
    var rootWaiting = RootWaiting()
    var tree = FolderTree()
    var degraded: [ObjectIdentifier: WatchedFolder] = [:]

    /// What is out of the tree and may turn up elsewhere.
    var moves: MovePairing
    /// What is to be looked at.
    var checks = PendingChecks()
    var lateWrites: LateWrites

    /// What was gathered since the last commit.
    var changes: PendingChanges
    /// Changes that are committed in one turn: fewer while commits are slow.
    var changesAtOnce: Int

    // Events
    var hasOverflowed = false
    var isQueueEmpty = true
    var isTurnQueued = false
    /// A commit waits for looks that are cut, or a part of one is left; nothing is read before it.
    var isCommitDue = false
    /// Rounds left of reading the queue before a commit, while that goes on in further turns.
    var roundsToCatchUp: Int?
    /// When the turn is to leave the rest to the next one; `nil` if somebody waits for all of it.
    var turnEnd: MonotonicInstant?

    // Scans
    var scans = ScanQueue()
    var isSliceQueued = false
    var rescan: Rescan?

    // What is to be told, once the work at hand is done
    var isWorking = false
    private var outbox: [Message] = []
    private var isDelivering = false
    private var settledWaiters: [SettledWait] = []

    var queueSource: (any IOSource)?
    /// Why there is no queue of events, while there is none: all folders are polled then.
    var queueFault: ErrorNumber?
    /// Folders that could not be read for want of descriptors or memory.
    var shortages: Set<ObjectIdentifier> = []
    var timers: [WatchTimer: any TimerSource] = [:]
    var mountSource: (any IOSource)?
    var mountTable: MountTable?
    var isMountLookWaiting = false

    /// A watcher of the real file system; it follows nothing before `setRoots`.
    package convenience init(
        loop: any EventLoop, store: DocumentStore, limits: WatchLimits = WatchLimits()
    ) {
        self.init(loop: loop, store: store, access: LinuxFileAccess(), limits: limits)
    }

    /// A watcher on `access`, which tests may make fail.
    package init(
        loop: any EventLoop, store: DocumentStore, access: any FileAccess, limits: WatchLimits
    ) {
        loop.preconditionOnLoop()
        self.loop = loop
        self.store = store
        self.access = access
        self.limits = limits
        changesAtOnce = limits.changesPerTransaction
        moves = MovePairing(limit: limits.heldMoves)
        lateWrites = LateWrites(interval: limits.writeInterval)
        changes = PendingChanges(
            remembering: KeyMemory(limit: limits.keysRemembered, span: limits.keyMemory))
        openQueue()
        watchMounts()
    }

    deinit {
        queueSource?.cancel()
        mountSource?.cancel()
    }

    /// What is known of each root, in the order given, without those that lie in another.
    package var roots: [RootStatus] {
        loop.preconditionOnLoop()
        return rootList.filter { !$0.isCovered }.map(status)
    }

    /// Whether the store has all that was on disk when the queue was last empty.
    package var isSettled: Bool {
        isQueueEmpty && scans.isIdle && rescan == nil
            && !moves.hasPending && lateWrites.isEmpty && checks.count == 0 && !isCommitDue
            && shortages.isEmpty
    }

    /// Reads all that the kernel has queued, and applies it; returns the store's revision.
    ///
    /// What was done to a watched folder before the call is in that revision, unless a scan or
    /// rescan is under way or is found to be needed: then `isSettled` is false, and it is in the
    /// revision once `whenSettled` calls. Folders that are only polled are read again for this.
    /// Called from an observer of the store it does nothing.
    /// - Complexity: O(events), and at most `WatchLimits.entriesInline` entries of new folders.
    @discardableResult
    package func drainNow() -> Int {
        loop.preconditionOnLoop()
        if !isWorking { work { $0.drain() } }
        return store.rev
    }

    /// Calls `body` once as soon as `isSettled`, at once if it is now. Releasing the result
    /// takes it back.
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

    func tell(_ change: DocumentChange) {
        outbox.append(.change(change))
    }

    func deliver() {
        if isDelivering { return }
        isDelivering = true
        defer { isDelivering = false }
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
        if settledWaiters.isEmpty || !isSettled { return }
        let waiters = settledWaiters
        settledWaiters = []
        for wait in waiters { wait.fire() }
    }

    private enum Message {
        case report(WatchReport)
        case change(DocumentChange)
    }
}

/// A wait for a watcher to have settled; over when released.
package final class SettledWait {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    /// Takes the wait back; again does nothing.
    package func cancel() {
        body = nil
    }

    func fire() {
        let body = body
        self.body = nil
        body?()
    }
}
