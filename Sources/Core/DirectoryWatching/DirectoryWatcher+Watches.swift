// Identity of folders: their watches, and folders that were moved or replaced.

import SystemInterface

extension DirectoryWatcher {
    /// Replaces the opened folder by a known one that has been moved here, if there is one. Otherwise records
    /// its identity.
    /// - Returns: whether it was replaced.
    func adoptMovedFolder(_ waiting: WatchedFolder, _ status: FileStatus) -> Bool {
        if waiting.identity == 0, waiting.files.isEmpty, waiting.folders.isEmpty,
            let parent = waiting.parent, let known = moves.takeFolder(status.identity)
        {
            insert(known, inPlaceOf: waiting, in: parent)
            known.access = status.access
            return true
        }
        waiting.identity = status.identity
        waiting.inode = status.inodeHash
        waiting.otherIdentity = 0
        waiting.access = status.access
        return false
    }

    private func insert(
        _ known: WatchedFolder, inPlaceOf waiting: WatchedFolder, in parent: WatchedFolder
    ) {
        let name = waiting.name
        let target = waiting.target
        scans.end(waiting)
        _ = parent.detachFolder(name)
        known.target = target
        reattach(known, as: name, in: parent)
    }

    /// Replaces the folder about to be read by a folder in the tree that turns out to be the same: it has been
    /// moved here, and the event is still unread. Its contents come with it.
    /// - Returns: whether it was replaced.
    private func adoptWatchedFolder(_ known: WatchedFolder, at waiting: WatchedFolder) -> Bool {
        guard waiting.files.isEmpty, waiting.folders.isEmpty, known.identity == waiting.identity,
            let parent = waiting.parent, let former = known.parent
        else { return false }
        var above: WatchedFolder? = parent
        while let folder = above {
            if folder === known { return false }
            above = folder.parent
        }
        mark(known.name, in: former)
        _ = former.detachFolder(known.name)
        insert(known, inPlaceOf: waiting, in: parent)
        return true
    }

    func watch(_ folder: WatchedFolder, at path: [UInt8], again: Bool) {
        if folder.watch >= 0 && !again {
            markWatched(folder)
            return
        }
        if let queueFault {
            degrade(folder, .noQueue(queueFault.rawValue))
            return
        }
        let mask = mask(for: folder)
        do {
            let number = try access.addWatch(path, mask)
            if let other = tree[number], other !== folder {
                if isAlias(other) {
                    degrade(folder, .alias)
                    return
                }
                if adoptWatchedFolder(other, at: folder) { return }
                recheck(other)
            }
            if folder.watch < 0 { folder.watchStamp = watchStamp }
            if let former = tree.setWatch(number, of: folder) { removeUnusedWatch(former) }
            markWatched(folder)
        } catch {
            switch error.code {
            case .noSpace: degrade(folder, .watchLimit)
            case .permissionDenied: degrade(folder, .permission)
            default: degrade(folder, .system(error.code.rawValue))
            }
        }
    }

    /// A closed folder stays degraded: the end of its scan says whether its files are accessible.
    private func markWatched(_ folder: WatchedFolder) {
        if folder.condition != .degraded(.closed) { recovered(folder) }
    }

    /// Whether a folder is still where the tree has it, although its watch turned up elsewhere.
    private func isAlias(_ folder: WatchedFolder) -> Bool {
        guard let path = folder.path() else { return false }
        let status = try? access.status(path, followingLinks: false)
        return status?.inodeHash == folder.inode
    }

    /// Whether the folder found at `path` is the one that the tree has there.
    ///
    /// An overlay file system changes a folder's birth time when it copies the folder up. So if device and
    /// inode agree, the kernel decides: adding a watch again returns the same number only for the same folder.
    /// It is asked once per other folder, because removing that watch is an event that leads to another check.
    func isStill(_ folder: WatchedFolder, _ status: FileStatus, at path: [UInt8]) -> Bool {
        if folder.identity == status.identity { return true }
        guard folder.inode == status.inodeHash, folder.otherIdentity != status.identity else {
            return false
        }
        if folder.watch >= 0 {
            let mask = mask(for: folder)
            guard let number = try? access.addWatch(path, mask) else { return false }
            if number != folder.watch {
                folder.otherIdentity = status.identity
                removeUnusedWatch(number)
                return false
            }
        }
        folder.identity = status.identity
        return true
    }

    /// No watched parent reports the end of a root, of the folder to which a link leads, or of one in a folder that is
    /// polled. A parent that gets a watch later reports it, too, which does no harm.
    private func mask(for folder: WatchedFolder) -> InotifyMask {
        guard let parent = folder.parent, parent.watch >= 0, folder.target == nil else {
            return Self.rootMask
        }
        return Self.folderMask
    }

    /// Reads the polled folder in which a watched one was, as it may still be there under another name.
    func scanUnwatchedParent(of folder: WatchedFolder) {
        guard folder.target == nil, let parent = folder.parent, parent.watch < 0 else { return }
        scans.queueScan(parent, recursive: false)
    }

    func releaseWatch(_ folder: WatchedFolder) {
        tree.watches.forget(folder)
        if let watch = tree.endWatch(of: folder) { removeUnusedWatch(watch) }
    }

    /// Removes a watch unless a folder or a waiting root uses it.
    func removeUnusedWatch(_ watch: Int32) {
        if !tree.isUsed(watch), !rootWaiting.isUsed(watch) { access.removeWatch(watch) }
    }
}
