// The changes of files since the last commit, by key.
//
// The last observation of a file counts. A file that is half moved, or in a folder outside the tree, is
// undecided: it waits. A commit takes the decided changes, all or a part, and the store works out the resulting
// change of the set of documents. The files of folders that were moved, or left the tree, become changes as commits
// take them, so that a folder of any size costs a commit no more than its part. Where there is nothing else to commit,
// they are taken as they are: nothing can happen to them in between.
//
// New files of a scan are kept in runs (`NewFiles`) while nothing else happens to them. Commits take all other changes
// first; so before another change is recorded, the files in runs become changes like it.
//
// Invariants: a key with a change of its own is queued, and in no run; a present file is in its folder under that
// name; a new key is recorded once, and no document has it before its first commit.

import EventLoops
import PickerModel

/// A file of a folder that moved.
struct RelocatedFile {
    let key: DocumentKey
    let folder: WatchedFolder
    /// Its place in the files of the folder, until these change.
    let place: Int
}

/// The changes for the next commit.
struct PendingChanges {
    private var changes: [DocumentKey: PendingChange] = [:]
    /// The keys with changes, in the order in which commits take them, and some whose changes have been taken.
    private var queue: [DocumentKey] = []
    /// The number of undecided changes that the last commit passed over.
    private(set) var undecidedCount = 0
    /// Keys minted since the last commit that have not been committed.
    private var newKeys: Set<DocumentKey> = []
    /// New files in runs; their keys are not in `newKeys`.
    private var newFilesInRuns = NewFiles()
    /// The keys of files that are gone, by identity, and some that are not.
    private var goneKeys: [UInt64: DocumentKey] = [:]
    /// The identities of files in whose places a check found others, before an event said how; by key.
    private var replaced: [DocumentKey: UInt64] = [:]
    /// The keys of files in whose places others were moved, as an event said, until a check.
    private var covered: Set<DocumentKey> = []
    /// Whether former keys have been given to all new files that have one.
    private var isMatched = true
    /// How far that is, until something else changes.
    private var matching = Matching()
    /// Folders that moved, and those that left the tree for good.
    private var relocated = FolderWalk()
    private var departed = FolderWalk()
    /// Files that a rescan did not find.
    private var swept: [FileEntry] = []
    /// Keys in the tree of a returned root that its scan has not reached yet.
    private var expected: Set<DocumentKey> = []
    private var vanished: KeyMemory

    init(remembering vanished: KeyMemory) {
        self.vanished = vanished
    }

    var isEmpty: Bool { changes.isEmpty && newFilesInRuns.isEmpty && !hasFolders }
    /// The number of changes, without those of moved and departed folders that are not recorded yet.
    var count: Int { changes.count + newFilesInRuns.count }
    /// The entries of folders that are kept with the new files in runs.
    var entriesHeld: Int { newFilesInRuns.entriesHeld }
    var hasNewKeys: Bool { !newKeys.isEmpty || !newFilesInRuns.isEmpty }
    /// Whether there are files that an unread event may have moved to their places.
    var mayHaveMoved: Bool { hasNewKeys || !replaced.isEmpty }
    var hasDecided: Bool {
        hasFolders || newFilesInRuns.hasAttached || changes.values.contains(where: \.isDecided)
    }
    /// Whether there are moved or departed folders whose files are not recorded yet.
    var hasFolders: Bool { !relocated.isEmpty || !hasAllDepartures }

    /// The change of a key. A half-moved file is undecided; one that left the tree is recorded by `setGone`.
    subscript(key: DocumentKey) -> PendingChange? {
        get { changes[key] ?? newFilesInRuns[key] }
        set {
            endRuns()
            isMatched = false
            matching = Matching()
            guard let newValue else {
                changes[key] = nil
                return
            }
            if changes.updateValue(newValue, forKey: key) == nil { queue.append(key) }
        }
    }

    // MARK: What is seen

    /// Adds a file that has no document yet.
    mutating func add(
        _ key: DocumentKey, _ folder: WatchedFolder, _ name: [UInt8], _ facts: FileFacts
    ) {
        newKeys.insert(key)
        self[key] = .present(folder, name, facts)
    }

    /// Adds a new file at a place of the batch that a scan is at, as long as nothing else happens to it.
    mutating func add(_ key: DocumentKey, at place: Int, of scan: RunningScan) {
        isMatched = false
        matching = Matching()
        if !newFilesInRuns.isWasteful, newFilesInRuns.add(key, at: place, of: scan) { return }
        endRuns()
        let isAdded = newFilesInRuns.add(key, at: place, of: scan)
        precondition(isAdded, "the names of the batch are not prepared")
    }

