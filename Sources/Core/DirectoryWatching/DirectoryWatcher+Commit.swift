// Turns the pending changes into one transaction of the store.

import EventLoops
import PickerModel
import SystemInterface

extension DirectoryWatcher {
    /// Commits, unless a rescan is under way, which commits at its end.
    func commitIfQuiet() {
        if checks.isCut { return }
        if let rescan, rescan.isRunning, changes.count < limits.changesPerRescan {
            isCommitDue = false
            return
        }
        commit()
    }

    /// Applies the pending changes in one transaction; does nothing if they cancel out.
    ///
    /// Half-moved files, and files in half-moved folders, stay pending. Names marked since the last checks are
    /// checked first. If the turn is too short for that, the next turns continue, and commit before they read
    /// any event. The same holds for changes beyond the limit of one commit, which is lower while commits are
    /// slow.
    /// - Complexity: O(changes) up to the limit, and all files of departed folders if new files may be theirs.
    func commit() {
        let wasDue = isCommitDue
        isCommitDue = false
        var rounds = 0
        repeat {
            if !mayFindDeparted { for folder in moves.takeDeparted() { changes.depart(folder) } }
            settleChecks()
            if checks.isCut {
                isCommitDue = true
                return
            }
            rounds += 1
        } while isGivingUpDue && rounds < 4
        if isGivingUpDue { isCommitDue = true }
        // Within a turn, at most as many as one commit may have.
        let limit = turnEnd == nil ? Int.max : commitSize.count
        // Those that wait for unread events take no room: nothing is read while a commit is due.
        let (room, isOver) = limit.addingReportingOverflow(changes.undecidedCount)
        let most = isOver ? Int.max : room
        // Without other changes, files of folders are taken as they are.
        if !changes.areOnlyFolders {
            guard recordDepartures(upTo: most) else {
                isCommitDue = true
                return
            }
            changes.addRelocated(upTo: most)
        }
        if changes.count == 0, !changes.hasFolders { return }
        // What came before has used the turn: the next one begins with the commit, and makes it however long it takes.
        if isTurnOver, !wasDue {
            isCommitDue = true
            return
        }
        let began = loop.now
        guard restoreFormerKeys() else {
            isCommitDue = true
            return
        }
        let part = takePart(atMost: turnEnd == nil ? nil : limit)
        defer { if checks.count > 0 { commitLateChecks() } }
        announce(part.count)
        var gone = 0
        let change = store.edit { edits in
            apply(part.newFiles, to: &edits)
            apply(part.relocated, to: &edits)
            gone = remove(part.departed, from: &edits)
            gone += apply(part.changes, to: &edits)
        }
        // New files in runs had no document.
        if let change, change.removedRows.count > gone { displace(change, by: part.changes) }
        giveUpNames(part.newFiles)
        giveUpNames(part.relocated)
        for entry in part.departed { fileNames.clearDisplaced(entry.key) }
        giveUpNames(part.changes)
        guard let change else { return }
        count(change)
        rescan?.add(change)
        outbox.append(.change(change))
        committed = (committed?.began ?? began, (committed?.changes ?? 0) + part.count)
    }

    /// Announces a part of the changes, and those that are known to follow it.
    private func announce(_ count: Int) {
        var more = checks.count
        if isCommitDue { more += changes.count }
        // Of these it is not known how many changes will come of them.
        if changes.hasFolders || scans.isForThreads { more += limits.changesPerTransaction }
        if !isQueueEmpty { more += count }
        store.announceBulk(count + more)
    }

    /// What one commit takes of the pending changes: one of the four.
    private struct Part {
        var newFiles: [NewFileRun] = []
        var departed: [FileEntry] = []
        var relocated: [RelocatedFile] = []
        var changes: [(key: DocumentKey, change: PendingChange)] = []

        var count: Int {
            newFiles.reduce(changes.count + departed.count + relocated.count) {
                $0 + $1.places.count
            }
        }
    }

    /// Takes changes to commit. If some are left, another commit is due.
    private func takePart(atMost limit: Int?) -> Part {
        var part = Part()
        var isCut = false
        if changes.areOnlyFolders, !changes.hasAllDepartures {
            part.departed = takeDepartures(atMost: limit)
        } else if let taken = changes.takeRelocated(atMost: limit) {
            part.relocated = taken
        } else if let taken = changes.takeNewFiles(atMost: limit) {
            part.newFiles = taken
            isCut = changes.count > 0
        } else {
            (part.changes, isCut) = changes.takeDecided(atMost: limit, from: store)
        }
        if isCut || changes.hasFolders { isCommitDue = true }
        return part
    }

