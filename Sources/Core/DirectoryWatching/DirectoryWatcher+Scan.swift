// Reading folders: new ones, all of them after an overflow, those without a watch every so often.
//
// A folder is opened, then watched, then read; so what happens in it meanwhile is told by events,
// and what happened before is read. The work is cut into slices on the loop. Entries are looked at
// relative to the open folder, so it may be renamed meanwhile.

import Glibc
import SystemInterface
import SystemdEventLoop

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

/// Reading again of folders whose events were lost or never come.
struct Rescan {
    /// After an overflow: all roots, and it is told when done.
    var isComplete: Bool
    /// Asked for again meanwhile: another one follows.
    var isAgain = false
    /// Until its folders are read.
    var isRunning = true
    var added = 0
    var removed = 0
    var changed = 0

    mutating func note(_ transaction: WatchTransaction) {
        added += transaction.added.count
        removed += transaction.removed.count
        changed += transaction.changed.count + transaction.moved.count
    }
}

extension DirectoryWatcher {
    /// Has a folder read soon.
    func requestScan(_ folder: WatchedFolder, recursive: Bool) {
        switch folder.scan {
        case .none:
            folder.scan = .waiting(recursive: recursive)
            let root = folder.attachedRoot
            root?.foldersWaiting += 1
            folder.scanRoot = root
            scansWaiting.append(folder)
        case .waiting(let before):
            folder.scan = .waiting(recursive: before || recursive)
        case .running:
            folder.scan = .runningAndAgain(recursive: recursive)
        case .runningAndAgain(let before):
            folder.scan = .runningAndAgain(recursive: before || recursive)
        }
    }

    /// Reads all roots again: events were lost.
    func startRescan() {
        if rescan?.isComplete == true {
            rescan?.isAgain = true
            return
        }
        rescan = Rescan(isComplete: true)
        for root in rootList {
            if let folder = root.folder { requestScan(folder, recursive: true) }
        }
        // A folder between two places is read again when it is back.
        for (_, thing) in moves.pendingThings {
            if case .folder(let folder) = thing { requestScan(folder, recursive: true) }
        }
        rootsToProbe.append(contentsOf: rootList)
    }

    /// Reads the folders without a watch again, and asks for roots that no watch tells of.
    func startPoll() {
        openQueue()
        rootsToProbe.append(contentsOf: rootList.filter(\.isPolledFor))
        if rescan != nil {
            rescan?.isAgain = true
            return
        }
        for folder in degraded.values where folder.isPolled {
            if rescan == nil { rescan = Rescan(isComplete: false) }
            requestScan(folder, recursive: false)
        }
    }

    /// Few new folders are read at once, to be in the same transaction as what made them.
    func scanInline() {
        // Not if a long scan is under way: that goes on in its slices.
        if !isScanLong {
            let isUsedUp = scan(entries: limits.entriesInline)
            isScanLong = isUsedUp && (runningScan != nil || !scansWaiting.isEmpty)
        }
        endRescan()
    }

    /// Goes on reading after other work has had its turn.
    func queueSlice() {
        if isSliceQueued || (runningScan == nil && scansWaiting.isEmpty && rescan == nil) { return }
        isSliceQueued = true
        loop.enqueue(priority: .low) { [weak self] in
            guard let self else { return }
            self.isSliceQueued = false
            self.workWhenFree { $0.runSlice() }
        }
    }

    private func runSlice() {
        if isCommitDue { return queueSlice() }
        if !isCatchingUp, !checks.isCut, scan(entries: limits.entriesPerSlice) { isScanLong = true }
        if runningScan == nil, scansWaiting.isEmpty { isScanLong = false }
        if !checks.isCut, catchUp() {
            endRescan()
            let isDone = runningScan == nil && scansWaiting.isEmpty
            if isDone || drafts.count >= limits.changesPerTransaction { commitIfQuiet() }
        }
        armTimers()
        queueSlice()
    }

    /// - Returns: whether so many were looked at.
    @discardableResult
    private func scan(entries limit: Int) -> Bool {
        var left = limit
        while left > 0 {
            if runningScan == nil {
                guard let folder = scansWaiting.popLast() else { break }
                left -= 1
                start(folder)
            }
            if let scan = runningScan { step(scan, &left) }
        }
        settleChecks()
        return left <= 0
    }

    // MARK: One folder

