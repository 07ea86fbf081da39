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

    /// One turn of the loop: a bounded number of events, and at a quiet point what follows.
    func takeTurn() {
        if !isCatchingUp, !checks.isCut, !isCommitDue {
            readQueue(atMost: limits.eventsPerTurn)
            if !isQueueEmpty && checks.count < limits.changesPerTransaction { return }
        }
        finishTurn()
    }

    /// Everything in the queue, half-seen moves decided, roots looked after.
    func drain() {
        turnEnd = nil
        roundsToCatchUp = nil
        isCommitDue = false
        var left = 64
        repeat {
            readQueue(atMost: limits.eventsPerTurn)
            if !isQueueEmpty { settleChecks() }
            left -= 1
        } while !isQueueEmpty && left > 0
        // Moves whose second half has not come are moves out of the tree.
        holdTimer?.unschedule()
        giveUpRenames(before: moves.nextNumber)
        markWritten(isTimeUp: false)
        rootsToProbe = rootList
        if access.haveMountsChanged() { lookAtMounts() }
        if degraded.values.contains(where: \.isPolled) { startPoll() }
        finishTurn()
    }

    func finishTurn() {
        makeGoodLosses()
        probeRoots()
        if isCommitDue {
            settleChecks()
            commitIfQuiet()
        } else {
            if checks.isCut || !isCatchingUp { settleChecks() }
            // Also if the queue is being read: the looks that were cut may have found new folders.
            if !checks.isCut { scanInline() }
            if !checks.isCut, catchUp() { commitIfQuiet() }
        }
        armTimers()
        queueSlice()
    }

    func armTimers() {
        armHoldTimer()
        armWriteTimer()
        armMisplacedTimer()
    }

    private func makeGoodLosses() {
        if hasOverflowed && isQueueEmpty {
            hasOverflowed = false
            startRescan()
        }
    }

    /// Reads what was queued during a scan, before what the scan has found is committed.
    ///
    /// A scan finds a file that was moved into a new folder, with nothing but its identity to know it
    /// by, perhaps before the event that takes it out of its old folder is read. Committed now, it
    /// would be there twice, and lose its key. So the queue is read after the last look at the disk:
    /// while somebody goes on moving files, the last rounds look at nothing more.
    ///
    /// What the time of the turn does not suffice for is done by the next ones.
    /// - Returns: whether it is done, and what was gathered may be committed.
    func catchUp() -> Bool {
        // A turn that goes on with it gets on by a round, however late it is.
        var mayStop = !isCatchingUp
        var rounds = isCatchingUp ? roundsToCatchUp ?? 0 : Self.roundsWithLooks + Self.roundsWithout
        roundsToCatchUp = nil
        while !fresh.isEmpty, rounds > 0 {
            if mayStop, isTurnOver, !isQueueEmpty {
                roundsToCatchUp = rounds
                return false
            }
            mayStop = true
            if readQueue(atMost: limits.eventsPerTurn) == 0 { break }
            rounds -= 1
            makeGoodLosses()
            if rounds >= Self.roundsWithout {
                settleChecks()
                if !checks.isCut { scanInline() }
                if checks.isCut {
                    roundsToCatchUp = rounds
                    return false
                }
            }
        }
        return true
    }

    private static let roundsWithLooks = 4
    private static let roundsWithout = 16

    /// Whether what was gathered waits for the rest of the queue.
    var isCatchingUp: Bool { roundsToCatchUp != nil && !fresh.isEmpty }

    var isTurnOver: Bool {
        guard let turnEnd else { return false }
        return loop.now >= turnEnd
    }

    /// - Returns: how many events there were.
    @discardableResult
    private func readQueue(atMost limit: Int) -> Int {
        var count = 0
        isQueueEmpty = false
        while count < limit {
            do {
                let more = try access.readEvents { event in
                    count += 1
                    self.take(event)
                }
                if !more {
                    isQueueEmpty = true
                    return count
                }
            } catch {
                // The queue gave something unreadable: what it told is unknown, as at an overflow.
                noteOverflow()
                isQueueEmpty = true
                return count + 1
            }
        }
        return count
    }

    private func noteOverflow() {
        if !hasOverflowed { report(.overflow) }
        hasOverflowed = true
    }

    private func take(_ event: InotifyEvent) {
        let mask = event.mask
        if mask.contains(.queueOverflow) {
            noteOverflow()
            return
        }
        if let waiting = ancestors[event.watch] {
            let isOwn = event.name.isEmpty
            rootsToProbe.append(
                contentsOf: waiting.filter { isOwn || $0.awaitedName == event.name })
            if mask.contains(.ignored) { forgetAncestor(event.watch) }
        }
        guard let folder = watches[event.watch] else { return }
        if mask.contains(.ignored) {
            watches[event.watch] = nil
            folder.watch = -1
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
            rootsToProbe.append(root)
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
            drafts[entry.key] = .held
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
        var placed = entry
        if let there = folder.files[name] {
            let keepsThere: Bool
            if there.identity == entry.identity {
                // The very same file: what looked at it here was ahead of its event. The older key
                // is that of the document that was moved, or saved over.
                keepsThere = isOlder(there.key, than: entry.key)
            } else {
                keepsThere = store[key: there.key] != nil || store[key: entry.key] == nil
            }
            placed.key = keepsThere ? there.key : entry.key
            let lost = keepsThere ? entry : there
            unlink(there)
            drafts[lost.key] = .gone(identity: lost.identity)
        }
        relink(entry, as: placed.key, name, folder)
        folder.files[name] = placed
        drafts[placed.key] = .present(folder, name, nil)
    }

    /// Puts a folder that was taken out back in, with all that is known of it.
    func reattach(_ child: WatchedFolder, as name: [UInt8], in folder: WatchedFolder) {
        folder.attach(child, as: name)
        relocated.append(child)
        // A rescan may be past the new place already, and not come to the old one before.
        if rescan?.isComplete == true { requestScan(child, recursive: true) }
        // What waited while it had no path goes on now.
        child.forEachFolder { inner in
            self.checks.resume(inner)
            if case .waiting = inner.scan { self.scansWaiting.append(inner) }
            let wasTooDeep = inner.condition == .degraded(.depth)
            // A scan that came upon the folder at its new place first has taken the watch.
            if wasTooDeep || inner.watch < 0 || inner.depth > self.limits.depth {
                self.requestScan(inner, recursive: false)
            }
        }
    }

    private func giveUpRenames(before number: UInt64) {
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
    private func giveUpLateRenames() {
        // What is cut, or due, goes before anything is read.
        if checks.isCut || isCommitDue { return }
        let number = moves.nextNumber
        readQueue(atMost: limits.eventsPerTurn)
        giveUpRenames(before: number)
    }

    private func armHoldTimer() {
        if !moves.hasPending || holdTimer?.isSet == true { return }
        holdTimer = armed(holdTimer, after: limits.moveHold) { watcher in
            watcher.giveUpLateRenames()
            watcher.finishTurn()
        }
    }

    // MARK: Writes

    private func markWritten(isTimeUp: Bool) {
        for (folder, names) in lateWrites.takeAll(isTimeUp: isTimeUp) {
            for name in names { mark(name, in: folder, isHint: true) }
        }
        writeTimer?.unschedule()
    }

    private func armWriteTimer() {
        if !lateWrites.endTurn(now: loop.now) || writeTimer?.isSet == true { return }
        writeTimer = armed(writeTimer, after: limits.writeInterval) { watcher in
            watcher.markWritten(isTimeUp: true)
            watcher.finishTurn()
        }
    }

    /// A one-shot timer, reused. Should the loop refuse one, the work is queued at once instead.
    func armed(
        _ timer: (any TimerSource)?, after delay: Duration,
        _ task: @escaping (DirectoryWatcher) -> Void
    ) -> (any TimerSource)? {
        if let timer {
            timer.reschedule(after: delay)
            return timer
        }
        let run = { [weak self] in
            guard let self else { return }
            self.workWhenFree(task)
        }
        do {
            return try loop.schedule(after: delay, run)
        } catch {
            loop.enqueue(priority: .low, run)
            return nil
        }
    }
}
