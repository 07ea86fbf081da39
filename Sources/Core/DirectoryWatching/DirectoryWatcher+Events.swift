// Events as operations on the names of the tree.

import PickerModel
import SystemInterface
import SystemdEventLoop

extension DirectoryWatcher {
    /// What a folder is watched for: no event for mere reading, or our own scans would refill the
    /// queue.
    static let folderMask: InotifyMask = [
        .created, .closedAfterWriting, .modified, .movedFrom, .movedTo, .deleted, .attributes,
        .onlyDirectory, .doNotFollowLinks, .excludeUnlinked,
    ]
    /// A root has no watched parent to tell of its end.
    static let rootMask: InotifyMask = folderMask.union([.selfDeleted, .selfMoved])

    func noteOverflow() {
        if !hasOverflowed { report(.overflow) }
        hasOverflowed = true
    }

    func take(_ event: InotifyEvent) {
        let mask = event.mask
        if mask.contains(.queueOverflow) {
            noteOverflow()
            return
        }
        rootWaiting.hear(of: event.name, on: event.watch)
        if mask.contains(.ignored) { rootWaiting.end(event.watch) }
        guard let folder = tree[event.watch] else { return }
        if mask.contains(.ignored) {
            _ = tree.endWatch(of: folder)
            lookAtItself(folder)
        } else if event.name.isEmpty {
            if !mask.isDisjoint(with: [.selfDeleted, .selfMoved, .unmounted, .attributes]) {
                lookAtItself(folder)
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

    /// For what is heard of a folder itself: its parent's entry decides, or the root's path.
    func lookAtItself(_ folder: WatchedFolder) {
        if let parent = folder.parent {
            mark(folder.name, in: parent)
        } else if let root = folder.root {
            rootWaiting.look(at: [root])
        }
    }

    /// Has the name looked at before the next commit.
    func mark(_ name: [UInt8], in folder: WatchedFolder, isHint: Bool = false) {
        checks.add(name, in: folder, isHint: isHint)
    }

    // MARK: Moves

    private func moveOut(_ event: InotifyEvent, of folder: WatchedFolder) {
        mark(event.name, in: folder)
        let thing: MovedThing
        if event.mask.contains(.isDirectory) {
            guard let child = folder.detachFolder(event.name) else { return }
            thing = .folder(child)
        } else {
            guard let entry = folder.files.removeValue(forKey: event.name) else { return }
            changes.setHalfMoved(entry.key)
            thing = .file(entry)
        }
        if let givenUp = moves.add(thing, cookie: event.cookie) { leave(givenUp) }
    }

    private func moveIn(_ event: InotifyEvent, to folder: WatchedFolder) {
        mark(event.name, in: folder, isHint: true)
        switch moves.takeRename(of: event.cookie) {
        case nil: break
        case .file(let entry): place(entry, as: event.name, in: folder)
        case .folder(let child):
            removeEntry(event.name, from: folder)
            reattach(child, as: event.name, in: folder)
        }
    }

    /// A file comes to a name. One that is there already lends it its key, if it is in the store:
    /// that is how editors save.
    private func place(_ entry: FileEntry, as name: [UInt8], in folder: WatchedFolder) {
        if folder.folders[name] != nil { removeEntry(name, from: folder) }
        var key = entry.key
        if let there = folder.files[name] {
            let keepsThere: Bool
            if there.identity == entry.identity {
                // The very same file: what looked at it here was ahead of its event. The older key
                // is that of the document that was moved, or saved over.
                keepsThere = isOlder(there.key, than: entry.key)
            } else {
                keepsThere = store[key: there.key] != nil || store[key: entry.key] == nil
            }
            if keepsThere { key = there.key }
            let lost = keepsThere ? entry : there
            unlink(there)
            changes.setGone(lost)
        }
        tree.place(entry, as: key, at: name, in: folder)
        changes.set(key, folder, name, nil)
    }

    /// Puts a folder that was taken out back in, with all that is known of it.
    func reattach(_ child: WatchedFolder, as name: [UInt8], in folder: WatchedFolder) {
        folder.attach(child, as: name)
        changes.relocate(child)
        // A rescan may be past the new place already, and not come to the old one before.
        if rescan?.isComplete == true { scans.queueScan(child, recursive: true) }
        // What waited while it had no path goes on now.
        child.forEachFolder { inner in
            self.checks.resume(inner)
            self.scans.resume(inner)
            let wasTooDeep = inner.condition == .degraded(.depth)
            // A scan that came upon the folder at its new place first has taken the watch.
            if wasTooDeep || inner.watch < 0 || inner.depth > self.limits.depth {
                self.scans.queueScan(inner, recursive: false)
            }
        }
    }

    func giveUpRenames(before number: UInt64) {
        while let thing = moves.takeOldest(below: number) { leave(thing) }
    }

    /// What was half moved has left the tree.
    private func leave(_ thing: MovedThing) {
        switch thing {
        case .file(let entry): letGo(entry)
        case .folder(let folder): moves.depart(folder)
        }
    }

    /// The second half of a move follows its first one closely in the queue, but that may be read a part in
    /// a turn: so it is read on before what was pending is given up. What is pending since then waits anew.
    func giveUpLateRenames() {
        // What is cut, or due, goes before anything is read.
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
