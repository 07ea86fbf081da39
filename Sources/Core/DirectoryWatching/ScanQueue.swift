// The folders waiting for a scan, and the running scans.
//
// Each folder stores its own scan state and is in the stack while it waits; the newest is scanned first, which
// keeps the stack short. A folder that cannot be read at its turn may keep waiting outside the stack, for the
// event that says where it is, and is resumed then.
//
// One folder is read on the loop, or several by threads (`ScansElsewhere`), or both while a scan becomes long.
//
// Invariants: only the folders of running scans have the state `running`, and each has one scan; the progress of a
// root counts each folder once, from when it is queued until its scan ends. A folder that has ended while in the stack
// is skipped.

import PickerModel
import SystemInterface

/// The scan progress of a root since it last appeared.
final class ScanProgress {
    fileprivate(set) var foldersScanned = 0
    fileprivate(set) var foldersWaiting = 0
    /// Those scanned since the last time that none waited.
    fileprivate(set) var foldersOfScan = 0
}

/// The scan state of one folder.
struct FolderScan {
    fileprivate enum State {
        case none
        case waiting(recursive: Bool)
        case running
        /// Queued again during its scan.
        case runningAndAgain(recursive: Bool)
    }

    fileprivate var state = State.none
    /// Where it is counted. The progress of a lost root is no longer used.
    fileprivate var progress: ScanProgress?

    /// Whether the folder is neither read nor waiting for it.
    var isIdle: Bool {
        if case .none = state { true } else { false }
    }

    var isWaiting: Bool {
        if case .waiting = state { true } else { false }
    }

    fileprivate var isRunning: Bool {
        switch state {
        case .running, .runningAndAgain: true
        case .none, .waiting: false
        }
    }
}

/// A running scan of one folder.
final class RunningScan {
    let folder: WatchedFolder
    var isRecursive: Bool
    /// Which of its entries are left out; nil if none is.
    var filter: NameFilter?
    /// Reads it on the loop; `nil` if threads read it.
    var reader: DirectoryReader?
    /// The entries that were read last.
    var batch = FolderBatch()
    /// The names of the batch, if a thread has read it.
    var names: PreparedNames?
    /// The number of the part of a folder that the batch is.
    var part = 0
    /// The first of them that was not checked yet.
    var next = 0
    /// All its entries have been read, and are checked but for the last batch.
    var isRead = false
    /// They could be read.
    var isWhole = true
    /// Folders in the tree that the scan has not found yet. Of files their `FileEntries` know it.
    var missingFolders: Set<[UInt8]>
    /// The place in its files before which none was missing; an event may since have moved one there.
    private var swept = 0
    /// A file in it could not be checked for lack of a permission.
    var isClosed = false
    /// What threads have read and are to read of it.
    var elsewhere: ReadingElsewhere?

    init(_ folder: WatchedFolder, isRecursive: Bool, reader: consuming DirectoryReader) {
        self.folder = folder
        self.isRecursive = isRecursive
        self.reader = consume reader
        folder.files.beginSweep()
        missingFolders = Set(folder.folders.keys)
    }

    /// The place of a file that the scan has not found; nil if there is none.
    /// - Complexity: O(n / 64) for n files of the folder, and O(1) where these follow each other.
    func nextMissing() -> Int? {
        let files = folder.files
        guard let place = files.nextMissing(from: swept) ?? files.nextMissing(from: 0) else {
            return nil
        }
        swept = place
        return place
    }
}

/// All folders waiting for a scan.
struct ScanQueue {
    private var stack: [WatchedFolder] = []
    /// The scan that is read on the loop.
    private(set) var running: RunningScan?
    /// The scans that threads read.
    var elsewhere: ScansElsewhere
    /// Whether there is too much to read at once, so that it is read in slices.
    private(set) var isLong = false
    /// Whether a slice did not suffice, so that threads are worth starting.
    private(set) var isForThreads = false

    init(elsewhere: ScansElsewhere = ScansElsewhere()) {
        self.elsewhere = elsewhere
    }

    var isIdle: Bool { running == nil && elsewhere.isEmpty && stack.isEmpty }

    /// Whether a slice would find something to do, rather than wait for threads.
    func needsSlice(hasThreads: Bool) -> Bool {
        if running != nil || elsewhere.hasParts { return true }
        return !stack.isEmpty && (!hasThreads || elsewhere.hasRoom)
    }

    /// Queues a scan of a folder, with all folders below if `recursive`.
    mutating func queueScan(_ folder: WatchedFolder, recursive: Bool) {
        switch folder.scan.state {
        case .none:
            folder.scan.state = .waiting(recursive: recursive)
            folder.scan.progress = folder.attachedRoot?.progress
            if folder.scan.progress?.foldersWaiting == 0 { folder.scan.progress?.foldersOfScan = 0 }
            folder.scan.progress?.foldersWaiting += 1
            stack.append(folder)
        case .waiting(let before):
            folder.scan.state = .waiting(recursive: before || recursive)
        case .running:
            folder.scan.state = .runningAndAgain(recursive: recursive)
        case .runningAndAgain(let before):
            folder.scan.state = .runningAndAgain(recursive: before || recursive)
        }
    }