    private func start(_ waiting: WatchedFolder) {
        guard case .waiting(let recursive) = waiting.scan else { return }
        // A detached folder has no path; it waits to be put back, or is dropped.
        guard let path = waiting.path() else { return }
        if waiting.depth > limits.depth {
            removeContents(of: waiting)
            releaseWatch(waiting)
            degrade(waiting, .depth)
            end(waiting)
            return
        }
        let scan: RunningScan
        let status: FileStatus
        do {
            let descriptor = try access.openFolder(path)
            status = try access.status(descriptor)
            scan = RunningScan(
                waiting, isRecursive: recursive, reader: DirectoryReader(descriptor))
        } catch {
            if error.code.isAbsence, let parent = waiting.parent {
                // Gone, or moved by an event that is still to be read: it goes on waiting, and its
                // parent's entry decides.
                mark(waiting.name, in: parent)
                return
            }
            isUnreadable(waiting, error.code)
            end(waiting)
            return
        }
        if waiting.identity != 0, !isStill(waiting, status, at: path), let parent = waiting.parent {
            // Another folder is in its place.
            mark(waiting.name, in: parent)
            return
        }
        if becameKnown(waiting, status) { return }
        watch(waiting, at: path, again: recursive)
        // The folder that was moved here has taken its place.
        guard case .waiting = waiting.scan else { return }
        waiting.scan = .running
        runningScan = scan
    }

    /// Whether the opened folder is one that is known by another name and has been moved here: that
    /// one takes its place then. Else it is what was to be read.
    private func becameKnown(_ waiting: WatchedFolder, _ status: FileStatus) -> Bool {
        if waiting.identity == 0, waiting.files.isEmpty, waiting.folders.isEmpty,
            let parent = waiting.parent, let known = moves.takeFolder(status.identity)
        {
            put(known, inPlaceOf: waiting, in: parent)
            known.access = status.access
            return true
        }
        waiting.identity = status.identity
        waiting.inode = status.inodeHash
        waiting.stranger = 0
        waiting.access = status.access
        return false
    }

    private func put(
        _ known: WatchedFolder, inPlaceOf waiting: WatchedFolder, in parent: WatchedFolder
    ) {
        let name = waiting.name
        end(waiting)
        _ = parent.detachFolder(name)
        reattach(known, as: name, in: parent)
    }

    /// Whether a folder in the tree is in fact the one that is about to be read: it has been moved
    /// here, and the event of that is still to be read. It takes its place then, with all that is
    /// known of it.
    private func hasArrived(_ known: WatchedFolder, at waiting: WatchedFolder) -> Bool {
        guard waiting.files.isEmpty, waiting.folders.isEmpty, known.identity == waiting.identity,
            let parent = waiting.parent, let former = known.parent
        else { return false }
        var above: WatchedFolder? = parent
        while let folder = above {
            if folder === known { return false }
            above = folder.parent
        }
        mark(known.name, in: former)
        _ = former.detachFolder(known.name)
        put(known, inPlaceOf: waiting, in: parent)
        return true
    }

    private func watch(_ folder: WatchedFolder, at path: [UInt8], again: Bool) {
        if folder.watch >= 0 && !again {
            isWatched(folder)
            return
        }
        if let queueFault {
            degrade(folder, .noQueue(queueFault.rawValue))
            return
        }
        let mask = folder.parent == nil ? Self.rootMask : Self.folderMask
        do {
            let number = try access.addWatch(path, mask)
            if let other = watches[number], other !== folder {
                if isAlias(other) {
                    degrade(folder, .alias)
                    return
                }
                if hasArrived(other, at: folder) { return }
                other.watch = -1
                lookAtItself(other)
            }
            if folder.watch >= 0, folder.watch != number { releaseWatch(folder) }
            folder.watch = number
            watches[number] = folder
            isWatched(folder)
        } catch {
            switch error {
            case .limitReached: degrade(folder, .watchLimit)
            case .system(let failure) where failure.code == .permissionDenied:
                degrade(folder, .permission)
            case .system(let failure): degrade(folder, .system(failure.code.rawValue))
            }
        }
    }

    /// The end of its reading says whether its files may be looked at by now.
    private func isWatched(_ folder: WatchedFolder) {
        if folder.condition != .degraded(.closed) { recovered(folder) }
    }

    /// Whether a folder is still to be found where the tree has it, though its watch turned up
    /// elsewhere.
    private func isAlias(_ folder: WatchedFolder) -> Bool {
        guard let path = folder.path() else { return false }
        let status = try? access.status(path, followingLinks: false)
        return status?.inodeHash == folder.inode
    }

    /// Whether what was found at `path` is the folder that the tree has there.
    ///
    /// An overlay file system changes a folder's time of birth when it copies it up. So where device and
    /// inode are the same the kernel is asked: a watch that is added again has the number it had only if it
    /// is the very same folder. It is asked once for each other folder: a watch that is given back is an event,
    /// which is reason to look again.
    func isStill(_ folder: WatchedFolder, _ status: FileStatus, at path: [UInt8]) -> Bool {
        if folder.identity == status.identity { return true }
        guard folder.inode == status.inodeHash, folder.stranger != status.identity else {
            return false
        }
        if folder.watch >= 0 {
            let mask = folder.parent == nil ? Self.rootMask : Self.folderMask
            guard let number = try? access.addWatch(path, mask) else { return false }
            if number != folder.watch {
                folder.stranger = status.identity
                if watches[number] == nil, ancestors[number] == nil { access.removeWatch(number) }
                return false
            }
        }
        folder.identity = status.identity
        return true
    }

