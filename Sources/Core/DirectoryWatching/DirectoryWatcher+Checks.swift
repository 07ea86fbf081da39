// Checks of marked names: what is on disk decides.

import EventLoops
import PickerModel
import SystemInterface

extension DirectoryWatcher {
    /// Checks every marked name once, if its folder has a path.
    ///
    /// The disk may be ahead of the tree: a moved folder stays at its old path in the tree until its event is
    /// read. What is found at that path says nothing about the folder, so its marks wait for the next round.
    ///
    /// `checks.isCut` says that the turn ended before all names were checked.
    func settleChecks() {
        checks.beginRound()
        var rounds = 0
        while rounds < 4 {
            // Even without marks: the scans it waited for may be finished.
            if checks.isQueueEmpty { findHardLinks() }
            if checks.isQueueEmpty { decideLinks() }
            if checks.isQueueEmpty { break }
            rounds += 1
            let folders = checks.takeQueue()
            for (index, folder) in folders.enumerated() {
                settleChecks(of: folder)
                let isLast = index == folders.count - 1
                if !checks.isCut, isLast || !isTurnOver { continue }
                checks.cut(folders[(index + 1)...])
                return
            }
        }
    }

    private func settleChecks(of folder: WatchedFolder) {
        if folder.checks.names.isEmpty { return }
        guard let path = folder.path() else { return checks.setAside(folder, isDetached: true) }
        let opened: DescriptorBox?
        do {
            let descriptor = try access.findFolder(path)
            if folder.identity != 0, try !isStill(folder, access.status(descriptor), at: path) {
                return setMisplaced(folder)
            }
            opened = DescriptorBox(descriptor)
        } catch {
            if error.code.isAbsence { return setMisplaced(folder) }
            // It can't be opened; its entries may be accessible nevertheless.
            opened = nil
        }
        var isDone = false
        while !isDone, !checks.isCut {
            let (names, hints) = checks.takeNames(of: folder, atMost: Self.checksAtOnce)
            isDone = names.count < Self.checksAtOnce
            // Sorted, so that new files get their keys in the same order in every process, unless there are many.
            let sorted = names.sorted { $0.lexicographicallyPrecedes($1) }
            for (index, name) in sorted.enumerated() {
                if index > 0, index % Self.checksPerClockRead == 0, isTurnOver {
                    checks.cut(sorted[index...], hints, in: folder)
                    break
                }
                // It may have been marked before the scan of the folder began.
                scans.elsewhere.note(name, in: folder)
                if let rules = folder.rules, isIgnoreFile(name, rules), let opened {
                    scanIfRulesChanged(in: folder, opened.descriptor)
                }
                // Few checks ask.
                var isHint: Bool { folder.watch >= 0 && hints.contains(name) }
                do {
                    let status = try readStatus(of: name, in: opened, path)
                    if status.kind == .symbolicLink {
                        updateLink(status, as: name, in: folder, opened, path, isHint: isHint)
                        continue
                    }
                    // A folder takes no file's place: that file was removed or moved before.
                    if status.kind == .directory, folder.files[name] != nil, isHint { continue }
                    updateEntry(status, as: name, in: folder, isHint: isHint)
                } catch {
                    // Removed or moved in the meantime: its own event says which.
                    if error.code.isAbsence, isHint { continue }
                    // Gone, or hidden by a lost permission: not to be listed either way.
                    removeEntry(name, from: folder)
                }
            }
        }
    }

    /// Names of one folder that are taken at once, and left to the next turn if this one ends.
    private static let checksAtOnce = 512

    /// Checks between two reads of the clock.
    private static let checksPerClockRead = 16

    private func readStatus(
        of name: [UInt8], in folder: DescriptorBox?, _ path: [UInt8]
    ) throws(SystemError) -> FileStatus {
        guard let folder else {
            return try access.status(joined(path, name), followingLinks: false)
        }
        return try access.status(name, in: folder.descriptor, at: path)
    }

    /// Sets a folder aside that is not where the tree has it. An event says where it went; if none comes within
    /// some milliseconds, as after a mount on it, its own name is checked.
    private func setMisplaced(_ folder: WatchedFolder) {
        checks.setAside(folder, isDetached: false)
        if let root = folder.root { rootWaiting.queueProbes(of: [root]) }
    }

    /// Updates the tree with the status of a name.
    /// - Parameters:
    ///   - status: what the disk says.
    ///   - name: the name.
    ///   - folder: the folder of the name.
    ///   - isHint: whether no event that was read says that another file may be there.
    func updateEntry(
        _ status: FileStatus, as name: [UInt8], in folder: WatchedFolder,
        isHint: @autoclosure () -> Bool = true
    ) {
        if isLeftOut(name, isFolder: status.kind == .directory, in: folder) {
            return removeEntry(name, from: folder)
        }
        if !links.isEmpty { forgetLink(name, in: folder) }
        switch status.kind {
        case .regular: updateFile(status, as: name, in: folder, isHint: isHint())
        case .directory: updateFolder(status, as: name, in: folder)
        case .symbolicLink, .socket, .other: removeEntry(name, from: folder)
        }
    }

