// Timers: for pending renames, held names, misplaced folders, polls, and reports of progress.

import EventLoops

/// The timers of a watcher. Each is created once and then rescheduled.
enum WatchTimer {
    case pendingRenames
    case held
    case misplaced
    case departed
    case poll
    case progress
}

extension DirectoryWatcher {
    /// Sets the timers for the work that the turn has left.
    func armTimers() {
        if moves.hasPending {
            arm(.pendingRenames, after: limits.renameTimeout) { watcher in
                watcher.giveUpLateRenames()
                watcher.finishTurn()
            }
        }
        if let due = held.nextDue() {
            arm(.held, after: max(.zero, loop.now.duration(to: due))) { watcher in
                watcher.checkHeld(until: watcher.loop.now)
                watcher.finishTurn()
            }
        }
        // No mark waits for ever: a folder that was not found is looked up in its parent after a while.
        if !checks.misplacedFolders.isEmpty {
            arm(.misplaced, after: limits.misplacedWait) { watcher in
                watcher.recheckMisplaced()
                watcher.finishTurn()
            }
        }
        // A scan that goes on for longer commits little by itself.
        if mayFindDeparted {
            arm(.departed, after: limits.midwayTime) { $0.finishTurn() }
        }
    }

    /// Sets the poll timer, unless a rescan is under way, which sets it at its end.
    func armPollTimer() {
        if timers[.poll]?.isSet == true || rescan != nil { return }
        let isNeeded =
            degraded.values.contains(where: \.isPolled) || rootList.contains(where: \.isPolledFor)
        if !isNeeded { return }
        arm(.poll, after: pollPace.next) { watcher in
            watcher.pollPace.begin(watcher.loop.now)
            watcher.startPoll()
            if watcher.rescan == nil {
                watcher.pollPace.end(foundChange: false, watcher.loop.now)
            }
            watcher.finishTurn()
            watcher.armPollTimer()
        }
    }

    /// Runs `task` after `delay`, or earlier if the timer is set already. If the loop refuses a timer, the task
    /// is queued at once.
    private func arm(
        _ name: WatchTimer, after delay: Duration, _ task: @escaping (DirectoryWatcher) -> Void
    ) {
        if let timer = timers[name] {
            if !timer.isSet { timer.reschedule(after: delay) }
            return
        }
        let run = { [weak self] in
            guard let self else { return }
            self.performWhenFree(task)
        }
        do {
            timers[name] = try loop.schedule(after: delay, run)
        } catch {
            loop.enqueue(priority: .low, run)
        }
    }
}
