// Applies inotify events to the names of the tree.

import PickerModel
import SystemInterface
import SystemdEventLoop

extension DirectoryWatcher {
    /// The events of a watched folder. Reads are left out: the watcher's own scans would refill the queue.
    static let folderMask: InotifyMask = [
        .created, .closedAfterWriting, .modified, .movedFrom, .movedTo, .deleted, .attributes,
        .onlyDirectory, .doNotFollowLinks, .excludeUnlinked,
    ]
    /// A root has no watched parent that reports its end.
    static let rootMask: InotifyMask = folderMask.union([.selfDeleted, .selfMoved])

    func recordOverflow() {
        if !hasOverflowed { report(.overflow) }
        hasOverflowed = true
    }

    func handle(_ event: InotifyEvent) {
        let mask = event.mask
        if mask.contains(.queueOverflow) {
            recordOverflow()
            return
        }
        rootWaiting.handleEvent(for: event.name, on: event.watch)
        if mask.contains(.ignored) { rootWaiting.end(event.watch) }
        guard let folder = tree[event.watch] else { return }
        if mask.contains(.ignored) {
            _ = tree.endWatch(of: folder)
            recheck(folder)
        } else if event.name.isEmpty {
            if !mask.isDisjoint(with: [.selfDeleted, .selfMoved, .unmounted, .attributes]) {
                recheck(folder)
            }
        } else if mask.contains(.movedFrom) {
            moveOut(event, of: folder)
        } else if mask.contains(.movedTo) {
            moveIn(event, to: folder)
        } else if mask.contains(.modified) {
            if lateWrites.add(event.name, in: folder, now: loop.now) {
                mark(event.name, in: folder, isHint: true)
            }
        } else {
            mark(event.name, in: folder, isHint: !mask.contains(.deleted))
        }
    }

    /// Checks a folder after an event about the folder itself: by its parent's entry, or by the root's path.
    func recheck(_ folder: WatchedFolder) {
        if let parent = folder.parent {
            mark(folder.name, in: parent)
        } else if let root = folder.root {
            rootWaiting.queueProbes(of: [root])
        }
    }

    /// Queues a check of the name before the next commit.
    func mark(_ name: [UInt8], in folder: WatchedFolder, isHint: Bool = false) {
        scans.elsewhere.note(name, in: folder)
        checks.add(name, in: folder, isHint: isHint)
    }

    // MARK: Moves

    private func moveOut(_ event: InotifyEvent, of folder: WatchedFolder) {
        let isUnsure = folder.checks.has(event.name)
        mark(event.name, in: folder)
        let moved: MovedEntry
        if event.mask.contains(.isDirectory) {
            guard let child = folder.detachFolder(event.name) else { return }
            // The rescan may not have reached it, and end before it is back.
            if rescan?.isComplete == true { scans.queueScan(child, recursive: true) }
            moved = .folder(child)
        } else {
            guard let known = folder.files.removeValue(forKey: event.name) else { return }
            let entry = changes.takeReplaced(known)
            if entry.identity != known.identity { unlink(known) }
            changes[entry.key] = .halfMoved
            moved = .file(entry, isUnsure: isUnsure)
        }
        if let givenUp = moves.add(moved, cookie: event.cookie) { recordDeparture(of: givenUp) }
    }

    private func moveIn(_ event: InotifyEvent, to folder: WatchedFolder) {
        mark(event.name, in: folder, isHint: true)
        let moved = moves.takeRename(of: event.cookie)
        if moved != nil { checks.trust(event.name, in: folder) }
        switch moved {
        case nil:
            if let there = folder.files[event.name] { changes.cover(there.key) }
        case .file(let entry, let isUnsure):
            moveFile(entry, isUnsure: isUnsure, to: event.name, in: folder)
        case .folder(let child) where folder.isInside(child):
            // On disk nothing is moved into itself: an event that took the folder out of it was lost. All is read again.
            moves.depart(child)
            recordOverflow()
        case .folder(let child):
            removeEntry(event.name, from: folder)
            reattach(child, as: event.name, in: folder)
        }
    }

