// The changes of files since the last commit, by key.
//
// The last observation of a file counts. A file that is half moved, or in a folder outside the tree, is
// undecided: it waits. A commit takes the decided changes, all or a part, and the store works out the resulting
// change of the set of documents.
//
// Invariants: a present file is in its folder under that name; a new key is recorded once, and no document has
// it before its first commit; a displaced key has lost its document but not its file.

import PickerModel
import SystemdEventLoop

/// The changes for the next commit.
struct PendingChanges {
    private var changes: [DocumentKey: PendingChange] = [:]
    /// Keys minted since the last commit, oldest first.
    private var newKeys: [DocumentKey] = []
    /// Folders that moved.
    private var relocated: [WatchedFolder] = []
    /// Half-moved files whose path another document has taken: they lost their document but not their key. At
    /// most as many as the pending renames.
    private var displaced: Set<DocumentKey> = []
    /// Keys in the tree of a returned root that its scan has not reached yet.
    private var expected: Set<DocumentKey> = []
    private var vanished: KeyMemory

    init(remembering vanished: KeyMemory) {
        self.vanished = vanished
    }

    var isEmpty: Bool { changes.isEmpty }
    var count: Int { changes.count }
    var hasNewKeys: Bool { !newKeys.isEmpty }
    var hasDecided: Bool { changes.values.contains(where: \.isDecided) }
    var keys: some Collection<DocumentKey> { changes.keys }

    /// The change of a key. A half-moved file is undecided; one that left the tree is recorded by `setGone`.
    subscript(key: DocumentKey) -> PendingChange? {
        get { changes[key] }
        set { changes[key] = newValue }
    }

    // MARK: What is seen

    /// Adds a file that has no document yet.
    mutating func add(
        _ key: DocumentKey, _ folder: WatchedFolder, _ name: [UInt8], _ facts: FileFacts
    ) {
        newKeys.append(key)
        changes[key] = .present(folder, name, facts)
    }

    /// Records that the file left the tree.
    mutating func setGone(_ entry: FileEntry) {
        markFound(entry.key)
        changes[entry.key] = .gone(identity: entry.identity)
    }

    /// Records that a folder moved: every document in it has a new path.
    mutating func relocate(_ folder: WatchedFolder) {
        relocated.append(folder)
    }

    /// Expects the scan of a returned root to find the file again, unless its document was found elsewhere in
    /// the meantime.
    /// - Returns: whether it is expected.
    mutating func expect(_ key: DocumentKey, in store: DocumentStore) -> Bool {
        switch changes[key] {
        case .gone: changes[key] = nil
        case .present, .halfMoved: return false
        case nil: if store[key: key] != nil { return false }
        }
        expected.insert(key)
        return true
    }

    /// Ends the expectation of a file that was found or is gone.
    /// - Returns: whether it was expected.
    @discardableResult
    mutating func markFound(_ key: DocumentKey) -> Bool {
        !expected.isEmpty && expected.remove(key) != nil
    }

    // MARK: Former keys

    /// The keys of files that are gone, in no order.
    var goneFiles: some Sequence<(key: DocumentKey, identity: UInt64)> {
        changes.lazy.compactMap { key, change in
            if case .gone(let identity) = change { (key, identity) } else { nil }
        }
    }

    /// The new keys whose files are in the tree, with their paths.
    var newFiles: [(key: DocumentKey, folder: WatchedFolder, name: [UInt8])] {
        newKeys.compactMap { key in
            guard case .present(let folder, let name, _) = changes[key] else { return nil }
            return (key, folder, name)
        }
    }

    /// Gives a new file the former key that it turned out to have.
    mutating func rename(_ key: DocumentKey, to former: DocumentKey) {
        changes[former] = changes.removeValue(forKey: key)
    }