    private func step(_ scan: RunningScan, _ left: inout Int) {
        while left > 0 {
            if scan.next == scan.entries.count, !readBatch(scan) {
                finish(scan)
                return
            }
            while left > 0, scan.next < scan.entries.count {
                let entry = scan.entries[scan.next]
                scan.next += 1
                left -= 1
                look(at: entry, scan)
            }
        }
    }

    private func readBatch(_ scan: RunningScan) -> Bool {
        scan.entries.removeAll(keepingCapacity: true)
        scan.next = 0
        do {
            return try scan.reader.readBatch { scan.entries.append($0) }
        } catch {
            isUnreadable(scan.folder, error.code)
            return false
        }
    }

    private func look(at entry: DirectoryEntry, _ scan: RunningScan) {
        let folder = scan.folder
        scan.unseen.remove(entry.name)
        switch entry.kind {
        case .regular, nil:
            // An entry that is gone already has an event of its own waiting, if it was known.
            let status: FileStatus
            do {
                status = try access.status(entry.name, in: scan.reader)
            } catch {
                if error.code == .permissionDenied { scan.isClosed = true }
                mark(entry.name, in: folder)
                return
            }
            see(status, as: entry.name, in: folder)
        case .directory:
            if folder.files[entry.name] != nil { removeEntry(entry.name, from: folder) }
            if let child = folder.folders[entry.name] {
                if scan.isRecursive { requestScan(child, recursive: true) }
            } else {
                _ = addFolder(entry.name, to: folder)
            }
        case .symbolicLink, .socket, .other:
            removeEntry(entry.name, from: folder)
        }
    }

    private func finish(_ scan: RunningScan) {
        let folder = scan.folder
        for name in scan.unseen { mark(name, in: folder) }
        runningScan = nil
        if scan.isClosed {
            degrade(folder, .closed)
        } else if folder.condition == .degraded(.closed) {
            recovered(folder)
        }
        let again: Bool?
        if case .runningAndAgain(let recursive) = folder.scan {
            again = recursive
        } else {
            again = nil
        }
        end(folder)
        if let again { requestScan(folder, recursive: again) }
    }

    /// The folder's reading is over, well or not.
    private func end(_ folder: WatchedFolder) {
        if case .none = folder.scan { return }
        folder.scan = .none
        guard let root = folder.scanRoot else { return }
        folder.scanRoot = nil
        // A root that was lost meanwhile has begun to count anew.
        root.foldersWaiting = max(0, root.foldersWaiting - 1)
        root.foldersScanned += 1
    }

    /// A folder that left the tree for good: its watch, its scan, its place among the degraded.
    func forget(_ folder: WatchedFolder) {
        folder.forEachFolder { inner in
            self.releaseWatch(inner)
            if self.runningScan?.folder === inner { self.runningScan = nil }
            self.end(inner)
            self.checks.forget(inner)
            self.removeDegraded(inner)
        }
    }

    func releaseWatch(_ folder: WatchedFolder) {
        let number = folder.watch
        folder.watch = -1
        guard number >= 0, watches[number] === folder else { return }
        watches[number] = nil
        if ancestors[number] == nil { access.removeWatch(number) }
    }

    // MARK: The end

    /// Closes a rescan, or a first scan, whose folders have all been read.
    private func endRescan() {
        if runningScan != nil || !scansWaiting.isEmpty || !isQueueEmpty || checks.isCut { return }
        if rescan == nil, !rootList.contains(where: \.isScanning) { return }
        // What is told of its end is true only if nothing is left to look at.
        let end = turnEnd
        turnEnd = nil
        defer { turnEnd = end }
        // What was half moved is found where it is now, or it is gone.
        if var ended = rescan {
            settleChecks()
            if !scansWaiting.isEmpty || checks.isCut { return }
            ended.isRunning = false
            rescan = ended
            commit()
            ended = rescan ?? ended
            rescan = nil
            if ended.isComplete {
                report(
                    .rescanned(added: ended.added, removed: ended.removed, changed: ended.changed))
            }
            if ended.isAgain {
                if ended.isComplete { startRescan() } else { startPoll() }
            }
            armPollTimer()
        }
        for root in rootList where root.isScanning && root.foldersWaiting == 0 {
            commit()
            root.isScanning = false
            report(.scanFinished(root: root.path, documents: root.documents))
        }
    }
}