    /// Makes new files in runs changes like others: all, or `limit`.
    /// - Returns: whether none is left.
    @discardableResult
    mutating func endRuns(atMost limit: Int = .max) -> Bool {
        if newFilesInRuns.isEmpty { return true }
        for (key, change) in newFilesInRuns.takeChanges(atMost: limit) {
            newKeys.insert(key)
            let former = changes.updateValue(change, forKey: key)
            precondition(former == nil, "a new file has another change")
            queue.append(key)
        }
        return newFilesInRuns.isEmpty
    }

    /// Records that the file left the tree.
    mutating func setGone(_ entry: FileEntry) {
        markFound(entry.key)
        uncover(entry.key)
        self[entry.key] = .gone(identity: entry.identity)
        goneKeys[entry.identity] = entry.key
    }

    /// Records that a file which is not known was moved to the name of this one: a check will find it there.
    mutating func cover(_ key: DocumentKey) { covered.insert(key) }

    /// Records that a check found another file at the name of this one. Unless it was covered, an unread event says what
    /// became of it.
    mutating func setReplaced(_ entry: FileEntry) {
        if covered.contains(entry.key) || replaced[entry.key] != nil { return }
        replaced[entry.key] = entry.identity
    }

    /// Ends what an event said of a file, as it was checked or is gone.
    mutating func uncover(_ key: DocumentKey) {
        if !covered.isEmpty { covered.remove(key) }
    }

    /// A file that leaves its name, as it was before a check found another one there.
    mutating func takeReplaced(_ entry: FileEntry) -> FileEntry {
        guard !replaced.isEmpty, let identity = replaced.removeValue(forKey: entry.key) else {
            return entry
        }
        return FileEntry(key: entry.key, identity: identity)
    }

    /// Says that all events are read that were queued at the last check.
    mutating func forgetReplaced() {
        if !replaced.isEmpty { replaced = [:] }
    }

    /// Records that a folder moved: every document in it has a new path.
    mutating func relocate(_ folder: WatchedFolder) {
        relocated.add(folder)
    }

    /// Records that a folder left the tree for good, with all that is in it.
    mutating func depart(_ folder: WatchedFolder) {
        departed.add(folder)
    }

