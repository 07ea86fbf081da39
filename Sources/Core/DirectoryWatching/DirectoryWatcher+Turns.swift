// A turn of the loop: it reads events, checks the names they marked, scans new folders, and commits.
//
// A turn has a time limit. The next turns finish its work before any other.

import EventLoops
import PickerModel
import SystemInterface

extension DirectoryWatcher {
    /// Runs one turn of the loop: reads a bounded number of events and, at a quiet point, processes them.
    func runTurn() {
        if isDrainDue { return continueDrain() }
        if !isCatchingUp, !checks.isCut, !isCommitDue {
            readQueue(atMost: limits.eventsPerTurn)
            // The kernel queues the second half of a move an instant after the first: another look costs less than
            // another turn.
            if isQueueEmpty, moves.hasPending { readQueue(atMost: limits.eventsPerTurn) }
            if !isQueueEmpty && checks.count < limits.changesPerTransaction { return }
        }
        finishTurn()
    }

    /// Reads the whole queue, decides half-seen moves, and probes the roots.
    func drain() {
        turnEnd = nil
        roundsToCatchUp = nil
        isCommitDue = false
        readAll()
        finishTurn()
    }

    /// The same within turns: the next ones continue until all is read that was queued when the caller called.
    func continueDrain() {
        // What is left of a former turn comes before any read.
        if checks.isCut || isCommitDue || isCatchingUp { finishTurn() }
        if !checks.isCut, !isCommitDue, !isCatchingUp, !isTurnOver {
            readAll(upTo: drainTargets.first)
        }
        finishTurn()
    }

    /// Reads the queue to its end, or to a position.
    private func readAll(upTo target: Int? = nil) {
        var left = 64
        var isReached = false
        repeat {
            readQueue(atMost: limits.eventsPerTurn)
            // The kernel queues the second half of a move an instant after the first.
            if isQueueEmpty, moves.hasPending { readQueue(atMost: limits.eventsPerTurn) }
            isReached = target.map { access.handledBytes >= $0 } ?? false
            if !isQueueEmpty, !isReached {
                settleChecks()
                if checks.isCut { return }
            }
            left -= 1
        } while !isQueueEmpty && !isReached && left > 0
        guard isQueueEmpty || isReached || target == nil else { return }
        // A move without its second half leads out of the tree.
        timers[.pendingRenames]?.unschedule()
        giveUpRenames(before: moves.nextNumber)
        checkHeld()
        rootWaiting.queueProbes(of: rootList)
        checks.retryMisplaced()
        for (folder, name) in links.names { mark(name, in: folder, isHint: true) }
        if access.haveMountsChanged() { checkMounts() }
        if degraded.values.contains(where: \.isPolled) { startPoll() }
        drainCount += 1
        // An unreadable queue has no events any more.
        drainedPosition = isQueueEmpty ? max(access.handledBytes, target ?? 0) : access.handledBytes
        drainTargets.removeAll { $0 <= drainedPosition }
    }

    func finishTurn() {
        rescanAfterOverflow()
        probeRoots()
        if isCommitDue {
            settleChecks()
            commitIfQuiet()
            endRescan()
        } else {
            if checks.isCut || !isCatchingUp { settleChecks() }
            // Even during a read of the queue: the unfinished checks may have found new folders.
            if !checks.isCut { scanInline() }
            if !checks.isCut, catchUp() {
                if isTurnOver, changes.count > 0 {
                    // The next turn commits, before it reads anything.
                    isCommitDue = true
                } else {
                    commitIfQuiet()
                    endRescan()
                }
            }
        }
        armTimers()
        queueSlice()
    }

    private func rescanAfterOverflow() {
        if hasOverflowed && isQueueEmpty {
            hasOverflowed = false
            startRescan()
        }
    }

