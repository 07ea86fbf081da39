// Scans of folders: of new ones, of all after an overflow, and of unwatched ones by a poll.
//
// A folder is opened, then watched, then read: the read shows what happened before, and events report what
// happens during it. Scans run in slices on the loop. Entries are checked relative to the open folder, so it
// may be renamed meanwhile.

import EventLoops
import FileRules
import PickerModel
import SystemInterface

/// A new scan of folders whose events were lost or never come.
struct Rescan {
    /// An overflow caused it: it reads all roots, and its end is reported.
    var isComplete: Bool
    /// It compares the documents of the last run with the disk.
    var isVerification = false
    /// Another one was requested meanwhile and follows.
    var isAgain = false
    /// False once its folders have been read.
    var isRunning = true
    var added = 0
    var removed = 0
    var changed = 0
    /// The identities of files at whose names it found others; by key.
    var replaced: [DocumentKey: UInt64] = [:]

    mutating func noteReplaced(_ entry: FileEntry) {
        if isRunning, replaced[entry.key] == nil { replaced[entry.key] = entry.identity }
    }

    mutating func add(_ change: DocumentChange) {
        added += change.addedRows.count
        removed += change.removedRows.count
        changed += change.changedRows.count + change.movedRows.count
    }
}

extension DirectoryWatcher {
    /// Scans all roots again after events were lost.
    func startRescan() {
        if rescan?.isComplete == true {
            rescan?.isAgain = true
            return
        }
        rescan = Rescan(isComplete: true)
        for root in rootList {
            if let folder = root.folder { scans.queueScan(folder, recursive: true) }
        }
        // A half-moved folder is scanned when it is back.
        for (_, moved) in moves.pendingEntries {
            if case .folder(let folder) = moved { scans.queueScan(folder, recursive: true) }
        }
        rootWaiting.queueProbes(of: rootList)
    }

    /// Scans the folders without a watch again, and probes the roots that no watch reports.
    func startPoll() {
        openQueue()
        rootWaiting.queueProbes(of: rootList.filter(\.isPolledFor))
        if rescan != nil {
            rescan?.isAgain = true
            return
        }
        for folder in degraded.values where folder.isPolled {
            if rescan == nil { rescan = Rescan(isComplete: false) }
            scans.queueScan(folder, recursive: false)
        }
    }

    /// Scans a few new folders at once, so that their files join the transaction of the change that made them.
    func scanInline() {
        // A long scan continues in its slices.
        if !scans.isLong {
            let isUsedUp = scan(entries: limits.entriesInline)
            scans.endSlice(isUsedUp: isUsedUp)
        }
        endReaders()
        endRescan()
    }

    /// Queues the next slice, after other work.
    func queueSlice() {
        // Without a slice, the next answer of a thread queues one.
        let isNeeded =
            scans.isIdle ? rescan != nil : scans.needsSlice(hasThreads: readers != nil)
        if isSliceQueued || !isNeeded { return }
        isSliceQueued = true
        armProgressTimer()
        loop.enqueue(priority: .low) { [weak self] in
            guard let self else { return }
            self.isSliceQueued = false
            self.performWhenFree { $0.runSlice() }
        }
    }

    private func runSlice() {
        if isCommitDue { return queueSlice() }
        if !isCatchingUp, !checks.isCut {
            startReaders()
            let isUsedUp =
                if let readers {
                    scan(with: readers)
                } else {
                    scan(entries: limits.entriesPerSlice)
                }
            scans.endSlice(isUsedUp: isUsedUp)
            endReaders()
        }
        if !checks.isCut, catchUp() {
            if scans.isIdle || changes.count >= limits.changesPerTransaction { commitIfQuiet() }
            endRescan()
        }
        armTimers()
        queueSlice()
    }

