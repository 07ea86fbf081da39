// Pairs the two halves of each move.
//
// The kernel reports a rename by two events with the same cookie. The entry named by the first one leaves the
// tree as a pending rename, until the second event comes or until it is given up as a move out of the tree. A
// folder that left in any other way has departed: a scan may find it elsewhere before the next commit, or while folders
// are to be read.
//
// Invariants: a pending rename has one number and one cookie; numbers grow in the order of the events; no
// pending number is below `oldest`; an identity leads to a pending folder of that identity, to the last one if
// there are several. There are at most `limit` pending renames: the oldest is given up for a new one.

/// The entry that a rename moves.
enum MovedEntry {
    /// A file; unsure if its name waited for a check, so that it may be another file than the entry says. With the name
    /// that it left, if its document has that name.
    case file(FileEntry, isUnsure: Bool, from: LinkedName? = nil)
    case folder(WatchedFolder)
}

/// Half-seen renames, and departed folders.
struct MovePairing {
    private let limit: Int
    private var pendingRenames: [UInt64: (cookie: UInt32, moved: MovedEntry)] = [:]
    private var numbers: [UInt32: UInt64] = [:]
    private var folderNumbers: [UInt64: UInt64] = [:]
    /// A lower bound of the pending numbers.
    private var oldest: UInt64 = 0
    /// The number of the next rename; all pending ones are lower.
    private(set) var nextNumber: UInt64 = 0

    private var departedFolders: [UInt64: WatchedFolder] = [:]
    /// Folders that were never opened, so that no scan can identify them, and folders with a duplicate
    /// identity.
    private var unknownFolders: [WatchedFolder] = []

    init(limit: Int) {
        precondition(limit > 0)
        self.limit = limit
    }

    // MARK: Pending renames

    var hasPending: Bool { !pendingRenames.isEmpty }

    /// The pending renames, in no order.
    var pendingEntries: some Sequence<(cookie: UInt32, moved: MovedEntry)> { pendingRenames.values }

    /// Adds the first half of a rename.
    /// - Returns: what is given up in its favour, and counts as gone.
    /// - Complexity: O(1) amortized, as for all methods here.
    mutating func add(_ moved: MovedEntry, cookie: UInt32) -> MovedEntry? {
        defer { checkInvariants() }
        // The kernel reuses a cookie after 2³² renames.
        var givenUp = takeRename(of: cookie)
        if givenUp == nil, pendingRenames.count >= limit { givenUp = takeOldest(below: nextNumber) }
        pendingRenames[nextNumber] = (cookie, moved)
        numbers[cookie] = nextNumber
        if case .folder(let folder) = moved, folder.identity != 0 {
            folderNumbers[folder.identity] = nextNumber
        }
        nextNumber += 1
        return givenUp
    }

    /// Removes the rename whose second half was seen.
    /// - Returns: the moved entry, unless it was given up or found before.
    mutating func takeRename(of cookie: UInt32) -> MovedEntry? {
        defer { checkInvariants() }
        return numbers[cookie].flatMap { removeRename($0) }
    }

    /// Gives up the oldest pending rename with a number below `end`.
    mutating func takeOldest(below end: UInt64) -> MovedEntry? {
        defer { checkInvariants() }
        while oldest < min(end, nextNumber) {
            oldest += 1
            if let moved = removeRename(oldest - 1) { return moved }
        }
        return nil
    }

    private mutating func removeRename(_ number: UInt64) -> MovedEntry? {
        guard let rename = pendingRenames.removeValue(forKey: number) else { return nil }
        numbers[rename.cookie] = nil
        if case .folder(let folder) = rename.moved, folderNumbers[folder.identity] == number {
            folderNumbers[folder.identity] = nil
        }
        return rename.moved
    }

    // MARK: Folders

    var hasDeparted: Bool { !departedFolders.isEmpty || !unknownFolders.isEmpty }

    /// Adds a folder that left the tree.
    mutating func depart(_ folder: WatchedFolder) {
        if folder.identity == 0 || departedFolders[folder.identity] != nil {
            unknownFolders.append(folder)
        } else {
            departedFolders[folder.identity] = folder
        }
    }

    /// Removes the folder of that identity, if it departed or its rename is pending.
    mutating func takeFolder(_ identity: UInt64) -> WatchedFolder? {
        defer { checkInvariants() }
        if let folder = departedFolders.removeValue(forKey: identity) { return folder }
        guard let number = folderNumbers[identity], case .folder(let folder) = removeRename(number)
        else { return nil }
        return folder
    }

    /// Removes the departed folders: they are gone for good.
    mutating func takeDeparted() -> [WatchedFolder] {
        defer {
            departedFolders = [:]
            unknownFolders = []
        }
        return unknownFolders + departedFolders.values
    }

    /// In debug builds, traps if the indexes do not agree.
    func checkInvariants() {
        #if DEBUG
        // Only small states are checked, as tests have.
        guard pendingRenames.count <= 64 else { return }
        precondition(pendingRenames.count <= limit, "more renames are pending than the limit")
        precondition(numbers.count == pendingRenames.count, "a cookie has no rename")
        for (number, rename) in pendingRenames {
            precondition(number >= oldest && number < nextNumber, "rename \(number) is forgotten")
            precondition(numbers[rename.cookie] == number, "rename \(number) has lost its cookie")
        }
        for (identity, number) in folderNumbers {
            guard case .folder(let folder) = pendingRenames[number]?.moved else {
                preconditionFailure("an identity leads to no pending folder")
            }
            precondition(folder.identity == identity, "an identity leads to another folder")
        }
        #endif
    }
}