    /// Reads the events queued during a scan before the results of the scan are committed.
    ///
    /// A scan may find a file in a new folder before the event that takes it out of its old folder is read;
    /// only its identity is known then. A commit at that moment would list it twice and lose its key. So the
    /// queue is read after the last check of the disk. While files keep moving, the last rounds check nothing
    /// more.
    ///
    /// Work that exceeds the turn's time continues in the next turns.
    /// - Returns: whether it is done, and the pending changes may be committed.
    func catchUp() -> Bool {
        // A turn that continues it completes at least one round, however late it is.
        var mayStop = !isCatchingUp
        var rounds =
            isCatchingUp
            ? roundsToCatchUp ?? 0 : Self.roundsWithChecks + Self.roundsWithoutChecks
        roundsToCatchUp = nil
        while changes.mayHaveMoved, rounds > 0 {
            if mayStop, isTurnOver, !isQueueEmpty {
                roundsToCatchUp = rounds
                return false
            }
            mayStop = true
            if readQueue(atMost: limits.eventsPerTurn) == 0 { break }
            rounds -= 1
            rescanAfterOverflow()
            if rounds >= Self.roundsWithoutChecks {
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

    private static let roundsWithChecks = 4
    private static let roundsWithoutChecks = 16

    /// Whether the pending changes wait for the rest of the queue.
    var isCatchingUp: Bool { roundsToCatchUp != nil && changes.mayHaveMoved }

    var isTurnOver: Bool {
        guard let turnEnd else { return false }
        return loop.now >= turnEnd
    }

    /// - Returns: the number of events.
    @discardableResult
    func readQueue(atMost limit: Int) -> Int {
        var count = 0
        isQueueEmpty = false
        while count < limit {
            do {
                let more = try access.readEvents { event in
                    count += 1
                    self.handle(event)
                }
                if count > 0 { checks.retryMisplaced() }
                if !more {
                    isQueueEmpty = true
                    checkNewLinks()
                    changes.forgetReplaced()
                    return count
                }
            } catch {
                // The queue returned something unreadable. Its content is unknown, as after an overflow.
                recordOverflow()
                isQueueEmpty = true
                return count + 1
            }
        }
        return count
    }

    /// Takes the events out of the kernel's queue before work that was left from earlier: it drops events when too many
    /// wait, and that work may take several turns.
    private func gatherEvents() {
        do {
            if try access.gatherEvents() { isQueueEmpty = false }
        } catch {
            recordOverflow()
        }
    }

    // MARK: On the loop

    /// Runs a turn. While a change hold is on, events wait in the kernel.
    func runTurnUnlessHeld() {
        guard store.hold.isOn else { return performInTurn { $0.runTurn() } }
        queueSource?.events = []
        store.hold.whenOff { [weak self] in
            self?.queueSource?.events = .readable
            self?.queueTurn()
        }
    }

    /// Queues another turn if work is left. The queue may be empty by now, so that its descriptor wakes nobody
    /// and the work would wait for the next event.
    private func queueTurn() {
        if !isTurnLeft || isTurnQueued { return }
        isTurnQueued = true
        // Events that were gathered wake nobody, and must not wait until all clients are silent.
        loop.enqueue(priority: isQueueEmpty ? .low : .normal) { [weak self] in
            guard let self else { return }
            self.isTurnQueued = false
            if self.isTurnLeft { self.runTurnUnlessHeld() }
        }
    }

    private var isTurnLeft: Bool {
        !isQueueEmpty || checks.isCut || isCommitDue || isDrainDue || mayDecideLinks
    }

    /// Whether changes were seen that the store does not have yet, or folders are being read.
    private var isMidway: Bool { isTurnLeft || !scans.isIdle }

    /// Whether the store will soon have more. What takes long, as a slow disk does, is not waited for.
    var areMoreComing: Bool { midwaySince != nil && isMidway && !isLongMidway }

    /// Whether there have been changes that the store does not have, or folders to read, for long.
    var isLongMidway: Bool {
        midwaySince.map { $0.duration(to: loop.now) >= limits.midwayTime } ?? false
    }

    /// Runs `task` when no change hold is on.
    func performWhenFree(_ task: @escaping (DirectoryWatcher) -> Void) {
        guard store.hold.isOn else { return performInTurn(task) }
        store.hold.whenOff { [weak self] in self?.performInTurn(task) }
    }

    /// Runs `task` within the time limit of a turn.
    func performInTurn(_ task: (DirectoryWatcher) -> Void) {
        turnEnd = loop.now.advanced(by: limits.turnTime)
        if isTurnLeft { gatherEvents() }
        perform(task)
        turnEnd = nil
    }

    /// Runs `task`, then sends the queued messages. Callbacks run when the tree and the store agree.
    func perform(_ task: (DirectoryWatcher) -> Void) {
        isWorking = true
        watchStamp = WatchMoves.stamp(loop.now)
        task(self)
        endProgress()
        if scans.running == nil, !scans.elsewhere.isWaitingForRoom { access.keepReserve() }
        checkInvariants()
        // What was found late in a commit is committed by the next turn; nobody is told before that all is settled.
        if isSettled, changes.hasDecided { isCommitDue = true }
        isWorking = false
        if !isMidway { midwaySince = nil } else if midwaySince == nil { midwaySince = loop.now }
        queueTurn()
        deliver()
        adjustCommitSize()
    }

    /// In debug builds, traps if the parts do not agree.
    private func checkInvariants() {
        checks.checkInvariants()
        held.checkInvariants()
        scans.checkInvariants()
        links.checkInvariants()
        watchMoves.checkInvariants()
        changes.checkInvariants()
        tree.checkInvariants(below: rootList.compactMap(\.folder))
    }
}
