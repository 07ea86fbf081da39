// Watches move to where changes happen and lists look, while there are too few (`WatchMoves`).
//
// After each poll a round begins. In a turn of its own, of low priority, the hand looks for folders that need their
// watches no more, and each gives its watch to one that wants one: the kernel removes it, the folder is named as degraded
// and is polled from now on, and the other one is opened, watched and read, as any that is polled when a watch is free.
//
// Nothing is lost. Both folders are read once more: the one without a watch for what has happened since its last event,
// the one with it for what has happened since it was polled. Events of the removed watch that are queued still mark names
// in their folder, until the kernel's last word on it (`WatchTable`). If the watch that was freed is taken by another
// program first, both folders are polled, and the one that wanted it rests like one that got it.
//
// Whose watches stay:
// - Those of roots, of folders of followed links and those on which missing roots wait: no other watch tells of their end.
//   The watcher has no others of its own; `drain` asks the kernel how much is queued, and needs no file for that.
// - Those of folders in which a folder is watched: a rename of that one is an event of the folder around it, by whose
//   cookie it keeps its place in the tree with all that is in it. So watches are taken from the leaves upwards, and above
//   a watched folder none is taken. Where a folder gets a watch while the one around it has none, its own watch tells
//   that it was moved (`mask`), and that folder is read at once. What is moved out of a polled folder into another is
//   found by the next poll of both; folders and files in them are recognised by identity if that poll finds both ends.
// - Those of folders that are being read, or in which names wait for checks: something is happening there.

import EventLoops
import PickerModel

extension DirectoryWatcher {
    /// Notes a change that was found in a folder. It counts if a poll found it.
    func notePolledChange(in folder: WatchedFolder) {
        // So it ends for all that are watched.
        if folder.watch >= 0 { return }
        if rescan?.isComplete == false, isShortOfWatch(folder) { watchMoves.want(folder) }
    }

    private func isShortOfWatch(_ folder: WatchedFolder) -> Bool {
        folder.watch < 0 && folder.condition == .degraded(.watchLimit)
    }

    /// Begins a round at the end of a poll, if a folder wants a watch.
    func beginWatchMoves() {
        // Without a queue there are no watches.
        if queueFault != nil || !watchMoves.mayBegin(loop.now) { return }
        guard degraded.values.contains(where: isShortOfWatch) else { return }
        let viewed = store.views.folders(
            atMost: limits.foldersViewed, of: limits.listsAsked, rows: limits.rowsAsked,
            in: store.table)
        watchMoves.begin(
            viewed: viewed.compactMap(watchedFolder), among: tree.watches.count, loop.now,
            isShortOfWatch)
        queueWatchMoves()
    }

    private func queueWatchMoves() {
        if isMoveQueued || !watchMoves.isRoundOpen { return }
        isMoveQueued = true
        loop.enqueue(priority: .low) { [weak self] in
            guard let self else { return }
            self.isMoveQueued = false
            self.performWhenFree { $0.moveWatches() }
        }
    }

    /// Moves watches, as far as one turn goes.
    private func moveWatches() {
        var steps = limits.watchesPassedAtOnce
        var moved: [(from: WatchedFolder, to: WatchedFolder)] = []
        while watchMoves.isRoundOpen {
            let quiet = watchMoves.nextQuiet(
                &steps, in: tree.watches, at: watchStamp, mayLoseWatch)
            guard let quiet, let next = nextWanting() else { break }
            removeWatch(of: quiet, for: next)
            moved.append((quiet, next))
        }
        // Those that were queued last are opened first, and so get the watches.
        for (folder, _) in moved { scans.queueScan(folder, recursive: false) }
        for (_, folder) in moved { scans.queueScan(folder, recursive: false) }
        if watchMoves.isRoundOpen { queueWatchMoves() } else { watchMoves.endRound() }
        finishTurn()
    }

    private func nextWanting() -> WatchedFolder? {
        while let folder = watchMoves.takeNext() {
            guard isShortOfWatch(folder), folder.scan.isIdle, folder.attachedRoot != nil else {
                continue
            }
            return folder
        }
        return nil
    }

    /// Whether the watch of a folder in which nothing happens may be taken. Takes a step for each folder in it that it
    /// looks at; if there are not enough for all, it may not.
    /// - Complexity: O(depth + steps).
    func mayLoseWatch(_ folder: WatchedFolder, _ steps: inout Int) -> Bool {
        guard folder.condition == .watched, folder.parent != nil, folder.target == nil,
            folder.scan.isIdle, folder.checks.names.isEmpty, folder.checks.held.isEmpty,
            !rootWaiting.isUsed(folder.watch),
            // One that is about to be moved has none.
            folder.attachedRoot != nil
        else { return false }
        for child in folder.folders.values {
            steps -= 1
            if steps <= 0 || child.watch >= 0 { return false }
        }
        return true
    }

    private func removeWatch(of quiet: WatchedFolder, for next: WatchedFolder) {
        guard let watch = tree.watches.retire(quiet) else { return }
        access.removeWatch(watch)
        quiet.watchStamp = watchStamp
        next.watchStamp = watchStamp
        degrade(quiet, .watchLimit)
    }
}