    /// - Returns: whether the scan reached `limit`, or the end of the turn.
    private func scan(entries limit: Int) -> Bool {
        var left = limit
        while left > 0, left == limit || !isTurnOver {
            if scans.running == nil {
                guard let folder = scans.takeNext() else { break }
                left -= 1
                if let scan = open(folder) { scans.begin(scan) }
            }
            let part = min(left, Self.entriesPerClockRead)
            var leftOfPart = part
            step(&leftOfPart)
            left -= part - leftOfPart
        }
        let isUsedUp = left <= 0 || isTurnOver
        settleChecks()
        return isUsedUp
    }

    // MARK: One folder

    /// Opens and watches a folder.
    /// - Returns: its scan, to begin; `nil` if it is not to be read now.
    func open(_ waiting: WatchedFolder) -> RunningScan? {
        guard let isRecursive = scans.isRecursive(waiting) else { return nil }
        // A detached folder has no path: it waits until it is put back or dropped.
        guard let path = waiting.path() else { return nil }
        if waiting.depth > limits.depth {
            removeContents(of: waiting)
            releaseWatch(waiting)
            degrade(waiting, .depth)
            scans.end(waiting)
            return nil
        }
        let scan: RunningScan
        let status: FileStatus
        do {
            let descriptor = try access.openFolder(path)
            status = try access.status(descriptor)
            if !isBelowItsParent(waiting, descriptor, at: path) {
                recheck(waiting)
                return nil
            }
            scan = RunningScan(
                waiting, isRecursive: isRecursive, reader: DirectoryReader(descriptor))
        } catch {
            if error.code.isAbsence {
                // Gone, or moved by an event that is still unread, or a root that may be back in a moment: it
                // keeps waiting, and the check of its parent's entry or the probe of the root decides.
                recheck(waiting)
                return nil
            }
            if error.code.isShortage, scans.waitForRoom(waiting) { return nil }
            handleUnreadable(waiting, error.code)
            scans.end(waiting)
            return nil
        }
        if waiting.identity != 0, !isStill(waiting, status, at: path), let parent = waiting.parent {
            // Another folder is in its place.
            mark(waiting.name, in: parent)
            return nil
        }
        if adoptMovedFolder(waiting, status) { return nil }
        watch(waiting, at: path, again: isRecursive)
        // Otherwise the folder that was moved here has replaced it.
        guard waiting.scan.isWaiting else { return nil }
        // Watched before: a change of an ignore file from now on is an event.
        if readRules(of: scan) { scan.isRecursive = true }
        scan.filter = waiting.rules.map { rules in
            NameFilter(rules: rules, path: rules.needsPath ? waiting.relativePath() : [])
        }
        return scan
    }

    /// - Returns: whether other rules held in the folder before.
    private func readRules(of scan: RunningScan) -> Bool {
        switch scan.reader {
        case .some(let reader): readRules(of: scan.folder, in: reader.folder)
        case .none: false
        }
    }

    /// Reads and checks up to `left` entries of the folder that is read on the loop.
    func step(_ left: inout Int) {
        guard let scan = scans.running else { return }
        while left > 0 {
            if scan.next == scan.batch.count, scan.isRead || !readBatch(scan) {
                scan.isRead = true
                if sweep(scan, &left) { finish(scan) }
                return
            }
            checkBatch(of: scan, &left)
        }
    }

    private func readBatch(_ scan: RunningScan) -> Bool {
        scan.next = 0
        do {
            return try scan.reader?.readBatch(into: &scan.batch) ?? false
        } catch {
            scan.batch.removeAll()
            scan.isWhole = false
            handleUnreadable(scan.folder, error.code)
            return false
        }
    }

    /// Checks up to `left` entries of the batch.
    func checkBatch(of scan: RunningScan, _ left: inout Int) {
        // A large folder comes in several batches, and then grows in steps.
        if scan.next == 0, scan.folder.files.isEmpty {
            scan.folder.files.reserve(
                files: scan.batch.count, nameBytes: scan.batch.nameBytes)
        }
        while left > 0, scan.next < scan.batch.count {
            let index = scan.next
            scan.next += 1
            left -= 1
            check(index, scan)
        }
    }

