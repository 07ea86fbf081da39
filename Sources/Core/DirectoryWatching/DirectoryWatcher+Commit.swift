// Turns the pending changes into one transaction of the store.

import PickerModel
import SystemInterface
import SystemdEventLoop

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
    /// - Complexity: O(changes), and the documents of folders that were moved or removed.
    func commit() {
        isCommitDue = false
        var rounds = 0
        repeat {
            dropDeparted()
            settleChecks()
            if checks.isCut {
                isCommitDue = true
                return
            }
            rounds += 1
        } while moves.hasDeparted && rounds < 4
        changes.addRelocated()
        if changes.isEmpty { return }
        let began = loop.now
        restoreFormerKeys()

        // Within a turn, at most as many as one commit may have.
        let limit = turnEnd != nil && rescan == nil ? changesAtOnce : nil
        let (part, isCut) = changes.takeDecided(atMost: limit, from: store)
        if isCut { isCommitDue = true }
        defer { if checks.count > 0 { commitLateChecks() } }
        let (removed, inserted, gone) = documents(of: part)
        guard let change = store.apply(removed: removed, inserted: inserted) else { return }
        count(change)
        if change.removed.count > gone, moves.hasPending {
            // A half-moved document gave way to one that now has its path.
            let asked = Set(removed.map(\.key))
            for document in change.removed where !asked.contains(document.key) {
                changes.displace(document.key)
            }
        }
        rescan?.add(change)
        outbox.append(.change(change))
        adjustCommitSize(to: began.duration(to: loop.now), for: max(removed.count, inserted.count))
    }

    /// The documents that a part of the changes removes from the store and inserts into it. `gone` counts the
    /// removed ones that do not return.
    private func documents(
        of part: [(key: DocumentKey, change: PendingChange)]
    ) -> (removed: [Document], inserted: [Document], gone: Int) {
        var removed: [Document] = []
        var inserted: [Document] = []
        var gone = 0
        for (key, change) in part {
            let old = store[key: key]
            switch change {
            case .halfMoved: break
            case .present(let folder, let name, let facts):
                guard let root = folder.attachedRoot else { break }
                let path = folder.relativePath(appending: name)
                guard let new = document(key, at: path, in: root, facts, was: old) else {
                    // Known to the tree only: it needs a check first.
                    mark(name, in: folder)
                    break
                }
                changes.clearDisplaced(key)
                if new == old { break }
                if let old { removed.append(old) }
                inserted.append(new)
            case .gone(let identity):
                changes.vanish(key, identity, hasDocument: old != nil, now: loop.now)
                guard let old else { break }
                removed.append(old)
                gone += 1
            }
        }
        return (removed, inserted, gone)
    }

    /// Adjusts the size of commits to their cost: observers of the documents, such as lists, may have much work
    /// per change. Smaller commits let other work run in between.
    private func adjustCommitSize(to time: Duration, for changes: Int) {
        if time > limits.commitTime {
            let fewest = min(limits.fewestChangesPerTransaction, limits.changesPerTransaction)
            changesAtOnce = max(fewest, changesAtOnce / 2)
        } else if changes >= changesAtOnce / 2, time <= limits.commitTime / 2 {
            changesAtOnce = min(limits.changesPerTransaction, changesAtOnce * 2)
        }
    }

    /// Checks and commits the names that were marked during a commit.
    private func commitLateChecks() {
        if isCommitDue { return }
        if isTurnOver { return checks.cut() }
        settleChecks()
        if checks.isCut { return }
        if changes.hasDecided { commit() }
    }

    /// Updates the number of documents of each root. Changes of one root mostly come in a row.
    private func count(_ change: DocumentChange) {
        var root = ""
        var difference = 0
        func count(_ document: Document, _ number: Int) {
            if document.root != root { add() }
            root = document.root
            difference += number
        }
        func add() {
            // A save changes no number.
            if difference == 0 { return }
            documentCounts[root, default: 0] += difference
            if documentCounts[root] == 0 { documentCounts[root] = nil }
            difference = 0
        }
        for document in change.removed { count(document, -1) }
        for document in change.added { count(document, 1) }
        for (old, new) in change.moved where old.root != new.root {
            count(old, -1)
            count(new, 1)
        }
        add()
    }

    private func document(
        _ key: DocumentKey, at path: [UInt8], in root: WatchedRoot, _ facts: FileFacts?,
        was old: Document?
    ) -> Document? {
        let name = FileName(bytes: path)
        guard let old else {
            guard let facts else { return nil }
            return Document(
                key: key, root: root.text, path: name, size: facts.size, modified: facts.modified,
                device: facts.device, inode: facts.inode)
        }
        var new = old
        if old.path != name || old.root != root.text { new = new.with(root: root.text, path: name) }
        if let facts, FileFacts(old) != facts {
            new = new.with(
                size: facts.size, modified: facts.modified, device: facts.device,
                inode: facts.inode)
        }
        return new
    }

    /// Removes the folders that left the tree and did not return, with their contents.
    private func dropDeparted() {
        for folder in moves.takeDeparted() {
            folder.forEachFolder { inner in
                for entry in inner.files.values { self.recordRemoval(of: entry) }
            }
            forget(folder)
            folder.takeApart()
        }
    }

    /// Gives new files their former keys: that of the same inode, or of a removed file at the same path.
    private func restoreFormerKeys() {
        changes.forgetVanished(now: loop.now)
        if !changes.hasNewKeys { return }
        var byPath: [[UInt8]: DocumentKey] = [:]
        var byIdentity: [UInt64: DocumentKey] = [:]
        for (key, identity) in changes.goneFiles {
            byIdentity[identity] = key
            if let old = store[key: key] {
                byPath[joined(Array(old.root.utf8), old.path.bytes)] = key
            }
        }
        // The file left the tree by one half of a move and came back by another.
        var cookies: [DocumentKey: UInt32] = [:]
        for (cookie, moved) in moves.pendingEntries {
            guard case .file(let entry) = moved else { continue }
            byIdentity[entry.identity] = entry.key
            cookies[entry.key] = cookie
        }
        if byIdentity.isEmpty, !changes.remembersVanished { return }
        // First files of the same inode, wherever they are; then other files at the paths left.
        for byItself in [true, false] {
            for (key, folder, name) in changes.newFiles {
                guard let entry = folder.files[name], let root = folder.attachedRoot else {
                    continue
                }
                let found: DocumentKey?
                if byItself {
                    found =
                        byIdentity[entry.identity].flatMap(stillGone)
                        ?? changes.takeVanished(entry.identity, now: loop.now, unlessIn: store)
                } else {
                    let path = joined(
                        Array(root.text.utf8), folder.relativePath(appending: name))
                    found = byPath[path].flatMap(stillGone)
                }
                guard let former = found else { continue }
                if let cookie = cookies[former] { _ = moves.takeRename(of: cookie) }
                changes.rename(key, to: former)
                tree.setFile(entry, as: former, at: name, in: folder)
            }
        }
    }

    private func stillGone(_ key: DocumentKey) -> DocumentKey? {
        switch changes[key] {
        case .gone, .halfMoved: key
        case .present, nil: nil
        }
    }
}
