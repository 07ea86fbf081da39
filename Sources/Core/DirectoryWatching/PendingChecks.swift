// The names to check on disk before the next commit.
//
// Each folder stores its own names, and is in the queue while it has some. A folder that cannot be checked now
// is set aside: a misplaced folder, one that is not where the tree has it, returns with the next round of
// checks after something was learned that may say where it is, such as an event; a detached one returns when it is back
// in the tree. Forgotten folders accept no names.
//
// Without news a misplaced folder has no other turn: looking for many takes longer than a turn, and a round that is cut
// comes before the event that says where they are.
//
// Invariants: a folder with names is queued or set aside; a folder set aside has names; `count` is the number
// of all names; the names without a hint are a subset of them.

/// The names to check in one folder.
struct FolderChecks {
    /// To check before the next commit.
    fileprivate(set) var names: Set<[UInt8]> = []
    /// Those of them of which no event said that they exist: few, as most changes are saves.
    fileprivate var unhinted: Set<[UInt8]> = []
    /// Names whose checks wait; see `HeldNames`.
    var held: [[UInt8]: HeldName] = [:]
    /// The folder has left the tree for good, or until its root returns: it accepts no names.
    fileprivate(set) var isForgotten = false

    /// Whether no name waits for a check.
    var isEmpty: Bool { names.isEmpty && held.isEmpty }

    /// Whether this name waits for a check.
    func has(_ name: [UInt8]) -> Bool { names.contains(name) || held[name] != nil }

    /// The names to check that exist according to an event.
    var hints: Set<[UInt8]> { unhinted.isEmpty ? names : names.subtracting(unhinted) }
}

/// All names to check.
struct PendingChecks {
    private var queue: [WatchedFolder] = []
    private var misplaced: [ObjectIdentifier: WatchedFolder] = [:]
    private var detached: [ObjectIdentifier: WatchedFolder] = [:]
    /// Something was learned since the misplaced folders were looked for.
    private var hasNews = false
    private(set) var count = 0
    /// The turn ended before all names were checked. A later turn continues before it reads or commits
    /// anything.
    private(set) var isCut = false

    /// Whether the queue is empty; folders set aside may still have names.
    var isQueueEmpty: Bool { queue.isEmpty }
    var misplacedFolders: some Collection<WatchedFolder> { misplaced.values }

    func isMisplaced(_ folder: WatchedFolder) -> Bool { misplaced[ObjectIdentifier(folder)] != nil }

    /// Queues a name for a check.
    ///
    /// `isHint` means that an event said the name exists. If it is missing nonetheless, an unread event says
    /// where it went.
    mutating func add(_ name: [UInt8], in folder: WatchedFolder, isHint: Bool) {
        if folder.checks.isForgotten { return }
        var isHint = isHint
        if !folder.checks.held.isEmpty, let held = folder.checks.held.removeValue(forKey: name) {
            isHint = isHint && held.isHint
        }
        if folder.checks.names.isEmpty { queue.append(folder) }
        if folder.checks.names.insert(name).inserted {
            count += 1
        }
        if !isHint { folder.checks.unhinted.insert(name) }
    }

    /// Says that an event put an entry at that name, whatever marked it before: if it is missing, an unread event says
    /// where it went.
    func trust(_ name: [UInt8], in folder: WatchedFolder) {
        if !folder.checks.unhinted.isEmpty { folder.checks.unhinted.remove(name) }
    }

    /// Takes a name back that is to be checked.
    mutating func withdraw(_ name: [UInt8], in folder: WatchedFolder) {
        if folder.checks.names.remove(name) == nil { return }
        count -= 1
        if !folder.checks.unhinted.isEmpty { folder.checks.unhinted.remove(name) }
        if folder.checks.names.isEmpty { endAside(folder) }
    }

    /// Resumes the checks of a folder that is back in the tree.
    mutating func resume(_ folder: WatchedFolder) {
        if folder.checks.names.isEmpty { return }
        endAside(folder)
        queue.append(folder)
    }

    /// Resumes the checks of a folder that is where the tree has it.
    mutating func resumeMisplaced(_ folder: WatchedFolder) {
        if !misplaced.isEmpty, isMisplaced(folder) { resume(folder) }
    }