    private func check(_ index: Int, _ scan: RunningScan) {
        if addOrFind(index, scan) { return }
        let folder = scan.folder
        let name = scan.batch.name(index)
        if !scan.missingFolders.isEmpty { scan.missingFolders.remove(name) }
        if isLeftOut(name, scan.batch.finding(index), scan) {
            return removeEntry(name, from: folder)
        }
        if isOutdated(name, scan.batch.finding(index), scan) {
            // If it is gone by now, an event says so; but none may say why a known file is a folder now.
            let isOther = folder.files.found(name) != nil && scan.batch.finding(index).isFolder
            mark(name, in: folder, isHint: !isOther)
            // The check of a known folder does not read all below it.
            if scan.isRecursive, let child = folder.folders[name] {
                scans.queueScan(child, recursive: true)
            }
            return
        }
        switch scan.batch.finding(index) {
        case .status(let status) where status.kind == .symbolicLink: checkLink(name, scan)
        case .status(let status):
            updateEntry(status, as: name, in: folder)
        case .failed(let code):
            // A known entry that is gone has an event of its own in the queue.
            if code == .permissionDenied { scan.isClosed = true }
            _ = folder.files.found(name)
            mark(name, in: folder)
        case .kind(.regular), .kind(nil):
            do {
                guard let status = try status(name, scan) else { return }
                if status.kind == .symbolicLink { return checkLink(name, scan) }
                updateEntry(status, as: name, in: folder)
            } catch {
                if error.code == .permissionDenied { scan.isClosed = true }
                _ = folder.files.found(name)
                mark(name, in: folder)
            }
        case .kind(.directory):
            if folder.files[name] != nil { removeEntry(name, from: folder) }
            if let child = folder.folders[name] {
                if scan.isRecursive { scans.queueScan(child, recursive: true) }
            } else {
                _ = addFolder(name, to: folder)
            }
        case .kind(.symbolicLink): checkLink(name, scan)
        case .kind(.socket), .kind(.other):
            removeEntry(name, from: folder)
        }
    }

    /// Whether the rules leave out an entry that was read. Threads have left out what they could.
    private func isLeftOut(
        _ name: [UInt8], _ finding: FolderBatch.Finding, _ scan: RunningScan
    ) -> Bool {
        guard scan.filter != nil else { return false }
        switch finding {
        case .kind(.directory): return isLeftOut(name, isFolder: true, in: scan.folder)
        case .kind(.some): return isLeftOut(name, isFolder: false, in: scan.folder)
        // What is known of its kind decides later.
        case .kind(nil), .status, .failed: return false
        }
    }

    /// Takes a file that a thread has read, if it has one name, and the tree knows nothing of that or just this.
    /// - Returns: false, but for what is missing without effect, if that is not so.
    private func addOrFind(_ index: Int, _ scan: RunningScan) -> Bool {
        guard scan.elsewhere?.hasNothingTouched == true, scan.names?.hasName(index) == true,
            let status = scan.batch.status(index), status.kind == .regular, status.linkCount <= 1
        else { return false }
        let folder = scan.folder
        if !folder.folders.isEmpty, folder.folders[scan.batch.name(index)] != nil { return false }
        let (place, newKey) = folder.files.add(
            scan.batch.nameSlice(index), identity: status.identity
        ) {
            store.mintKeyNumber()
        }
        guard let newKey else {
            let entry = folder.files.entry(place)
            return entry.identity == status.identity && changes.expectsNothing
                && links.isEmpty && knownFacts(entry.key) == FileFacts(status)
        }
        changes.add(newKey, at: index, of: scan)
        notePolledChange(in: folder)
        return true
    }

    private func status(
        _ name: [UInt8], _ scan: RunningScan
    ) throws(SystemError) -> FileStatus? {
        switch scan.reader {
        case .some(let reader): try access.status(name, in: reader)
        case .none: nil
        }
    }