    /// Removes and returns the key under which a file vanished a moment ago, unless the key is in use.
    mutating func takeVanished(
        _ identity: UInt64, now: MonotonicInstant, unlessIn store: DocumentStore
    ) -> DocumentKey? {
        guard let key = vanished.takeKey(of: identity, now: now), store[key: key] == nil,
            changes[key] == nil, !expected.contains(key)
        else { return nil }
        return key
    }

    mutating func forgetVanished(now: MonotonicInstant) { vanished.forgetOld(now) }
    var remembersVanished: Bool { !vanished.isEmpty }

    // MARK: A commit

    /// Records a change for every file in a moved folder.
    /// - Complexity: O(files in them).
    mutating func addRelocated() {
        for folder in relocated where folder.attachedRoot != nil {
            folder.forEachFolder { inner in
                for (name, entry) in inner.files where changes[entry.key] == nil {
                    changes[entry.key] = .present(inner, name, nil)
                }
            }
        }
        relocated = []
    }

    /// Removes the decided changes: all of them, or `limit` and those whose paths these take, so that no two
    /// documents ever have the same path.
    ///
    /// They are sorted by the age of their keys, so that one transaction is reported in the same order in every
    /// process.
    /// - Returns: the changes, and whether decided ones are left.
    /// - Complexity: O(n log n).
    mutating func takeDecided(
        atMost limit: Int?, from store: DocumentStore
    ) -> (part: [(key: DocumentKey, change: PendingChange)], isCut: Bool) {
        defer { newKeys.removeAll { changes[$0] == nil } }
        var keys = changes.keys.sorted { isOlder($0, than: $1) }
        var isCut = false
        if let limit, keys.count > limit {
            var chosen: Set<DocumentKey> = []
            for key in keys where changes[key]?.isDecided == true {
                if chosen.count >= limit {
                    isCut = true
                    break
                }
                var next = key
                while chosen.insert(next).inserted, let owner = pathOwner(of: next, in: store) {
                    next = owner
                }
            }
            keys.removeAll { !chosen.contains($0) }
        }
        let part = keys.compactMap { key -> (key: DocumentKey, change: PendingChange)? in
            guard let index = changes.index(forKey: key), changes[index].value.isDecided else {
                return nil
            }
            return (key, changes.remove(at: index).value)
        }
        return (part, isCut)
    }

    /// The document that has the path which a change is about to take, if it is to change too.
    private func pathOwner(of key: DocumentKey, in store: DocumentStore) -> DocumentKey? {
        guard case .present(let folder, let name, _) = changes[key], let root = folder.attachedRoot,
            let owner = store[
                root: root.text, path: FileName(bytes: folder.relativePath(appending: name))]?.key,
            owner != key, changes[owner] != nil
        else { return nil }
        return owner
    }

    /// Records that a present file gets its document.
    mutating func clearDisplaced(_ key: DocumentKey) {
        if !displaced.isEmpty { displaced.remove(key) }
    }

    /// Records that a half-moved file lost its document to another that now has its path.
    mutating func displace(_ key: DocumentKey) {
        displaced.insert(key)
    }

    /// Records that a file is gone, and remembers the key of its document for the same file.
    mutating func vanish(
        _ key: DocumentKey, _ identity: UInt64, hasDocument: Bool, now: MonotonicInstant
    ) {
        let wasDisplaced = !displaced.isEmpty && displaced.remove(key) != nil
        if hasDocument || wasDisplaced { vanished.remember(key, identity: identity, now: now) }
    }

    /// In debug builds, traps if a present file is not at its recorded name.
    func checkInvariants() {
        #if DEBUG
        // Only small states are checked, as most tests have.
        guard changes.count <= 64, newKeys.count <= 64 else { return }
        precondition(Set(newKeys).count == newKeys.count, "a new key is recorded twice")
        for (key, change) in changes {
            guard case .present(let folder, let name, _) = change else { continue }
            precondition(folder.files[name]?.key == key, "\(key) is not at its name")
        }
        #endif
    }
}