    /// Expects the scan of a returned root to find the file again, unless its document was found elsewhere in
    /// the meantime.
    /// - Returns: whether it is expected.
    mutating func expect(_ key: DocumentKey, in store: DocumentStore) -> Bool {
        switch self[key] {
        case .gone: self[key] = nil
        case .present, .halfMoved: return false
        case nil: if store.has(key) { return false }
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

    /// Records that a rescan did not find a file, which is out of the tree.
    mutating func depart(_ entry: FileEntry) {
        markFound(entry.key)
        uncover(entry.key)
        // What is known of the key otherwise would be forgotten with it.
        if self[entry.key] == nil { swept.append(entry) } else { setGone(entry) }
    }

    /// Makes room at once for the changes that are about to be recorded: to move many later takes milliseconds.
    mutating func reserveForAll() {
        let count = changes.count + newFilesInRuns.count + swept.count
        if count > changes.capacity { changes.reserveCapacity(count) }
        if count > newKeys.capacity, !newFilesInRuns.isEmpty { newKeys.reserveCapacity(count) }
        if count > goneKeys.capacity, !swept.isEmpty { goneKeys.reserveCapacity(count) }
    }

    /// Makes the files that a rescan did not find changes like others.
    mutating func recordSwept() {
        let entries = swept
        swept = []
        for entry in entries { setGone(entry) }
    }

    // MARK: Former keys

    /// Whether a file that is gone may have a new file's key, unless that was found out before.
    var needsMatching: Bool { !isMatched && hasNewKeys }
    var hasGone: Bool { !goneKeys.isEmpty }

    /// Records that former keys have been given to all new files that have one.
    mutating func endMatching() { isMatched = true }

    /// A walk through the new files that is made twice: first files are recognized by themselves, then by their paths.
    private struct Matching {
        var isByItself = true
        /// The place in the queue.
        var next = 0
    }

    /// Whether new files are to be recognized by themselves, or else by their paths.
    var isMatchedByItself: Bool { matching.isByItself }

    /// Whether changes are left that may be of new files.
    var hasMoreToMatch: Bool { matching.next < queue.count }

    /// The next change, if it is of a new file in the tree, with its path. They come in the order of their keys. None may
    /// be left in runs.
    mutating func nextToMatch() -> (key: DocumentKey, folder: WatchedFolder, name: [UInt8])? {
        let key = queue[matching.next]
        matching.next += 1
        guard newKeys.contains(key), case .present(let folder, let name, _)? = changes[key] else {
            return nil
        }
        return (key, folder, name)
    }

    /// Has all new files come again, to be recognized by their paths.
    mutating func matchByPaths() { matching = Matching(isByItself: false) }

    /// The key of a file of that identity which is gone.
    func goneKey(of identity: UInt64) -> DocumentKey? {
        guard let key = goneKeys[identity], case .gone = changes[key] else { return nil }
        return key
    }

    /// The new keys whose files are in the tree, with their paths, oldest first. Files in runs are changes from then
    /// on.
    mutating func findNewFiles() -> [(key: DocumentKey, folder: WatchedFolder, name: [UInt8])] {
        endRuns()
        return newKeys.sorted().compactMap { key in
            guard case .present(let folder, let name, _) = changes[key] else { return nil }
            return (key, folder, name)
        }
    }

    /// Gives a new file the former key that it turned out to have.
    mutating func rename(_ key: DocumentKey, to former: DocumentKey) {
        newKeys.remove(key)
        let matching = matching
        self[former] = changes.removeValue(forKey: key)
        self.matching = matching
    }

    /// Removes the change of a file that has a name, and returns its facts.
    mutating func takePresent(_ key: DocumentKey) -> FileFacts? {
        guard case .present(_, _, let facts)? = self[key] else { return nil }
        self[key] = nil
        newKeys.remove(key)
        return facts
    }

    /// Removes and returns the key under which a file vanished a moment ago, unless the key is in use.
    mutating func takeVanished(
        _ identity: UInt64, now: MonotonicInstant, unlessIn store: DocumentStore
    ) -> DocumentKey? {
        guard let key = vanished.takeKey(of: identity, now: now), !store.has(key),
            changes[key] == nil, !expected.contains(key)
        else { return nil }
        return key
    }

    mutating func forgetVanished(now: MonotonicInstant) { vanished.forgetOld(now) }
    var remembersVanished: Bool { !vanished.isEmpty }

    // MARK: A commit

    /// Removes the next file of the departed folders, or one that a rescan did not find.
    /// - Parameter leave: Called for each folder before its files.
    /// - Returns: the file, which is to be recorded as gone; nil if there is none.
    mutating func takeDeparted(_ leave: (WatchedFolder) -> Void) -> FileEntry? {
        if let entry = swept.popLast() { return entry }
        let next = departed.next { folder in
            // A scan may have found it elsewhere.
            if folder.attachedRoot != nil { return nil }
            leave(folder)
            return folder.takeFolders()
        }
        return next?.entry
    }

    /// Records changes for the files in moved folders until there are `limit` changes, or for all.
    mutating func addRelocated(upTo limit: Int) {
        if relocated.isEmpty { return }
        endRuns()
        while changes.count < limit {
            guard let (folder, place, entry) = nextRelocated() else { break }
            if changes[entry.key] == nil {
                self[entry.key] = .present(folder, folder.files.name(at: place), nil)
            }
        }
    }

    /// Whether nothing is to be committed but the files of folders that moved or left the tree. They need no record
    /// then, because nothing can happen to them before the commit.
    var areOnlyFolders: Bool {
        hasFolders && changes.isEmpty && newKeys.isEmpty && newFilesInRuns.isEmpty
    }

    /// Removes files of moved folders, `limit` or all, if only such are to be committed.
    /// - Returns: nil, without effect, if others are, too.
    mutating func takeRelocated(atMost limit: Int?) -> [RelocatedFile]? {
        guard areOnlyFolders, hasAllDepartures else { return nil }
        var files: [RelocatedFile] = []
        while files.count < limit ?? .max, let next = nextRelocated() {
            // The rest of a folder that has been moved out again is decided with that move.
            if next.folder.attachedRoot == nil { continue }
            files.append(
                RelocatedFile(key: next.entry.key, folder: next.folder, place: next.place))
        }
        // As in `takeDecided`. Most are in order, which takes one pass.
        files.sort { $0.key < $1.key }
        return files
    }

    private mutating func nextRelocated() -> (
        folder: WatchedFolder, place: Int, entry: FileEntry
    )? {
        relocated.next { folder in
            // One that was moved again is recorded again.
            folder.attachedRoot == nil ? nil : Array(folder.folders.values)
        }
    }

    /// Removes new files, if there are no other changes, and all of these are decided: all of them, or `limit`. They
    /// have no document whose path another could take.
    /// - Returns: nil, without effect, if `takeDecided` is to be used.
    /// - Complexity: O(n) for n new files.
    mutating func takeNewFiles(atMost limit: Int?) -> [NewFileRun]? {
        guard changes.isEmpty, newKeys.isEmpty, !newFilesInRuns.isEmpty,
            newFilesInRuns.areAttached
        else { return nil }
        queue = []
        goneKeys = [:]
        return newFilesInRuns.take(atMost: limit ?? .max)
    }

    /// Whether the files of all departed folders are recorded, and those that a rescan did not find.
    var hasAllDepartures: Bool { departed.isEmpty && swept.isEmpty }

    /// Removes the decided changes: all of them, or `limit` and those whose paths these take, so that no two
    /// documents ever have the same path.
    ///
    /// They are sorted by the age of their keys, so that one transaction is reported in the same order in every
    /// process.
    /// - Returns: the changes, and whether decided ones are left, or new files in runs.
    /// - Complexity: O(k log k) for k changes taken, and O(u) for u undecided ones.
    mutating func takeDecided(
        atMost limit: Int?, from store: DocumentStore
    ) -> (part: [(key: DocumentKey, change: PendingChange)], isCut: Bool) {
        // Files in runs have no documents, so that others may be committed before them, but not after.
        if !newFilesInRuns.isEmpty, !changes.values.contains(where: \.isDecided) { endRuns() }
        var part: [(key: DocumentKey, change: PendingChange)] = []
        var undecided: [DocumentKey] = []
        var next = 0
        let isCut = changes.count > limit ?? .max
        // A new file has no document whose path another could take.
        let mayTakePaths = isCut && changes.count > newKeys.count
        var isSorted = true
        var last: DocumentKey?
        var places = KnownPlaces(store.table)
        while next < queue.count, part.count < limit ?? .max {
            let key = queue[next]
            next += 1
            guard let change = changes[key] else { continue }
            guard change.isDecided else {
                undecided.append(key)
                continue
            }
            var taken = key
            while let change = changes[taken], change.isDecided {
                changes[taken] = nil
                if !newKeys.isEmpty { newKeys.remove(taken) }
                if case .gone(let identity) = change, goneKeys[identity] == taken {
                    goneKeys[identity] = nil
                }
                if let last, last > taken { isSorted = false }
                last = taken
                part.append((taken, change))
                guard mayTakePaths, !places.isUnmoved(change, of: taken),
                    let owner = pathOwner(of: change, of: taken, in: store)
                else { break }
                taken = owner
            }
        }
        queue.replaceSubrange(0..<next, with: undecided)
        undecidedCount = undecided.count
        if changes.isEmpty {
            queue = []
            goneKeys = [:]
            newKeys = []
        }
        if !isSorted { part.sort { $0.key < $1.key } }
        let rest = queue.dropFirst(undecided.count)
        let isLeft = isCut && rest.contains { changes[$0]?.isDecided == true }
        return (part, isLeft || newFilesInRuns.hasAttached)
    }

    /// The document that has the path which a change is about to take, if it is to change too.
    private func pathOwner(
        of change: PendingChange, of key: DocumentKey, in store: DocumentStore
    ) -> DocumentKey? {
        guard case .present(let folder, let name, _) = change, let root = folder.attachedRoot,
            let owner = store.table.row(
                root: root.text, path: FileName(bytes: folder.relativePath(appending: name))
            ).map({ store.table.key(of: $0) }),
            owner != key, changes[owner] != nil
        else { return nil }
        return owner
    }

    /// Whether a check that finds a file as it is known has nothing to record.
    var expectsNothing: Bool { expected.isEmpty && covered.isEmpty }

    /// Records that a file is gone, and remembers its key for the same file, if others know that key.
    mutating func vanish(
        _ key: DocumentKey, _ identity: UInt64, isKnown: Bool, now: MonotonicInstant
    ) {
        if isKnown { vanished.remember(key, identity: identity, now: now) }
    }

    /// In debug builds, traps if a present file is not at its recorded name.
    func checkInvariants() {
        #if DEBUG
        newFilesInRuns.checkInvariants()
        // Only small states are checked, as most tests have.
        guard changes.count <= 64, newKeys.count <= 64 else { return }
        let queued = Set(queue)
        precondition(changes.keys.allSatisfy(queued.contains), "a change is not queued")
        for (key, change) in changes {
            guard case .present(let folder, let name, _) = change else { continue }
            precondition(folder.files[name]?.key == key, "\(key) is not at its name")
        }
        #endif
    }
}

/// The folders of documents, where changes of files come one folder after another.
private struct KnownPlaces {
    private let table: DocumentTable
    private var latest: (folder: WatchedFolder, number: FolderNumber?)?

    init(_ table: DocumentTable) { self.table = table }

    /// Whether a file is where its document is, so that the change takes no other document's path.
    /// - Complexity: O(n) in the length of the name, and in that of the path once for files of one folder in a row.
    mutating func isUnmoved(_ change: PendingChange, of key: DocumentKey) -> Bool {
        guard case .present(let folder, let name, _) = change, let row = table.row(of: key) else {
            return false
        }
        if latest?.folder !== folder {
            let number = folder.attachedRoot.flatMap { root in
                table.folder(root: root.text, path: folder.relativePath(appending: [])[...])
            }
            latest = (folder, number)
        }
        guard let number = latest?.number else { return false }
        return table.folder(of: row) == number && table.hasName(name[...], row)
    }
}
