// What has become of files since the last commit, by their keys.
//
// The last that was seen of a file counts. A file that is half moved, or in a folder that is out of the
// tree, is undecided: it waits for what it means. The decided ones are taken for a commit, all or a part, and
// what they change in the set of documents is for the store to work out.
//
// Invariants: a file that is present is what its folder has under that name; a new key is noted once, and no
// document has it before its first commit; a displaced key has lost its document, and not its file.

import PickerModel
import SystemdEventLoop

/// What is to become of documents at the next commit.
struct PendingChanges {
    private var drafts: [DocumentKey: Draft] = [:]
    /// Keys that were minted since the last commit, in that order.
    private var newKeys: [DocumentKey] = []
    /// Folders that were put elsewhere.
    private var relocated: [WatchedFolder] = []
    /// Files whose moves are half seen, and whose places in the store others have by now: they have lost their
    /// documents and not their keys. No more than what is pending.
    private var displaced: Set<DocumentKey> = []
    /// Keys in the tree of a root that is back, until its scan has come to them.
    private var expected: Set<DocumentKey> = []
    private var vanished: KeyMemory

    init(remembering vanished: KeyMemory) {
        self.vanished = vanished
    }

    var isEmpty: Bool { drafts.isEmpty }
    var count: Int { drafts.count }
    var hasNewKeys: Bool { !newKeys.isEmpty }
    var hasDecided: Bool { drafts.values.contains(where: \.isDecided) }
    var keys: some Collection<DocumentKey> { drafts.keys }

    subscript(key: DocumentKey) -> Draft? { drafts[key] }

    // MARK: What is seen

    /// A file was seen that has no document yet.
    mutating func add(
        _ key: DocumentKey, _ folder: WatchedFolder, _ name: [UInt8], _ facts: FileFacts
    ) {
        newKeys.append(key)
        drafts[key] = .present(folder, name, facts)
    }

    /// The file is there; its facts are those of its document if it was not looked at.
    mutating func set(
        _ key: DocumentKey, _ folder: WatchedFolder, _ name: [UInt8], _ facts: FileFacts?
    ) {
        drafts[key] = .present(folder, name, facts)
    }

    /// The first half of the file's move was seen.
    mutating func setHalfMoved(_ key: DocumentKey) {
        drafts[key] = .halfMoved
    }

    /// The file is not in the tree any more.
    mutating func setGone(_ entry: FileEntry) {
        find(entry.key)
        drafts[entry.key] = .gone(identity: entry.identity)
    }

    /// A folder was put elsewhere: every document in it has another path.
    mutating func relocate(_ folder: WatchedFolder) {
        relocated.append(folder)
    }

    /// The file of a root that is back is to be found again by its scan, unless its document has been found
    /// elsewhere meanwhile and has gone on there.
    /// - Returns: whether it is.
    mutating func expect(_ key: DocumentKey, in store: DocumentStore) -> Bool {
        switch drafts[key] {
        case .gone: drafts[key] = nil
        case .present, .halfMoved: return false
        case nil: if store[key: key] != nil { return false }
        }
        expected.insert(key)
        return true
    }

    /// An expected file was found, or is gone.
    mutating func find(_ key: DocumentKey) {
        if !expected.isEmpty { expected.remove(key) }
    }

    // MARK: Former keys

    /// Those whose files are gone, in no order.
    var goneFiles: some Sequence<(key: DocumentKey, identity: UInt64)> {
        drafts.lazy.compactMap { key, draft in
            if case .gone(let identity) = draft { (key, identity) } else { nil }
        }
    }

    /// The new keys whose files are in the tree, and where.
    var newFiles: [(key: DocumentKey, folder: WatchedFolder, name: [UInt8])] {
        newKeys.compactMap { key in
            guard case .present(let folder, let name, _) = drafts[key] else { return nil }
            return (key, folder, name)
        }
    }

    /// A new file turns out to be that of a former key, which it goes on with.
    mutating func rename(_ key: DocumentKey, to former: DocumentKey) {
        drafts[former] = drafts.removeValue(forKey: key)
    }

