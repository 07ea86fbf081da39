// Which folder is which: watches, and folders that have been moved or replaced.

import SystemInterface

extension DirectoryWatcher {
    /// Whether the opened folder is one that is known by another name and has been moved here: that
    /// one takes its place then. Else it is what was to be read.
    func becameKnown(_ waiting: WatchedFolder, _ status: FileStatus) -> Bool {
        if waiting.identity == 0, waiting.files.isEmpty, waiting.folders.isEmpty,
            let parent = waiting.parent, let known = moves.takeFolder(status.identity)
        {
            put(known, inPlaceOf: waiting, in: parent)
            known.access = status.access
            return true
        }
        waiting.identity = status.identity
        waiting.inode = status.inodeHash
        waiting.stranger = 0
        waiting.access = status.access
        return false
    }

    private func put(
        _ known: WatchedFolder, inPlaceOf waiting: WatchedFolder, in parent: WatchedFolder
    ) {
        let name = waiting.name
        scans.end(waiting)
        _ = parent.detachFolder(name)
        reattach(known, as: name, in: parent)
    }

    /// Whether a folder in the tree is in fact the one that is about to be read: it has been moved
    /// here, and the event of that is still to be read. It takes its place then, with all that is
    /// known of it.
    private func hasArrived(_ known: WatchedFolder, at waiting: WatchedFolder) -> Bool {
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
        put(known, inPlaceOf: waiting, in: parent)
        return true
    }

    func watch(_ folder: WatchedFolder, at path: [UInt8], again: Bool) {
        if folder.watch >= 0 && !again {
            isWatched(folder)
            return
        }
        if let queueFault {
            degrade(folder, .noQueue(queueFault.rawValue))
            return
        }
        let mask = folder.parent == nil ? Self.rootMask : Self.folderMask
        do {
            let number = try access.addWatch(path, mask)
            if let other = tree[number], other !== folder {
                if isAlias(other) {
                    degrade(folder, .alias)
                    return
                }
                if hasArrived(other, at: folder) { return }
                lookAtItself(other)
            }
            if let former = tree.setWatch(number, of: folder) { removeUnusedWatch(former) }
            isWatched(folder)
        } catch {
            switch error.code {
            case .noSpace: degrade(folder, .watchLimit)
            case .permissionDenied: degrade(folder, .permission)
            default: degrade(folder, .system(error.code.rawValue))
            }
        }
    }

    /// The end of its reading says whether its files may be looked at by now.
    private func isWatched(_ folder: WatchedFolder) {
        if folder.condition != .degraded(.closed) { recovered(folder) }
    }

    /// Whether a folder is still to be found where the tree has it, though its watch turned up
    /// elsewhere.
    private func isAlias(_ folder: WatchedFolder) -> Bool {
        guard let path = folder.path() else { return false }
        let status = try? access.status(path, followingLinks: false)
        return status?.inodeHash == folder.inode
    }

    /// Whether what was found at `path` is the folder that the tree has there.
    ///
    /// An overlay file system changes a folder's time of birth when it copies it up. So where device and
    /// inode are the same the kernel is asked: a watch that is added again has the number it had only if it
    /// is the very same folder. It is asked once for each other folder: a watch that is given back is an event,
    /// which is reason to look again.
    func isStill(_ folder: WatchedFolder, _ status: FileStatus, at path: [UInt8]) -> Bool {
        if folder.identity == status.identity { return true }
        guard folder.inode == status.inodeHash, folder.stranger != status.identity else {
            return false
        }
        if folder.watch >= 0 {
            let mask = folder.parent == nil ? Self.rootMask : Self.folderMask
            guard let number = try? access.addWatch(path, mask) else { return false }
            if number != folder.watch {
                folder.stranger = status.identity
                removeUnusedWatch(number)
                return false
            }
        }
        folder.identity = status.identity
        return true
    }

    func releaseWatch(_ folder: WatchedFolder) {
        if let watch = tree.endWatch(of: folder) { removeUnusedWatch(watch) }
    }

    /// Ends a watch unless a folder has it or a root waits on it.
    func removeUnusedWatch(_ watch: Int32) {
        if !tree.isUsed(watch), !rootWaiting.isUsed(watch) { access.removeWatch(watch) }
    }
}