    /// Adds new files to the documents.
    private func apply(_ runs: [NewFileRun], to edits: inout DocumentEdits) {
        for run in runs {
            // Only those with a path are taken.
            guard let root = run.folder.attachedRoot else { continue }
            do throws(DocumentTableError) {
                let folder = try edits.folder(
                    root: root.text, path: run.folder.relativePath(appending: []))
                edits.add(from: run.firstKey, in: folder, named: run.names, run.places) {
                    run.facts($0)
                }
            } catch {
                for _ in run.places { store.whenRefused?(error) }
            }
        }
    }

    /// The number of a folder among those of the documents. Files of one folder mostly come in a row.
    private struct FolderPlace {
        private var latest: (folder: WatchedFolder, number: FolderNumber)?

        /// - Returns: nil for a folder outside the tree, of which nothing is decided.
        mutating func number(
            of folder: WatchedFolder, by edits: borrowing DocumentEdits
        ) throws(DocumentTableError) -> FolderNumber? {
            if let latest, latest.folder === folder { return latest.number }
            latest = nil
            guard let root = folder.attachedRoot else { return nil }
            let path = folder.relativePath(appending: [])
            let number = try edits.folder(root: root.text, path: path)
            latest = (folder, number)
            return number
        }
    }

    /// Gives the documents of files in moved folders their new paths.
    private func apply(_ files: [RelocatedFile], to edits: inout DocumentEdits) {
        var place = FolderPlace()
        for (index, file) in files.enumerated() {
            let folder = file.folder
            do throws(DocumentTableError) {
                guard let number = try place.number(of: folder, by: edits) else { continue }
                if index % DocumentEdits.fetchedTogether == 0 {
                    let next = files[index...].prefix(DocumentEdits.fetchedTogether)
                    edits.fetch(next.lazy.map(\.key), movingTo: number)
                }
                let isKnown =
                    folder.files.isNamedElsewhere(file.place)
                    ? edits.move(file.key, to: number)
                    : edits.put(
                        file.key, in: number, named: folder.files.name(at: file.place),
                        facts: nil)
                // As below.
                if !isKnown { mark(folder.files.name(at: file.place), in: folder, isHint: true) }
            } catch {
                store.whenRefused?(error)
            }
        }
    }

    /// Gives up the names of files in moved folders that are those of their documents now.
    private func giveUpNames(_ files: [RelocatedFile]) {
        for file in files {
            if fileNames.displacedCount > 0, store.has(file.key) {
                fileNames.clearDisplaced(file.key)
            }
            if file.folder.files.isNamedElsewhere(file.place) { continue }
            var hint = file.place
            file.folder.files.giveUpName(
                file.folder.files.name(at: file.place), of: file.key, near: &hint)
        }
    }

    /// Removes files of folders that left the tree from these, `limit` or all.
    private func takeDepartures(atMost limit: Int?) -> [FileEntry] {
        var entries: [FileEntry] = []
        while entries.count < limit ?? .max {
            let next = changes.takeDeparted { folder in
                self.forgetAlone(folder)
            }
            guard let next else { break }
            unlink(next)
            changes.markFound(next.key)
            entries.append(next)
        }
        // As in `takeRelocated`.
        entries.sort { $0.key < $1.key }
        return entries
    }

    /// Removes the documents of files that left the tree, and remembers their keys.
    /// - Returns: how many there were.
    private func remove(_ entries: [FileEntry], from edits: inout DocumentEdits) -> Int {
        var gone = 0
        for (index, entry) in entries.enumerated() {
            if index % DocumentEdits.fetchedTogether == 0 {
                edits.fetch(entries[index...].prefix(DocumentEdits.fetchedTogether).lazy.map(\.key))
            }
            let hadDocument = edits.remove(entry.key)
            changes.vanish(
                entry.key, entry.identity,
                isKnown: hadDocument || fileNames.isDisplaced(entry.key), now: loop.now)
            if hadDocument { gone += 1 }
        }
        return gone
    }