    /// Drops the names of a folder that left the tree; it accepts no others.
    mutating func forget(_ folder: WatchedFolder) {
        endAside(folder)
        count -= folder.checks.names.count
        folder.checks = FolderChecks()
        folder.checks.isForgotten = true
    }

    /// Lets a forgotten folder accept names again.
    func follow(_ folder: WatchedFolder) {
        folder.checks.isForgotten = false
    }

    // MARK: Looking

    /// Has the next round of checks look for the misplaced folders again.
    mutating func retryMisplaced() { hasNews = true }

    /// Begins a round of checks: continues an interrupted one, or else retries the misplaced folders if there is news.
    mutating func beginRound() {
        if !isCut, hasNews {
            hasNews = false
            queue.append(contentsOf: misplaced.values)
            misplaced = [:]
        }
        isCut = false
    }

    /// Removes the queued folders. Each keeps its names until `takeNames`, `setAside` or `cut`.
    mutating func takeQueue() -> [WatchedFolder] {
        defer { queue = [] }
        return queue
    }

    /// Removes the names of a folder that can be checked, at most `limit` of them. If there are more, the caller takes
    /// them next, or cuts the round.
    mutating func takeNames(
        of folder: WatchedFolder, atMost limit: Int
    ) -> (names: Set<[UInt8]>, hints: Set<[UInt8]>) {
        endAside(folder)
        if folder.checks.names.count <= limit {
            let taken = (folder.checks.names, folder.checks.hints)
            count -= folder.checks.names.count
            folder.checks.names = []
            if !folder.checks.unhinted.isEmpty { folder.checks.unhinted = [] }
            return taken
        }
        let names = Set(folder.checks.names.prefix(limit))
        count -= names.count
        folder.checks.names.subtract(names)
        let unhinted = names.intersection(folder.checks.unhinted)
        folder.checks.unhinted.subtract(unhinted)
        return (names, names.subtracting(unhinted))
    }

    /// Sets a folder aside that can't be checked; one without a path is detached.
    mutating func setAside(_ folder: WatchedFolder, isDetached: Bool) {
        if folder.checks.names.isEmpty { return }
        if isDetached {
            detached[ObjectIdentifier(folder)] = folder
        } else {
            misplaced[ObjectIdentifier(folder)] = folder
        }
    }

    /// Leaves names of a folder, and those of it that were not taken, to a later turn.
    mutating func cut(
        _ names: ArraySlice<[UInt8]>, _ hints: Set<[UInt8]>, in folder: WatchedFolder
    ) {
        isCut = true
        if folder.checks.isForgotten { return }
        // It may be in the queue already, which does no harm.
        queue.append(folder)
        for name in names where folder.checks.names.insert(name).inserted {
            count += 1
            if !folder.checks.held.isEmpty { folder.checks.held[name] = nil }
            if !hints.contains(name) { folder.checks.unhinted.insert(name) }
        }
    }

    /// Leaves the rest of the queue, if any, to a later turn.
    mutating func cut(_ rest: ArraySlice<WatchedFolder> = []) {
        queue.append(contentsOf: rest)
        isCut = isCut || !queue.isEmpty
    }

    private mutating func endAside(_ folder: WatchedFolder) {
        if !misplaced.isEmpty { misplaced[ObjectIdentifier(folder)] = nil }
        if !detached.isEmpty { detached[ObjectIdentifier(folder)] = nil }
    }

    /// In debug builds, traps if a name is not counted or can't be reached. Not valid between `takeQueue` and
    /// the last of its folders.
    func checkInvariants() {
        #if DEBUG
        // Only small states are checked, as tests have.
        guard queue.count + misplaced.count + detached.count <= 64 else { return }
        for folder in [misplaced.values, detached.values].joined() {
            precondition(!folder.checks.names.isEmpty, "a folder is set aside without a name")
        }
        var folders = misplaced.merging(detached) { first, _ in first }
        for folder in queue { folders[ObjectIdentifier(folder)] = folder }
        let found = folders.values.reduce(0) { $0 + $1.checks.names.count }
        precondition(found == count, "\(count) names are counted, but \(found) are reachable")
        for folder in folders.values {
            precondition(
                folder.checks.unhinted.isSubset(of: folder.checks.names), "a name without a check")
        }
        #endif
    }
}
