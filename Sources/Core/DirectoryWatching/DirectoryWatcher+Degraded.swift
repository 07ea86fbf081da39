// Folders that cannot be watched or read.
//
// Each is handled by itself: a folder whose watch was refused is read, and its watch retried, with each poll;
// its subfolders may well be watched. A folder without a watch may get that of another (`WatchMoves`). The poll timer runs only while there is something to poll. When many
// folders fail at once, only some are named.

import EventLoops
import PickerModel
import SystemInterface

extension WatchedFolder {
    /// Whether the poll reads this folder.
    var isPolled: Bool {
        if case .degraded(let reason) = condition { reason.isRetried } else { false }
    }
}

extension DirectoryWatcher {
    /// Opens the event queue if there is none, and starts reading it.
    /// - Returns: whether this call opened it.
    @discardableResult
    func openQueue() -> Bool {
        if queueSource != nil { return false }
        do throws(SystemError) {
            try access.openQueue()
            guard let number = access.queueNumber else { return false }
            queueSource = try loop.watch(number, for: .readable) { [weak self] _ in
                self?.runTurnUnlessHeld()
            }
        } catch {
            queueFault = error.code
            return false
        }
        queueFault = nil
        return true
    }

    /// One of the folders that could not be read because descriptors or memory ran out; `nil` if there is none.
    /// Until it is read, the watcher is not settled.
    package var shortage: WatchTrouble? {
        guard let first = shortages.first, let folder = degraded[first] else { return nil }
        return Self.trouble(folder)
    }

    func degrade(_ folder: WatchedFolder, _ reason: DegradedReason) {
        if folder.condition == .degraded(reason) { return }
        folder.condition = .degraded(reason)
        let isNew = degraded.updateValue(folder, forKey: ObjectIdentifier(folder)) == nil
        if reason.isShortage {
            shortages.insert(ObjectIdentifier(folder))
        } else {
            shortages.remove(ObjectIdentifier(folder))
        }
        let isNamed =
            reason.isOfWholeTree ? folder.parent == nil : degraded.count <= limits.degradedNamed
        if isNew { pollPace.startOver() }
        if isNew, isNamed, let path = folder.listedPath() {
            folder.reportedPath = path
            report(.degraded(path: path, reason: reason))
        }
        armPollTimer()
    }

    /// Records that a degraded folder is watched again.
    func recovered(_ folder: WatchedFolder) {
        removeDegraded(folder)
        folder.condition = .watched
    }

    /// Ends the degraded state of a folder that is watched or gone.
    func removeDegraded(_ folder: WatchedFolder) {
        if degraded.isEmpty || degraded.removeValue(forKey: ObjectIdentifier(folder)) == nil {
            return
        }
        shortages.remove(ObjectIdentifier(folder))
        watchMoves.drop(folder)
        folder.condition = .unread
        guard let path = folder.reportedPath else { return }
        folder.reportedPath = nil
        report(.restored(path: path))
    }

    /// Handles a failure to open or read a folder.
    func handleUnreadable(_ folder: WatchedFolder, _ code: ErrorNumber) {
        if code.isAbsence {
            // Gone or replaced: its parent's entry decides.
            recheck(folder)
        } else if code == .permissionDenied {
            removeContents(of: folder)
            degrade(folder, .permission)
        } else {
            // For example, too many open files: it says nothing about the folder's contents.
            degrade(folder, code.isShortage ? .shortage(code.rawValue) : .system(code.rawValue))
        }
    }

    /// Forgets the contents of a folder that is unreadable or too deep.
    func removeContents(of folder: WatchedFolder) {
        for name in folder.files.keys { removeEntry(name, from: folder) }
        for name in folder.folders.keys { removeEntry(name, from: folder) }
    }
}