    func updateFile(
        _ status: FileStatus, as name: [UInt8], in folder: WatchedFolder,
        isHint: @autoclosure () -> Bool
    ) {
        if !folder.folders.isEmpty, folder.folders[name] != nil {
            removeEntry(name, from: folder)
        }
        let identity = status.identity
        let key: DocumentKey
        if var entry = folder.files.found(name) {
            key = entry.key
            // Its document may have the path of before a rename that was pending when its root was lost.
            let wasExpected = changes.markFound(key)
            if entry.identity != identity {
                unlink(entry)
                // Of one that was restored it may not be known.
                if entry.identity != 0 {
                    if isHint() { changes.setReplaced(entry) }
                    rescan?.noteReplaced(entry)
                }
                entry.identity = identity
                folder.files[name] = entry
                notePolledChange(in: folder)
            }
            changes.uncover(key)
            let facts = FileFacts(status)
            if facts != knownFacts(key) {
                changes[key] = .present(folder, name, facts)
                notePolledChange(in: folder)
                markNames(of: identity, besides: key)
            } else if wasExpected, changes[key] == nil {
                changes[key] = .present(folder, name, facts)
            }
        } else {
            key = store.mintKeyNumber()
            folder.files[name] = FileEntry(key: key, identity: identity)
            changes.add(key, folder, name, FileFacts(status))
            notePolledChange(in: folder)
        }
        if status.linkCount > 1 {
            let place = LinkedName(folder: folder, name: name)
            let entry = FileEntry(key: key, identity: identity)
            if tree.addName(entry, at: place, of: status.linkCount) {
                // The file may have come here by a move that was not seen.
                let other = tree.names(of: identity).keys.first { $0 != key }
                if let other, knownFacts(other) != FileFacts(status) {
                    markNames(of: identity, besides: key)
                }
            }
        }
    }

    func knownFacts(_ key: DocumentKey) -> FileFacts? {
        switch changes[key] {
        case .halfMoved, .gone: nil
        case .present(_, _, let facts?): facts
        case .present(_, _, nil), nil: store.facts(of: key)
        }
    }

    private func updateFolder(_ status: FileStatus, as name: [UInt8], in folder: WatchedFolder) {
        if folder.files[name] != nil { removeEntry(name, from: folder) }
        if let child = folder.folders[name] {
            if child.identity == 0, !child.scan.isWaiting {
                // It is remembered from before its root was away, and was not there when that was read.
                scans.queueScan(child, recursive: true)
            }
            // A folder that was not opened yet has a scan waiting, which identifies it.
            let isKnown =
                child.identity == 0
                || folder.path(appending: name).map { isStill(child, status, at: $0) } ?? false
            if isKnown {
                keep(child, status)
                return
            }
            removeEntry(name, from: folder)
        }
        _ = addFolder(name, to: folder)
    }

    /// Reads a folder that is still in its place again if a status of it gives reason to.
    func keep(_ child: WatchedFolder, _ status: FileStatus) {
        let isChanged = child.identity != 0 && child.access != status.access
        // The kernel ends the watch of a removed folder; another folder may have its inode now.
        let isUnwatched = child.identity != 0 && child.watch < 0
        if isChanged || isUnwatched || child.isPolled {
            scans.queueScan(child, recursive: false)
        }
        // It may have been missing at its turn.
        scans.resume(child)
        checks.resumeMisplaced(child)
    }

    /// Adds a new folder to the tree and queues its scan.
    func addFolder(_ name: [UInt8], to folder: WatchedFolder) -> WatchedFolder {
        let child = WatchedFolder(name: name, names: fileNames)
        folder.attach(child, as: name)
        scans.queueScan(child, recursive: false)
        notePolledChange(in: folder)
        return child
    }

    /// Removes the entry of that name, if any, from the tree.
    func removeEntry(_ name: [UInt8], from folder: WatchedFolder) {
        if !links.isEmpty { forgetLink(name, in: folder) }
        if let entry = folder.files.removeValue(forKey: name) {
            recordRemoval(of: entry)
            notePolledChange(in: folder)
        }
        if let child = folder.detachFolder(name) {
            moves.depart(child)
            links.setDue()
            notePolledChange(in: folder)
        }
    }

    /// Records that a file left the tree.
    func recordRemoval(of entry: FileEntry) {
        unlink(entry)
        changes.setGone(changes.takeReplaced(entry))
    }

    // MARK: Files with several names

    /// Marks the other names of a file, which show the same change.
    private func markNames(of identity: UInt64, besides key: DocumentKey? = nil) {
        for (other, place) in tree.names(of: identity) where other != key {
            mark(place.name, in: place.folder)
        }
    }

    /// Drops a name of a file. The last change made through it shows at the other names.
    func unlink(_ entry: FileEntry) {
        if tree.removeName(entry) { markNames(of: entry.identity) }
    }

    /// Searches the tree for the first name of each file that got a second one: it was not indexed while it was
    /// the only one. One search serves all such files.
    /// - Complexity: O(documents), only when a file has unknown names.
    private func findHardLinks() {
        if !tree.isSearchNeeded || !scans.isIdle { return }
        // Folders that are out of the tree for a moment are searched when they return.
        let isWhole = !moves.hasPending && !moves.hasDeparted
        let found = tree.findNames(below: rootList.compactMap(\.folder), isWhole: isWhole)
        for place in found { mark(place.name, in: place.folder) }
    }
}
