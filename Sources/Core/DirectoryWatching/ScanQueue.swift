// The folders waiting for a scan, and the running scan.
//
// Each folder stores its own scan state and is in the stack while it waits; the newest is scanned first, which
// keeps the stack short. A folder that cannot be read at its turn may keep waiting outside the stack, for the
// event that says where it is, and is resumed then.
//
// Invariants: only the folder of the running scan has the state `running`; the progress of a root counts each
// folder once, from when it is queued until its scan ends. A folder that has ended while in the stack is
// skipped.

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
    let isRecursive: Bool
    var reader: DirectoryReader
    var entries: [DirectoryEntry] = []
    var next = 0
    /// Names in the tree that the scan has not found yet.
    var unseen: Set<[UInt8]>
    /// A file in it could not be checked for lack of a permission.
    var isClosed = false

    init(_ folder: WatchedFolder, isRecursive: Bool, reader: consuming DirectoryReader) {
        self.folder = folder
        self.isRecursive = isRecursive
        self.reader = reader
        unseen = Set(folder.files.keys)
        unseen.formUnion(folder.folders.keys)
    }
}

/// All folders waiting for a scan.
struct ScanQueue {
    private var stack: [WatchedFolder] = []
    private(set) var running: RunningScan?
    /// Whether there is too much to read at once, so that it is read in slices.
    private(set) var isLong = false

    var isIdle: Bool { running == nil && stack.isEmpty }

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

    /// Begins the scan of a waiting folder.
    mutating func begin(_ scan: RunningScan) {
        precondition(running == nil && scan.folder.scan.isWaiting, "the folder is not waiting")
        scan.folder.scan.state = .running
        running = scan
    }

    /// Ends the running scan. If its folder was queued again meanwhile, it waits anew.
    mutating func finishRunning() {
        guard let folder = running?.folder else { return }
        running = nil
        let state = folder.scan.state
        end(folder)
        if case .runningAndAgain(let recursive) = state { queueScan(folder, recursive: recursive) }
    }

    /// Ends the scan of a folder, complete or not.
    mutating func end(_ folder: WatchedFolder) {
        if running?.folder === folder { running = nil }
        if case .none = folder.scan.state { return }
        folder.scan.progress?.foldersWaiting -= 1
        folder.scan.progress?.foldersScanned += 1
        folder.scan.progress?.foldersOfScan += 1
        folder.scan = FolderScan()
    }

    /// Ends a slice.
    /// - Parameter isUsedUp: whether the slice reached its limit of entries.
    mutating func endSlice(isUsedUp: Bool) {
        isLong = (isLong || isUsedUp) && !isIdle
    }

    /// In debug builds, traps if a folder other than the running one is being read, or a root is counted
    /// wrongly.
    func checkInvariants() {
        #if DEBUG
        precondition(running?.folder.scan.isRunning != false, "the running scan has ended")
        // Only small states are checked, as tests have.
        guard stack.count <= 64 else { return }
        var waiting: [ObjectIdentifier: WatchedFolder] = [:]
        for folder in stack {
            precondition(!folder.scan.isRunning || folder === running?.folder, "two scans run")
            if folder.scan.isWaiting { waiting[ObjectIdentifier(folder)] = folder }
        }
        if let folder = running?.folder { waiting[ObjectIdentifier(folder)] = folder }
        for progress in waiting.values.compactMap(\.scan.progress) {
            let counted = waiting.values.count { $0.scan.progress === progress }
            precondition(
                progress.foldersWaiting >= counted && progress.foldersScanned >= 0,
                "\(counted) folders wait, and \(progress.foldersWaiting) are counted")
        }
        #endif
    }
}
