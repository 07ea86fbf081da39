// From what was gathered to one transaction of the store.

import PickerModel
import SystemInterface
import SystemdEventLoop

extension DirectoryWatcher {
    /// Commits unless a rescan is under way, which is for its end to do.
    func commitIfQuiet() {
        if checks.isCut { return }
        if let rescan, rescan.isRunning, drafts.count < limits.changesPerRescan {
            isCommitDue = false
            return
        }
        commit()
    }

    /// Applies what was gathered as one transaction; nothing at all if it comes to nothing.
    ///
    /// What is held back, and what is in a folder that is held back, stays gathered. What was marked since
    /// the last looks is looked at before; if the time of the turn does not suffice for that, the next turns go
    /// on, and commit then without reading anything before. They do so as well with what is more than may be
    /// committed at once, which is less while commits are slow.
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
        noteRelocated()
        if drafts.isEmpty { return }
        let began = loop.now
        giveFormerKeys()

        var transaction = WatchTransaction()
        var removed: [Document] = []
        var inserted: [Document] = []
        var kept = drafts
        for key in keysToCommit() {
            guard let draft = kept.removeValue(forKey: key) else { continue }
            let old = store[key: key]
            switch draft {
            case .held:
                kept[key] = draft
            case .present(let folder, let name, let facts):
                guard let root = folder.attachedRoot else {
                    kept[key] = draft
                    continue
                }
                guard
                    let new = document(
                        key, at: folder.relativePath(appending: name), in: root, facts, was: old)
                else {
                    // Known to the tree only: it has to be looked at first.
                    mark(name, in: folder)
                    continue
                }
                displaced.remove(key)
                if new == old { continue }
                if let old {
                    removed.append(old)
                    if old.path == new.path, old.root == new.root {
                        transaction.changed.append((old, new))
                    } else {
                        transaction.moved.append((old, new))
                        if old.root != new.root { count(-1, old.root) }
                    }
                } else {
                    transaction.added.append(new)
                }
                if old?.root != new.root { root.documents += 1 }
                inserted.append(new)
            case .gone(let identity):
                let wasDisplaced = displaced.remove(key) != nil
                if wasDisplaced || old != nil {
                    vanished.remember(key, identity: identity, now: loop.now)
                }
                guard let old else { continue }
                removed.append(old)
                transaction.removed.append(old)
                count(-1, old.root)
            }
        }
        drafts = kept
        fresh = fresh.filter { kept[$0] != nil }
        displaceHeld(by: inserted, &removed, &transaction)
        defer { if checks.count > 0 { finishLate() } }
        if removed.isEmpty && inserted.isEmpty { return }
        rescan?.note(transaction)
        store.apply(removed: removed, inserted: inserted)
        transaction.rev = store.rev
        tell(transaction)
        adapt(to: began.duration(to: loop.now), for: max(removed.count, inserted.count))
    }

    /// The keys whose drafts the next transaction takes: all, or in a turn without a rescan as many as may be committed at once and
    /// those whose places these take, so that there are never two documents at one place.
    ///
    /// In the order in which the keys were given, so that what is told of one transaction comes in the same order
    /// in every process.
    /// - Complexity: O(n log n).
    private func keysToCommit() -> [DocumentKey] {
        let all = drafts.keys.sorted { isOlder($0, than: $1) }
        guard turnEnd != nil, rescan == nil, all.count > changesAtOnce else { return all }
        var chosen: Set<DocumentKey> = []
        for key in all {
            guard drafts[key]?.isDecided == true else { continue }
            if chosen.count >= changesAtOnce {
                isCommitDue = true
                break
            }
            var next = key
            while chosen.insert(next).inserted, let former = ownerOfPlace(of: next) {
                next = former
            }
        }
        return all.filter { chosen.contains($0) }
    }

    /// Whose document is in the store at the place that a draft is about to take, if that is to change too.
    private func ownerOfPlace(of key: DocumentKey) -> DocumentKey? {
        guard case .present(let folder, let name, _) = drafts[key], let root = folder.attachedRoot,
            let owner = store[
                root: root.text, path: FileName(bytes: folder.relativePath(appending: name))]?.key,
            owner != key, drafts[owner] != nil
        else { return nil }
        return owner
    }

    /// What follows the documents, as lists do, may have much to do for each change: then fewer are
    /// gathered for a commit, so that others have their turn between two.
    private func adapt(to time: Duration, for changes: Int) {
        if time > limits.commitTime {
            let fewest = min(limits.fewestChangesPerTransaction, limits.changesPerTransaction)
            changesAtOnce = max(fewest, changesAtOnce / 2)
        } else if changes >= changesAtOnce / 2, time <= limits.commitTime / 2 {
            changesAtOnce = min(limits.changesPerTransaction, changesAtOnce * 2)
        }
    }

    /// A document whose move is only half seen makes way for one that has its place by now.
    private func displaceHeld(
        by inserted: [Document], _ removed: inout [Document], _ transaction: inout WatchTransaction
    ) {
        if !moves.hasPending { return }
        var going = Set(removed.map(\.key))
        for new in inserted {
            guard let old = store[root: new.root, path: new.path],
                old.key != new.key, going.insert(old.key).inserted
            else { continue }
            removed.append(old)
            transaction.removed.append(old)
            displaced.insert(old.key)
            count(-1, old.root)
        }
    }

    /// What was marked during a commit is looked at, and committed, by itself.
    private func finishLate() {
        if isCommitDue { return }
        if isTurnOver { return checks.cut() }
        settleChecks()
        if checks.isCut { return }
        if !drafts.isEmpty, drafts.values.contains(where: \.isDecided) { commit() }
    }

    private func count(_ difference: Int, _ root: String) {
        rootList.first { $0.text == root }?.documents += difference
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

    /// Folders that were taken out and did not turn up again are gone with all that was in them.
    private func dropDeparted() {
        for folder in moves.takeDeparted() {
            folder.forEachFolder { inner in
                for entry in inner.files.values { self.letGo(entry) }
            }
            forget(folder)
            folder.takeApart()
        }
    }

    /// Every document of a moved folder has another path.
    private func noteRelocated() {
        for folder in relocated where folder.attachedRoot != nil {
            folder.forEachFolder { inner in
                for (name, entry) in inner.files where self.drafts[entry.key] == nil {
                    self.drafts[entry.key] = .present(inner, name, nil)
                }
            }
        }
        relocated = []
    }

    /// New names that turn out to be old files: the path of one that is gone, or its very inode.
    private func giveFormerKeys() {
        vanished.forgetOld(loop.now)
        if fresh.isEmpty { return }
        var byPath: [[UInt8]: DocumentKey] = [:]
        var byIdentity: [UInt64: DocumentKey] = [:]
        for (key, draft) in drafts {
            guard case .gone(let identity) = draft else { continue }
            byIdentity[identity] = key
            if let old = store[key: key] {
                byPath[joined(Array(old.root.utf8), old.path.bytes)] = key
            }
        }
        // One half of a move that left the tree and came back by another.
        var cookies: [DocumentKey: UInt32] = [:]
        for (cookie, thing) in moves.pendingThings {
            guard case .file(let entry) = thing else { continue }
            byIdentity[entry.identity] = entry.key
            cookies[entry.key] = cookie
        }
        if byIdentity.isEmpty, vanished.isEmpty { return }
        // First the very files, wherever they are now; then, at the paths that they left, others.
        for byItself in [true, false] {
            for key in fresh {
                guard case .present(let folder, let name, let facts) = drafts[key],
                    let entry = folder.files[name], entry.key == key,
                    let root = folder.attachedRoot
                else { continue }
                let found: DocumentKey?
                if byItself {
                    found =
                        byIdentity[entry.identity].flatMap(stillGone)
                        ?? vanished.take(entry.identity, now: loop.now).flatMap(unused)
                } else {
                    let path = joined(
                        Array(root.text.utf8), folder.relativePath(appending: name))
                    found = byPath[path].flatMap(stillGone)
                }
                guard let former = found else { continue }
                if let cookie = cookies[former] { _ = moves.takeRename(of: cookie) }
                drafts[key] = nil
                drafts[former] = .present(folder, name, facts)
                folder.files[name]?.key = former
                relink(entry, as: former, name, folder)
            }
        }
    }

    private func stillGone(_ key: DocumentKey) -> DocumentKey? {
        switch drafts[key] {
        case .gone, .held: key
        case .present, nil: nil
        }
    }

    private func unused(_ key: DocumentKey) -> DocumentKey? {
        store[key: key] == nil && drafts[key] == nil && !expected.contains(key) ? key : nil
    }
}
