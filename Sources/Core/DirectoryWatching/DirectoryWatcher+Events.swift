// Applies inotify events to the names of the tree.

import EventLoops
import PickerModel
import SystemInterface

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
        tree.watches.forgetRetired()
    }

    func handle(_ event: InotifyEvent) {
        let mask = event.mask
        if mask.contains(.queueOverflow) {
            recordOverflow()
            return
        }
        // The end of a watch that was taken away: its folder is polled, and the number may be another one's now.
        if mask.contains(.ignored), tree.watches.endRetired(event.watch) { return }
        rootWaiting.handleEvent(for: event.name, on: event.watch)
        if mask.contains(.ignored) { rootWaiting.end(event.watch) }
        guard let folder = tree.watches.folder(ofEventOn: event.watch) else { return }
        folder.watchStamp = watchStamp
        if mask.contains(.ignored) {
            _ = tree.endWatch(of: folder)
            recheck(folder)
        } else if event.name.isEmpty {
            if !mask.isDisjoint(with: [.selfDeleted, .selfMoved, .unmounted, .attributes]) {
                recheck(folder)
                if mask.contains(.selfMoved) { scanUnwatchedParent(of: folder) }
            }
        } else if takeLeftOut(event, of: folder) {
            if event.name == Self.gitFolder { forgetWorkTrees(folder) }
        } else if mask.contains(.movedFrom) {
            moveOut(event, of: folder)
        } else if mask.contains(.movedTo) {
            moveIn(event, to: folder)
        } else if mask.contains(.isDirectory) {
            if event.name == Self.gitFolder { forgetWorkTrees(folder) }
            mark(event.name, in: folder, isHint: !mask.contains(.deleted))
        } else if mask.contains(.created) {
            hold(event.name, in: folder, again: true, mayBeLink: true)
        } else if mask.contains(.modified) {
            hold(event.name, in: folder)
        } else if mask.contains(.attributes), folder.checks.held[event.name] != nil {
            // Its save is not over.
        } else if mask.contains(.closedAfterWriting), isNewDraft(event.name, folder) {
            hold(event.name, in: folder)
        } else if mask.contains(.deleted), isBeingCheckedOut(event.name, in: folder) {
            checks.withdraw(event.name, in: folder)
            if !held.hold(event.name, in: folder, now: loop.now, isHint: false, again: true) {
                mark(event.name, in: folder)
            }
        } else if mask.contains(.deleted) {
            checkLinks(to: event.name, in: folder)
            mark(event.name, in: folder)
        } else {
            mark(event.name, in: folder, isHint: true)
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
        if folder.checks.held[event.name]?.isBackup == true {
            // It goes on as the document that it was.
            for (folder, name, isHint) in held.take(in: folder) {
                mark(name, in: folder, isHint: isHint)
            }
        }
        mark(event.name, in: folder)
        let moved: MovedEntry
        if event.mask.contains(.isDirectory) {
            guard let child = folder.detachFolder(event.name) else { return }
            links.setDue()
            // The rescan may not have reached it, and end before it is back.
            if rescan?.isComplete == true { scans.queueScan(child, recursive: true) }
            moved = .folder(child)
        } else {
            guard let known = folder.files.removeValue(forKey: event.name) else { return }
            let entry = changes.takeReplaced(known)
            let isKnown = entry.identity == known.identity && changes[entry.key] == nil
            if entry.identity != known.identity { unlink(known) }
            changes[entry.key] = .halfMoved
            let place = LinkedName(folder: folder, name: event.name)
            moved = .file(entry, isUnsure: isUnsure, from: isKnown && !isUnsure ? place : nil)
        }
        if let givenUp = moves.add(moved, cookie: event.cookie) { recordDeparture(of: givenUp) }
    }

    private func moveIn(_ event: InotifyEvent, to folder: WatchedFolder) {
        let moved = moves.takeRename(of: event.cookie)
        if case .file(let entry, _, let origin) = moved,
            moveToBackup(entry, origin, as: event.name, in: folder)
        {
            return
        }
        mark(event.name, in: folder, isHint: true)
        if moved != nil { checks.trust(event.name, in: folder) }
        switch moved {
        case nil:
            if let there = folder.files[event.name] { changes.cover(there.key) }
        case .file(let entry, let isUnsure, _):
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
        links.setDue()
        changes.relocate(child)
        scanIfRulesDiffer(child)
        // The rescan may have passed the new path already, and not have reached the old one.
        if rescan?.isComplete == true { scans.queueScan(child, recursive: true) }
        // Resumes the checks and scans that waited while the folder had no path.
        child.forEachFolder { inner in
            self.checks.resume(inner)
            self.scans.resume(inner)
            inner.isInWorkTree = nil
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
        checks.retryMisplaced()
    }

    func giveUpRenames(before number: UInt64) {
        while let moved = moves.takeOldest(below: number) { recordDeparture(of: moved) }
    }

    /// Removes the entry of a rename that was given up.
    func recordDeparture(of moved: MovedEntry) {
        switch moved {
        case .file(let entry, _, let origin):
            if let origin, isPlaceTaken(origin), keepPlace(entry, origin) { return }
            recordRemoval(of: entry)
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

    // MARK: Saves

    /// Checks the names whose time has come; all, if no time is given.
    func checkHeld(until now: MonotonicInstant? = nil) {
        for (folder, name, isHint) in held.take(until: now) {
            mark(name, in: folder, isHint: isHint)
        }
        if now == nil { timers[.held]?.unschedule() }
    }

    /// Lets the check of a name wait, if there is room.
    private func hold(
        _ name: [UInt8], in folder: WatchedFolder, again: Bool = false, mayBeLink: Bool = false
    ) {
        let span = isNewDraft(name, folder) ? limits.draftTime : limits.holdTime
        if !held.hold(
            name, in: folder, now: loop.now, isHint: true, again: again, mayBeLink: mayBeLink,
            for: span)
        {
            mark(name, in: folder, isHint: true)
        }
    }

    /// Ends the wait of new names that nobody is writing to, because they are names of files that have others, or of no
    /// files. What is written through another name of a file is seen only once both are known.
    ///
    /// A program that creates a file mostly has written to it by now, so that few names are looked at.
    func checkNewLinks() {
        for place in held.takeCreated() {
            guard let path = place.folder.path(appending: place.name),
                let status = try? access.status(path, followingLinks: false),
                status.linkCount > 1 || status.kind != .regular
            else { continue }
            mark(place.name, in: place.folder, isHint: true)
        }
    }

    /// Whether a file that is not known yet may be renamed over a document soon.
    private func isNewDraft(_ name: [UInt8], _ folder: WatchedFolder) -> Bool {
        SavingNames.isDraft(name) { folder.files[$0] != nil } && folder.files[name] == nil
    }

    /// Leaves a document at its name for a moment although its file is not there any more: a program that saves puts
    /// another one there.
    /// - Returns: `false`, without effect, if that can't be, or if others wait for that already.
    func keepPlace(_ entry: FileEntry, _ place: LinkedName) -> Bool {
        let (folder, name) = (place.folder, place.name)
        guard store.has(entry.key), changes[entry.key]?.isHalfMoved == true,
            folder.attachedRoot != nil, !folder.checks.isForgotten,
            folder.files[name] == nil, folder.folders[name] == nil,
            tree.names(of: entry.identity).isEmpty, held.hasRoom()
        else { return false }
        changes[entry.key] = nil
        folder.files[name] = entry
        // The event that it left the name marked it.
        checks.withdraw(name, in: folder)
        return held.hold(name, in: folder, now: loop.now, isHint: false, again: true)
    }

    /// Whether another file is being saved at a name that a document has left, as where backups are kept elsewhere. While
    /// folders are to be read, its file may be found there.
    private func isPlaceTaken(_ place: LinkedName) -> Bool {
        place.folder.checks.held[place.name] != nil && scans.isIdle
    }

    /// Ends the wait of names that turn out to be those of a file which has just been removed under another one: it had
    /// both by a link, and has been renamed that way.
    private func checkLinks(to name: [UInt8], in folder: WatchedFolder) {
        guard let entry = folder.files[name], held.hasFew else { return }
        for (folder, name) in held.names {
            guard let path = folder.path(appending: name),
                let status = try? access.status(path, followingLinks: false),
                status.identity == entry.identity
            else { continue }
            mark(name, in: folder, isHint: true)
        }
    }

    /// Takes a rename of a document's file to the name of a backup of it: another file may follow at its own name.
    private func moveToBackup(
        _ entry: FileEntry, _ origin: LinkedName?, as name: [UInt8], in folder: WatchedFolder
    ) -> Bool {
        guard let origin, origin.folder === folder, SavingNames.isBackup(name, of: origin.name),
            keepPlace(entry, origin)
        else { return false }
        if let there = folder.files[name] { changes.cover(there.key) }
        _ = held.hold(name, in: folder, now: loop.now, isHint: true, isBackup: true)
        return true
    }
}