    /// Takes files out of the tree that were there when the read of their folder began and that it did not find, at most
    /// `left` of them; or has them checked.
    /// - Returns: whether none is left.
    func sweep(_ scan: RunningScan, _ left: inout Int) -> Bool {
        let folder = scan.folder
        while let place = scan.nextMissing() {
            if left <= 0 { return false }
            left -= 1
            if isGone(place, scan) {
                if !links.isEmpty { forgetLink(folder.files.name(at: place), in: folder) }
                let entry = folder.files.remove(at: place)
                unlink(entry)
                changes.depart(changes.takeReplaced(entry))
                notePolledChange(in: folder)
            } else {
                folder.files.found(at: place)
                mark(folder.files.name(at: place), in: folder)
            }
        }
        return true
    }

    /// Whether a file that a read of its whole folder did not find is gone, unless an unread event says something else of
    /// it. Without events a file may have come back at once; and in a rescan nobody is told before all events are read.
    private func isGone(_ place: Int, _ scan: RunningScan) -> Bool {
        let folder = scan.folder
        guard rescan?.isRunning == true, folder.watch >= 0, scan.isWhole, !scan.isClosed else {
            return false
        }
        if folder.checks.isEmpty, scan.elsewhere?.hasNothingTouched != false { return true }
        let name = folder.files.name(at: place)
        return !folder.checks.has(name) && scan.elsewhere?.isTouched(name) != true
    }

    /// Ends a scan whose folder has been read, as far as it can be.
    func finish(_ scan: RunningScan) {
        let folder = scan.folder
        for name in scan.missingFolders { mark(name, in: folder) }
        folder.files.endSweep()
        if scan.isClosed {
            degrade(folder, .closed)
        } else if folder.condition == .degraded(.closed) {
            recovered(folder)
        }
        scans.finish(scan)
    }

    /// Releases the watch, scan, checks and degraded state of a folder that left the tree for good.
    func forget(_ folder: WatchedFolder) {
        folder.forEachFolder { self.forgetAlone($0) }
    }

    /// The same, but for the folders in it.
    func forgetAlone(_ folder: WatchedFolder) {
        releaseWatch(folder)
        scans.end(folder)
        checks.forget(folder)
        forgetLinks(in: folder)
        removeDegraded(folder)
    }

    // MARK: The end

    /// Ends a rescan, or a first scan, whose folders have all been read and whose changes are committed. Those are
    /// committed in parts, so that this is called again when all are.
    func endRescan() {
        if !scans.isIdle || !isQueueEmpty || checks.isCut || isCommitDue { return }
        if rescan == nil, !rootList.contains(where: \.isScanning) { return }
        if rescan != nil {
            // A half-moved file is found at its new path, or it is gone.
            settleChecks()
            if !scans.isIdle || checks.isCut { return }
            exchangeKeys()
            rescan?.isRunning = false
            commit()
            if isCommitDue || checks.isCut { return }
            guard let ended = rescan else { return }
            rescan = nil
            if !ended.isComplete {
                pollPace.end(
                    foundChange: ended.added + ended.removed + ended.changed > 0, loop.now)
                beginWatchMoves()
            }
            if ended.isComplete {
                let (added, removed, changed) = (ended.added, ended.removed, ended.changed)
                report(
                    ended.isVerification
                        ? .verified(added: added, removed: removed, changed: changed)
                        : .rescanned(added: added, removed: removed, changed: changed))
            }
            if ended.isAgain {
                if ended.isComplete { startRescan() } else { startPoll() }
            }
            armPollTimer()
        }
        for root in rootList where root.isScanning && root.progress.foldersWaiting == 0 {
            commit()
            if isCommitDue || checks.isCut || !scans.isIdle { return }
            root.isScanning = false
            report(.scanFinished(root: root.path, documents: documentCount(of: root)))
        }
    }
}

extension FolderBatch.Finding {
    fileprivate var isFolder: Bool {
        switch self {
        case .kind(let kind): kind == .directory
        case .status(let status): status.kind == .directory
        case .failed: false
        }
    }
}