    /// Records the files of folders that left the tree as gone, until there are `limit` changes. New files may be any
    /// of them, so if there are some, all are recorded.
    /// - Returns: whether that is done; the turn may be over before.
    private func recordDepartures(upTo limit: Int) -> Bool {
        if changes.needsMatching, !changes.hasAllDepartures {
            changes.reserveForAll()
            // Else the first one recorded would end all.
            if !endRuns() { return false }
        }
        var recorded = 0
        while changes.count < limit || changes.needsMatching {
            let entry = changes.takeDeparted { folder in
                self.forgetAlone(folder)
            }
            guard let entry else { break }
            recordRemoval(of: entry)
            recorded += 1
            if recorded % 256 == 0, isTurnOver { return !changes.needsMatching }
        }
        return true
    }

    /// Applies a part of the changes to the documents.
    /// - Returns: the number of documents that are gone and do not return.
    private func apply(
        _ part: [(key: DocumentKey, change: PendingChange)], to edits: inout DocumentEdits
    ) -> Int {
        var gone = 0
        var place = FolderPlace()
        for (key, change) in part {
            switch change {
            case .halfMoved: break
            case .present(let folder, let name, let facts):
                do throws(DocumentTableError) {
                    guard let number = try place.number(of: folder, by: edits) else { break }
                    if !edits.put(key, in: number, named: name, facts: facts) {
                        // Known to the tree only: it needs a check first. If the file is not there any more, its
                        // own event says where it is.
                        mark(name, in: folder, isHint: true)
                    }
                } catch {
                    store.whenRefused?(error)
                }
            case .gone(let identity):
                let hadDocument = edits.remove(key)
                changes.vanish(
                    key, identity, isKnown: hadDocument || fileNames.isDisplaced(key), now: loop.now
                )
                if hadDocument { gone += 1 }
            }
        }
        return gone
    }

    /// Records the documents that gave way to others, which now have their paths: of half-moved files, or of files
    /// whose moves are not recorded yet.
    private func displace(
        _ change: DocumentChange, by part: [(key: DocumentKey, change: PendingChange)]
    ) {
        var gone: Set<DocumentKey> = []
        for (key, change) in part {
            if case .gone = change { gone.insert(key) }
        }
        for row in change.removedRows where !gone.contains(store.table.key(of: row)) {
            fileNames.displace(row)
        }
    }

    /// Gives up the names of new files that have documents now.
    private func giveUpNames(_ runs: [NewFileRun]) {
        for run in runs {
            var hint = 0
            for (index, place) in run.places.enumerated() {
                let key = DocumentKey(packed: run.firstKey.packed + UInt64(index))
                run.folder.files.giveUpName(
                    run.batch.name(Int(place)), of: key, near: &hint)
            }
        }
    }

    /// Gives up the names of files that have documents now, where they are in the tree.
    private func giveUpNames(_ part: [(key: DocumentKey, change: PendingChange)]) {
        // Files of a folder mostly come in a row, in the order of their places.
        var last: WatchedFolder?
        var place = 0
        for (key, change) in part {
            switch change {
            case .halfMoved: break
            case .gone: fileNames.clearDisplaced(key)
            case .present(let folder, let name, _):
                if fileNames.displacedCount > 0, store.has(key) { fileNames.clearDisplaced(key) }
                if folder !== last {
                    last = folder
                    place = 0
                }
                folder.files.giveUpName(name, of: key, near: &place)
            }
        }
    }

    /// Adjusts the size of commits to the cost of those just made and of telling of them: observers of the documents,
    /// such as lists, may have much work per change. Smaller commits let other work run in between.
    func adjustCommitSize() {
        guard let (began, changes) = committed.take() else { return }
        commitSize.adjust(to: began.duration(to: loop.now), for: changes)
    }

    /// Checks and commits the names that were marked during a commit.
    private func commitLateChecks() {
        if isCommitDue { return }
        if isTurnOver { return checks.cut() }
        settleChecks()
        if checks.isCut { return }
        // A check may have found a folder gone.
        if changes.hasDecided || isGivingUpDue { commit() }
    }

    /// Whether a folder that departed may be found in one that is to be read. If that takes long, it is not waited for.
    var mayFindDeparted: Bool { moves.hasDeparted && !scans.isIdle && !isLongMidway }

    private var isGivingUpDue: Bool { moves.hasDeparted && !mayFindDeparted }