    /// The key under which a file vanished a moment ago, if nobody has it by now; it is forgotten with this.
    mutating func takeVanished(
        _ identity: UInt64, now: MonotonicInstant, unlessIn store: DocumentStore
    ) -> DocumentKey? {
        guard let key = vanished.take(identity, now: now), store[key: key] == nil,
            drafts[key] == nil, !expected.contains(key)
        else { return nil }
        return key
    }

    mutating func forgetVanished(now: MonotonicInstant) { vanished.forgetOld(now) }
    var remembersVanished: Bool { !vanished.isEmpty }

    // MARK: A commit

    /// Gives every file in a relocated folder a draft.
    /// - Complexity: O(files in them).
    mutating func noteRelocated() {
        for folder in relocated where folder.attachedRoot != nil {
            folder.forEachFolder { inner in
                for (name, entry) in inner.files where drafts[entry.key] == nil {
                    drafts[entry.key] = .present(inner, name, nil)
                }
            }
        }
        relocated = []
    }

    /// Takes what is decided: all of it, or as many as `limit` and those whose places these take, so that there
    /// are never two documents at one place.
    ///
    /// It comes in the order in which the keys were minted, so that what is told of one transaction comes in the same
    /// order in every process.
    /// - Returns: what was taken, and whether something decided is left.
    /// - Complexity: O(n log n).
    mutating func takeDecided(
        atMost limit: Int?, from store: DocumentStore
    ) -> (part: [(key: DocumentKey, draft: Draft)], isCut: Bool) {
        defer { newKeys.removeAll { drafts[$0] == nil } }
        var keys = drafts.keys.sorted { isOlder($0, than: $1) }
        var isCut = false
        if let limit, keys.count > limit {
            var chosen: Set<DocumentKey> = []
            for key in keys where drafts[key]?.isDecided == true {
                if chosen.count >= limit {
                    isCut = true
                    break
                }
                var next = key
                while chosen.insert(next).inserted, let owner = placeOwner(of: next, in: store) {
                    next = owner
                }
            }
            keys.removeAll { !chosen.contains($0) }
        }
        let part = keys.compactMap { key -> (key: DocumentKey, draft: Draft)? in
            guard let index = drafts.index(forKey: key), drafts[index].value.isDecided else {
                return nil
            }
            return (key, drafts.remove(at: index).value)
        }
        return (part, isCut)
    }

    /// Whose document is in the store at the place that a draft is about to take, if that is to change too.
    private func placeOwner(of key: DocumentKey, in store: DocumentStore) -> DocumentKey? {
        guard case .present(let folder, let name, _) = drafts[key], let root = folder.attachedRoot,
            let owner = store[
                root: root.text, path: FileName(bytes: folder.relativePath(appending: name))]?.key,
            owner != key, drafts[owner] != nil
        else { return nil }
        return owner
    }

    /// A file that is present is about to have its document.
    mutating func place(_ key: DocumentKey) {
        if !displaced.isEmpty { displaced.remove(key) }
    }

    /// A half-moved file has lost its document to one that has its place by now.
    mutating func displace(_ key: DocumentKey) {
        displaced.insert(key)
    }

    /// The document of a file that is gone is about to go, if it has one: its key is remembered for the same file.
    mutating func vanish(
        _ key: DocumentKey, _ identity: UInt64, hasDocument: Bool, now: MonotonicInstant
    ) {
        let wasDisplaced = !displaced.isEmpty && displaced.remove(key) != nil
        if hasDocument || wasDisplaced { vanished.remember(key, identity: identity, now: now) }
    }

    /// In debug builds, traps if a file that is present is not where it is said to be.
    func checkInvariants() {
        #if DEBUG
        // All of it for few files, which is what most tests have.
        guard drafts.count <= 64, newKeys.count <= 64 else { return }
        precondition(Set(newKeys).count == newKeys.count, "a new key is noted twice")
        for (key, draft) in drafts {
            guard case .present(let folder, let name, _) = draft else { continue }
            precondition(folder.files[name]?.key == key, "\(key) is not at its name")
        }
        #endif
    }
}