    /// Resumes a waiting folder that could not be read at its turn.
    mutating func resume(_ folder: WatchedFolder) {
        if folder.scan.isWaiting { stack.append(folder) }
    }

    /// Removes the next folder; its scan may have ended.
    mutating func takeNext() -> WatchedFolder? { stack.popLast() }

    /// Whether the scan of a waiting folder is recursive; `nil` if the folder does not wait.
    func isRecursive(_ folder: WatchedFolder) -> Bool? {
        if case .waiting(let recursive) = folder.scan.state { recursive } else { nil }
    }

    /// Lets a folder wait until other folders are closed, for lack of descriptors or memory.
    /// - Returns: `false`, without effect, if none is open.
    mutating func waitForRoom(_ folder: WatchedFolder) -> Bool {
        if elsewhere.openFolders == 0 { return false }
        elsewhere.isShort = true
        stack.append(folder)
        return true
    }

    /// Begins the scan of a waiting folder on the loop.
    mutating func begin(_ scan: RunningScan) {
        precondition(running == nil && scan.folder.scan.isWaiting, "the folder is not waiting")
        scan.folder.scan.state = .running
        running = scan
    }

    /// Begins the scan of a waiting folder, which threads read. There must be room.
    /// - Returns: the request for its first entries.
    mutating func beginElsewhere(_ scan: RunningScan) -> FolderRequest {
        precondition(scan.folder.scan.isWaiting, "the folder is not waiting")
        scan.folder.scan.state = .running
        return elsewhere.add(scan)
    }

    /// Leaves the rest of the folder that is read on the loop to threads. All entries read so far must have been
    /// checked, and there must be room.
    mutating func handOverRunning() -> FolderRequest? {
        guard let scan = running else { return nil }
        precondition(scan.next == scan.batch.count, "entries are left")
        running = nil
        return elsewhere.add(scan)
    }

    /// Ends the scan that is read on the loop.
    mutating func finishRunning() {
        if let running { finish(running) }
    }

    /// Ends a running scan. If its folder was queued again meanwhile, it waits anew.
    mutating func finish(_ scan: RunningScan) {
        let folder = scan.folder
        let state = folder.scan.state
        end(folder)
        if case .runningAndAgain(let recursive) = state { queueScan(folder, recursive: recursive) }
    }

    /// Ends the scan of a folder, complete or not. What threads still read of it is dropped.
    mutating func end(_ folder: WatchedFolder) {
        if running?.folder === folder { running = nil }
        elsewhere.end(folder)
        if case .none = folder.scan.state { return }
        folder.scan.progress?.foldersWaiting -= 1
        folder.scan.progress?.foldersScanned += 1
        folder.scan.progress?.foldersOfScan += 1
        folder.scan = FolderScan()
    }

    /// Lets the scan run in slices from its first entry on.
    mutating func beginLong() {
        isLong = !isIdle
    }

    /// Ends a slice.
    /// - Parameter isUsedUp: whether the slice reached its limit of entries.
    mutating func endSlice(isUsedUp: Bool) {
        isLong = (isLong || isUsedUp) && !isIdle
        isForThreads = (isForThreads || isUsedUp) && !isIdle
    }

    /// In debug builds, traps if a folder without a scan is being read, or a root is counted wrongly.
    func checkInvariants() {
        #if DEBUG
        elsewhere.checkInvariants()
        var scans = elsewhere.running
        if let running { scans.append(running) }
        precondition(scans.allSatisfy(\.folder.scan.isRunning), "a running scan has ended")
        let folders = Set(scans.map { ObjectIdentifier($0.folder) })
        precondition(folders.count == scans.count, "a folder has two scans")
        // Only small states are checked, as tests have.
        guard stack.count <= 64 else { return }
        var waiting: [ObjectIdentifier: WatchedFolder] = [:]
        for folder in stack {
            precondition(
                !folder.scan.isRunning || folders.contains(ObjectIdentifier(folder)),
                "a folder is being read without a scan")
            if folder.scan.isWaiting { waiting[ObjectIdentifier(folder)] = folder }
        }
        for scan in scans { waiting[ObjectIdentifier(scan.folder)] = scan.folder }
        for progress in waiting.values.compactMap(\.scan.progress) {
            let counted = waiting.values.count { $0.scan.progress === progress }
            precondition(
                progress.foldersWaiting >= counted && progress.foldersScanned >= 0,
                "\(counted) folders wait, and \(progress.foldersWaiting) are counted")
        }
        #endif
    }
}