    /// Moves a file to a name. A file there passes on its key if others know it: editors save that way.
    private func moveFile(
        _ entry: FileEntry, isUnsure: Bool, to name: [UInt8], in folder: WatchedFolder
    ) {
        if folder.folders[name] != nil { removeEntry(name, from: folder) }
        var key = entry.key
        if let there = folder.files[name] {
            let keepsThere: Bool
            if there.identity == entry.identity
                || isUnsure && hasBeenTold(of: there.key) == hasBeenTold(of: entry.key)
            {
                // The same file: a check found it here before its event was read. So it may be if it was saved over
                // before and not checked since. The older key is that of the document that was moved or saved over.
                keepsThere = there.key < entry.key
            } else {
                keepsThere = hasBeenTold(of: there.key) || !hasBeenTold(of: entry.key)
            }
            if keepsThere { key = there.key }
            let lost = keepsThere ? entry : there
            unlink(there)
            changes.setGone(lost)
        }
        tree.setFile(entry, as: key, at: name, in: folder)
        changes[key] = .present(folder, name, nil)
    }

    /// Whether a file has a document, or had one that gave way while a commit waited.
    private func hasBeenTold(of key: DocumentKey) -> Bool {
        store.has(key) || fileNames.isDisplaced(key)
    }

    /// Puts a detached folder back into the tree, with its contents.
    func reattach(_ child: WatchedFolder, as name: [UInt8], in folder: WatchedFolder) {
        folder.attach(child, as: name)
        changes.relocate(child)
        // The rescan may have passed the new path already, and not have reached the old one.
        if rescan?.isComplete == true { scans.queueScan(child, recursive: true) }
        // Resumes the checks and scans that waited while the folder had no path.
        child.forEachFolder { inner in
            self.checks.resume(inner)
            self.scans.resume(inner)
            let wasTooDeep = inner.condition == .degraded(.depth)
            // A scan that found the folder at its new path first has taken the watch.
            if wasTooDeep || inner.watch < 0 || inner.depth > self.limits.depth {
                self.scans.queueScan(inner, recursive: false)
            }
        }
    }

    /// Checks misplaced folders in their parents if no event said where they went. It may be in the unread part of the
    /// queue, so that is read first; commits that are due may have kept it there for long. Beyond the limit nothing is
    /// waited for.
    func recheckMisplaced() {
        let folders = Array(checks.misplacedFolders)
        if folders.count <= limits.misplacedFolders {
            if checks.isCut || isCommitDue || isCatchingUp { return }
            readQueue(atMost: limits.eventsPerTurn)
            if !isQueueEmpty { return }
        }
        for folder in folders where checks.isMisplaced(folder) { recheck(folder) }
    }

    func giveUpRenames(before number: UInt64) {
        while let moved = moves.takeOldest(below: number) { recordDeparture(of: moved) }
    }

    /// Removes the entry of a rename that was given up.
    private func recordDeparture(of moved: MovedEntry) {
        switch moved {
        case .file(let entry, _): recordRemoval(of: entry)
        case .folder(let folder): moves.depart(folder)
        }
    }

    /// Gives up the renames whose second half did not come. It may be in the unread part of the queue, so that
    /// is read first; renames that become pending during the read wait anew.
    func giveUpLateRenames() {
        // Unfinished checks and due commits come before any read.
        if checks.isCut || isCommitDue { return }
        let number = moves.nextNumber
        readQueue(atMost: limits.eventsPerTurn)
        giveUpRenames(before: number)
    }

    // MARK: Writes

    func markWritten(isTimeUp: Bool) {
        for (folder, names) in lateWrites.takeAll(isTimeUp: isTimeUp) {
            for name in names { mark(name, in: folder, isHint: true) }
        }
        timers[.lateWrites]?.unschedule()
    }
}
