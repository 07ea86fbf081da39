// What has left its place in the tree and may turn up at another one.
//
// The kernel tells of a rename by two events with the same cookie. What the first one names is out of the
// tree and is a pending rename until the second comes, or until it is given up as a move out of the tree.
// A folder that left by anything else has departed: a scan may find it elsewhere before the next commit.
//
// Invariants: a pending rename has one number and one cookie, and the numbers grow in the order of the
// events; all pending numbers are from `oldest` on; an identity leads to a pending folder of that
// identity, of several to the last. There are never more than `limit` pending renames: the oldest is given up for the one that comes.

/// What a rename moves.
enum MovedThing {
    case file(FileEntry)
    case folder(WatchedFolder)
}

/// Renames of which one half was seen, and folders without a place.
struct MovePairing {
    private struct PendingRename {
        let cookie: UInt32
        let thing: MovedThing
    }

    private let limit: Int
    private var pendingRenames: [UInt64: PendingRename] = [:]
    private var numbers: [UInt32: UInt64] = [:]
    private var folderNumbers: [UInt64: UInt64] = [:]
    /// No pending rename has a lower number.
    private var oldest: UInt64 = 0
    /// The number of the rename that comes next: all that are pending now have a lower one.
    private(set) var nextNumber: UInt64 = 0

    private var departedFolders: [UInt64: WatchedFolder] = [:]
    /// Those that were never opened, so that nobody can know them again, and doubles.
    private var unknownFolders: [WatchedFolder] = []

    init(limit: Int) {
        precondition(limit > 0)
        self.limit = limit
    }

    // MARK: Pending renames

    var hasPending: Bool { !pendingRenames.isEmpty }
    var pendingCount: Int { pendingRenames.count }

    /// What is pending, in no order.
    var pendingThings: some Sequence<(cookie: UInt32, thing: MovedThing)> {
        pendingRenames.values.lazy.map { ($0.cookie, $0.thing) }
    }

    /// The first half of a rename was seen.
    /// - Returns: what is given up for it, which is to count as gone.
    /// - Complexity: O(1) amortized, as for all of these.
    mutating func add(_ thing: MovedThing, cookie: UInt32) -> MovedThing? {
        defer { checkInvariants() }
        // The kernel uses a cookie again after 2³² renames.
        var givenUp = takeRename(of: cookie)
        if givenUp == nil, pendingRenames.count >= limit { givenUp = takeOldest(below: nextNumber) }
        pendingRenames[nextNumber] = PendingRename(cookie: cookie, thing: thing)
        numbers[cookie] = nextNumber
        if case .folder(let folder) = thing, folder.identity != 0 {
            folderNumbers[folder.identity] = nextNumber
        }
        nextNumber += 1
        return givenUp
    }

    /// The second half of a rename was seen: what it moves, unless that was given up or found before.
    mutating func takeRename(of cookie: UInt32) -> MovedThing? {
        defer { checkInvariants() }
        return numbers[cookie].flatMap { take($0) }
    }

    /// The oldest pending rename with a number below this one is given up.
    mutating func takeOldest(below end: UInt64) -> MovedThing? {
        defer { checkInvariants() }
        while oldest < min(end, nextNumber) {
            oldest += 1
            if let thing = take(oldest - 1) { return thing }
        }
        return nil
    }

    private mutating func take(_ number: UInt64) -> MovedThing? {
        guard let rename = pendingRenames.removeValue(forKey: number) else { return nil }
        numbers[rename.cookie] = nil
        if case .folder(let folder) = rename.thing, folderNumbers[folder.identity] == number {
            folderNumbers[folder.identity] = nil
        }
        return rename.thing
    }

    // MARK: Folders

    var hasDeparted: Bool { !departedFolders.isEmpty || !unknownFolders.isEmpty }

    /// A folder has left the tree.
    mutating func depart(_ folder: WatchedFolder) {
        if folder.identity == 0 || departedFolders[folder.identity] != nil {
            unknownFolders.append(folder)
        } else {
            departedFolders[folder.identity] = folder
        }
    }

    /// The folder of that identity is found, if it departed or its rename is pending.
    mutating func takeFolder(_ identity: UInt64) -> WatchedFolder? {
        defer { checkInvariants() }
        if let folder = departedFolders.removeValue(forKey: identity) { return folder }
        guard let number = folderNumbers[identity], case .folder(let folder) = take(number) else {
            return nil
        }
        return folder
    }

    /// The departed folders are gone for good.
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
        // All of it for few renames, which is what tests have.
        guard pendingRenames.count <= 64 else { return }
        precondition(pendingRenames.count <= limit, "more renames are pending than may be")
        precondition(numbers.count == pendingRenames.count, "a cookie leads nowhere")
        for (number, rename) in pendingRenames {
            precondition(number >= oldest && number < nextNumber, "rename \(number) is forgotten")
            precondition(numbers[rename.cookie] == number, "rename \(number) has lost its cookie")
        }
        for (identity, number) in folderNumbers {
            guard case .folder(let folder) = pendingRenames[number]?.thing else {
                preconditionFailure("an identity leads to no pending folder")
            }
            precondition(folder.identity == identity, "an identity leads to another folder")
        }
        #endif
    }
}
