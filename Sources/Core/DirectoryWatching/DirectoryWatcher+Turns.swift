// What a turn of the loop does: it reads events, looks at what they marked, reads new folders, and commits.
//
// A turn has a limit of time. What it does not come to is done by the next ones, before anything else.

import PickerModel
import SystemInterface
import SystemdEventLoop

extension DirectoryWatcher {
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
        timers[.pendingRenames]?.unschedule()
        giveUpRenames(before: moves.nextNumber)
        markWritten(isTimeUp: false)
        rootWaiting.look(at: rootList)
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
        while changes.hasNewKeys, rounds > 0 {
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
    var isCatchingUp: Bool { roundsToCatchUp != nil && changes.hasNewKeys }

    var isTurnOver: Bool {
        guard let turnEnd else { return false }
        return loop.now >= turnEnd
    }

    /// - Returns: how many events there were.
    @discardableResult
    func readQueue(atMost limit: Int) -> Int {
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

    // MARK: On the loop

    /// What is queued waits in the kernel while the documents are held as they are.
    func takeTurnUnlessHeld() {
        guard store.hold.isOn else { return workInTurn { $0.takeTurn() } }
        queueSource?.events = []
        store.hold.whenOff { [weak self] in
            self?.queueSource?.events = .readable
            self?.queueTurn()
        }
    }

    /// Has a further turn go on with what is not done. The queue may be empty by now: its descriptor wakes
    /// nobody then, and what was read of it would wait for the next event.
    private func queueTurn() {
        if !isTurnLeft || isTurnQueued { return }
        isTurnQueued = true
        loop.enqueue(priority: .low) { [weak self] in
            guard let self else { return }
            self.isTurnQueued = false
            if self.isTurnLeft { self.takeTurnUnlessHeld() }
        }
    }

    private var isTurnLeft: Bool { !isQueueEmpty || checks.isCut || isCommitDue }

    /// Does `task` when the documents are not held as they are.
    func workWhenFree(_ task: @escaping (DirectoryWatcher) -> Void) {
        guard store.hold.isOn else { return workInTurn(task) }
        store.hold.whenOff { [weak self] in self?.workInTurn(task) }
    }

    /// Does `task` within the time of a turn.
    private func workInTurn(_ task: (DirectoryWatcher) -> Void) {
        turnEnd = loop.now.advanced(by: limits.turnTime)
        work(task)
        turnEnd = nil
    }

    /// Does `task`, then tells what came of it. Callbacks run when the tree and the store agree.
    func work(_ task: (DirectoryWatcher) -> Void) {
        isWorking = true
        task(self)
        if scans.running == nil { access.keepReserve() }
        checkInvariants()
        isWorking = false
        queueTurn()
        deliver()
    }

    /// In debug builds, traps if the parts do not agree.
    private func checkInvariants() {
        checks.checkInvariants()
        scans.checkInvariants()
        changes.checkInvariants()
        tree.checkInvariants(below: rootList.compactMap(\.folder))
    }
}