    /// Updates the number of documents of each root. Changes of one folder mostly come in a row.
    private func count(_ change: DocumentChange) {
        let table = store.table
        var folder: FolderNumber?
        var root: FolderNumber?
        var difference = 0
        func count(_ row: DocumentRow, _ number: Int) {
            let next = table.folder(of: row)
            if next != folder {
                folder = next
                let above = table.folders.root(of: next)
                if above != root { add() }
                root = above
            }
            difference += number
        }
        func add() {
            // A save changes no number.
            guard let root, difference != 0 else { return }
            let text = table.folders.name(of: root).text
            documentCounts[text, default: 0] += difference
            if documentCounts[text] == 0 { documentCounts[text] = nil }
            difference = 0
        }
        for row in change.removedRows { count(row, -1) }
        for row in change.addedRows { count(row, 1) }
        for (old, new) in change.movedRows {
            count(old, -1)
            count(new, 1)
        }
        add()
    }

    /// Gives new files their former keys: that of the same inode, or of a removed file at the same path.
    /// - Returns: whether that is done; the turn may be over before.
    private func restoreFormerKeys() -> Bool {
        changes.forgetVanished(now: loop.now)
        if !changes.needsMatching { return true }
        // The file left the tree by one half of a move and came back by another.
        var halfMoved: [UInt64: DocumentKey] = [:]
        var cookies: [DocumentKey: UInt32] = [:]
        for (cookie, moved) in moves.pendingEntries {
            guard case .file(let entry, _, _) = moved else { continue }
            halfMoved[entry.identity] = entry.key
            cookies[entry.key] = cookie
        }
        if !halfMoved.isEmpty || changes.hasGone || changes.remembersVanished {
            if !endRuns() { return false }
            // First files of the same inode, wherever they are; then other files at the paths left. While folders are to
            // be read, files that are gone may be found there, so their keys are for nobody else.
            if changes.isMatchedByItself {
                let isDone = matchNewFiles { entry, _, _ in
                    halfMoved[entry.identity].flatMap(stillGone)
                        ?? changes.goneKey(of: entry.identity)
                        ?? changes.takeVanished(entry.identity, now: loop.now, unlessIn: store)
                } then: {
                    if let cookie = cookies[$0] { _ = moves.takeRename(of: cookie) }
                }
                if !isDone { return false }
                changes.matchByPaths()
            }
            if changes.hasGone, scans.isIdle {
                let isDone = matchNewFiles { _, folder, name in
                    guard let root = folder.attachedRoot else { return nil }
                    let path = FileName(bytes: folder.relativePath(appending: name))
                    return store.table.row(root: root.text, path: path)
                        .map { store.table.key(of: $0) }.flatMap(goneAtItsPath)
                }
                if !isDone { return false }
            }
        }
        changes.endMatching()
        return true
    }

    /// Makes the new files in runs changes like others.
    /// - Returns: whether that is done; the turn may be over before.
    private func endRuns() -> Bool {
        while !changes.endRuns(atMost: Self.filesMatchedAtOnce) {
            if isTurnOver { return false }
        }
        return true
    }

    /// New files that are matched, or made changes like others, between two looks at the clock.
    private static let filesMatchedAtOnce = 64

    /// Gives new files the keys that `former` finds for them.
    /// - Returns: whether all have had their turn.
    private func matchNewFiles(
        _ former: (FileEntry, WatchedFolder, [UInt8]) -> DocumentKey?,
        then body: (DocumentKey) -> Void = { _ in }
    ) -> Bool {
        var count = 0
        while changes.hasMoreToMatch {
            count += 1
            if count % Self.filesMatchedAtOnce == 0, isTurnOver { return false }
            guard let (key, folder, name) = changes.nextToMatch() else { continue }
            if let entry = folder.files[name], folder.attachedRoot != nil,
                let found = former(entry, folder, name)
            {
                body(found)
                changes.rename(key, to: found)
                tree.setKey(found, of: entry, at: name, in: folder)
            }
        }
        return true
    }

    private func goneAtItsPath(_ key: DocumentKey) -> DocumentKey? {
        if case .gone = changes[key] { key } else { nil }
    }

    private func stillGone(_ key: DocumentKey) -> DocumentKey? {
        switch changes[key] {
        case .gone, .halfMoved: key
        case .present, nil: nil
        }
    }
}
