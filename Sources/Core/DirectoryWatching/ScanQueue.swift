// The folders that are going to be read, and the one that is being read.
//
// A folder keeps in itself whether it is to be read, and is in line for it; what came last is read first, so
// that little waits. One that can't be read when its turn comes may go on waiting outside the line, for
// the event that says where it is, and is resumed then.
//
// Invariants: the folder of the running scan says that it is being read, and no other does; a root's progress
// counts each of its folders once from when it is queued until its reading has ended. A folder that has
// ended since it came into the line is passed over when its turn comes.

import SystemInterface

/// How far the folders of a root have been read since it was last there.
final class ScanProgress {
    fileprivate(set) var foldersScanned = 0
    fileprivate(set) var foldersWaiting = 0
}

/// Whether one folder is going to be read.
struct FolderScan {
    fileprivate enum State {
        case none
        case waiting(recursive: Bool)
        case running
        /// Asked for again while it was being read.
        case runningAndAgain(recursive: Bool)
    }

    fileprivate var state = State.none
    /// What it is counted in. That of a root which was lost meanwhile counts for nobody.
    fileprivate var progress: ScanProgress?

    var isWaiting: Bool {
        if case .waiting = state { return true }
        return false
    }

    fileprivate var isRunning: Bool {
        switch state {
        case .running, .runningAndAgain: true
        case .none, .waiting: false
        }
    }
}

/// A folder being read.
final class RunningScan {
    let folder: WatchedFolder
    let isRecursive: Bool
    var reader: DirectoryReader
    var entries: [DirectoryEntry] = []
    var next = 0
    /// Names in the tree that the reading has not come upon.
    var unseen: Set<[UInt8]>
    /// A file in it could not be looked at for want of a permission.
    var isClosed = false

    init(_ folder: WatchedFolder, isRecursive: Bool, reader: consuming DirectoryReader) {
        self.folder = folder
        self.isRecursive = isRecursive
        self.reader = reader
        unseen = Set(folder.files.keys)
        unseen.formUnion(folder.folders.keys)
    }
}

/// All folders that are going to be read.
struct ScanQueue {
    private var line: [WatchedFolder] = []
    private(set) var running: RunningScan?
    /// What is to be read is too much to be read at once, and is read in slices.
    private(set) var isLong = false

    var isIdle: Bool { running == nil && line.isEmpty }

    /// Has a folder read, with all folders below it if that is asked for.
    mutating func queueScan(_ folder: WatchedFolder, recursive: Bool) {
        switch folder.scan.state {
        case .none:
            folder.scan.state = .waiting(recursive: recursive)
            folder.scan.progress = folder.attachedRoot?.progress
            folder.scan.progress?.foldersWaiting += 1
            line.append(folder)
        case .waiting(let before):
            folder.scan.state = .waiting(recursive: before || recursive)
        case .running:
            folder.scan.state = .runningAndAgain(recursive: recursive)
        case .runningAndAgain(let before):
            folder.scan.state = .runningAndAgain(recursive: before || recursive)
        }
    }

    /// A folder that waits and could not be read when its turn came can be read now.
    mutating func resume(_ folder: WatchedFolder) {
        if folder.scan.isWaiting { line.append(folder) }
    }

    /// Takes the folder whose turn it is; it may have ended.
    mutating func takeNext() -> WatchedFolder? { line.popLast() }

    /// Whether a folder that waits is to be read with those below; `nil` if it does not wait.
    func isRecursive(_ folder: WatchedFolder) -> Bool? {
        if case .waiting(let recursive) = folder.scan.state { return recursive }
        return nil
    }

    /// The reading of a folder that waited begins.
    mutating func begin(_ scan: RunningScan) {
        precondition(running == nil && scan.folder.scan.isWaiting, "that folder does not wait")
        scan.folder.scan.state = .running
        running = scan
    }

    /// The running scan is over. If its folder was asked for again meanwhile, it waits anew.
    mutating func finishRunning() {
        guard let folder = running?.folder else { return }
        running = nil
        let state = folder.scan.state
        end(folder)
        if case .runningAndAgain(let recursive) = state { queueScan(folder, recursive: recursive) }
    }

    /// A folder is not read any more, whether it was or not.
    mutating func end(_ folder: WatchedFolder) {
        if running?.folder === folder { running = nil }
        if case .none = folder.scan.state { return }
        folder.scan.progress?.foldersWaiting -= 1
        folder.scan.progress?.foldersScanned += 1
        folder.scan = FolderScan()
    }

    /// Some were read.
    /// - Parameter isUsedUp: whether as many entries as may be at once.
    mutating func endSlice(isUsedUp: Bool) {
        isLong = (isLong || isUsedUp) && !isIdle
    }

    /// In debug builds, traps if a folder that is read is not the running one, or a root counts wrongly.
    func checkInvariants() {
        #if DEBUG
        precondition(running?.folder.scan.isRunning != false, "the running scan has ended")
        // All of it for few folders, which is what tests have.
        guard line.count <= 64 else { return }
        var waiting: [ObjectIdentifier: WatchedFolder] = [:]
        for folder in line {
            precondition(!folder.scan.isRunning || folder === running?.folder, "two are read")
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
