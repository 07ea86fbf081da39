// Folders that cannot be watched, or not be read.
//
// Each such folder stands for itself: one whose watch was refused is read again with each poll,
// and tried again at that; its subfolders may well be watched. The poll's timer runs only while
// there is something to poll. When many folders fail at once only some are named.

import PickerModel
import SystemInterface
import SystemdEventLoop

extension WatchedFolder {
    /// Whether the poll looks after it.
    var isPolled: Bool {
        if case .degraded(let reason) = condition { return reason.isRetried }
        return false
    }
}

extension DirectoryWatcher {
    /// Makes the queue of events, if there is none, and has it read.
    /// - Returns: whether there is one now and was none before.
    @discardableResult
    func openQueue() -> Bool {
        if queueSource != nil { return false }
        do {
            try access.openQueue()
        } catch {
            queueFault = error.code
            return false
        }
        guard let number = access.queueNumber else { return false }
        do {
            queueSource = try loop.watch(number, for: .readable) { [weak self] _ in
                self?.takeTurnUnlessHeld()
            }
        } catch {
            queueFault = error.code
            return false
        }
        queueFault = nil
        return true
    }

    /// A folder that could not be read for want of descriptors or memory, if there is one: until it is
    /// read, nothing is settled.
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
        if isNew, isNamed, let path = folder.path() {
            folder.reportedPath = path
            report(.degraded(path: path, reason: reason))
        }
        armPollTimer()
    }

    /// The folder is watched.
    func recovered(_ folder: WatchedFolder) {
        removeDegraded(folder)
        folder.condition = .watched
    }

    /// The folder is watched, or gone.
    func removeDegraded(_ folder: WatchedFolder) {
        if degraded.isEmpty || degraded.removeValue(forKey: ObjectIdentifier(folder)) == nil {
            return
        }
        shortages.remove(ObjectIdentifier(folder))
        folder.condition = .unread
        guard let path = folder.reportedPath else { return }
        folder.reportedPath = nil
        report(.restored(path: path))
    }

    /// A folder could not be opened.
    func isUnreadable(_ folder: WatchedFolder, _ code: ErrorNumber) {
        switch code {
        case .noSuchFile, .notADirectory, .tooManySymbolicLinks:
            // Gone, or something else by now: its parent's entry decides.
            lookAtItself(folder)
        case .permissionDenied:
            removeContents(of: folder)
            degrade(folder, .permission)
        default:
            // Such as too many open files: it says nothing of what is in the folder.
            degrade(folder, code.isShortage ? .shortage(code.rawValue) : .system(code.rawValue))
        }
    }

    /// What is in a folder that may not be read, or lies too deep, is not known any more.
    func removeContents(of folder: WatchedFolder) {
        for name in folder.files.keys { removeEntry(name, from: folder) }
        for name in folder.folders.keys { removeEntry(name, from: folder) }
    }
}
