// The names that are to be looked at on disk before the next commit.
//
// A folder has its names in itself, and is here in line for as long as it has some. One that can't be
// looked into now is set aside: a misplaced one, which is not where the tree has it, comes with each
// further round of looks; a detached one when it is put back into the tree. Folders that are forgotten take
// no names.
//
// Invariants: a folder that has names is in line or set aside; one that is set aside has names; `count` is
// the number of all names; hints are names.

import SystemdEventLoop

/// The names of one folder.
struct FolderChecks {
    /// To be looked at before the next commit.
    fileprivate(set) var names: Set<[UInt8]> = []
    /// Those of them that an event says are there.
    fileprivate(set) var hints: Set<[UInt8]> = []
    /// Names that were written to lately and are looked at later.
    fileprivate(set) var writes: Set<[UInt8]> = []
    /// The folder has left the tree for good, or until its root is back: nothing in it is looked at.
    fileprivate(set) var isForgotten = false
}

/// All names that are to be looked at.
struct PendingChecks {
    private var line: [WatchedFolder] = []
    private var misplaced: [ObjectIdentifier: WatchedFolder] = [:]
    private var detached: [ObjectIdentifier: WatchedFolder] = [:]
    private(set) var count = 0
    /// The time of the turn was over before all were looked at; a further turn goes on with that, before it
    /// reads or commits anything.
    private(set) var isCut = false

    /// Whether no folder is in line: only those set aside, if any, have names.
    var isLineEmpty: Bool { line.isEmpty }
    var misplacedFolders: some Collection<WatchedFolder> { misplaced.values }

    /// Has a name looked at.
    ///
    /// With `isHint` the reason is an event that says that something is there: if it is missing all
    /// the same, the event that says where it went is still to be read.
    mutating func add(_ name: [UInt8], in folder: WatchedFolder, isHint: Bool) {
        if folder.checks.isForgotten { return }
        if !folder.checks.writes.isEmpty { folder.checks.writes.remove(name) }
        if folder.checks.names.isEmpty { line.append(folder) }
        if folder.checks.names.insert(name).inserted {
            count += 1
            if isHint { folder.checks.hints.insert(name) }
        } else if !isHint, !folder.checks.hints.isEmpty {
            folder.checks.hints.remove(name)
        }
    }

    /// A folder is in the tree again: what waited in it goes on.
    mutating func resume(_ folder: WatchedFolder) {
        if folder.checks.names.isEmpty { return }
        endAside(folder)
        line.append(folder)
    }

    /// A folder has left the tree: its names are given up, and it takes no others.
    mutating func forget(_ folder: WatchedFolder) {
        endAside(folder)
        count -= folder.checks.names.count
        folder.checks = FolderChecks()
        folder.checks.isForgotten = true
    }

    /// A forgotten folder takes names again.
    func follow(_ folder: WatchedFolder) {
        folder.checks.isForgotten = false
    }

    // MARK: Looking

    /// A round of looks begins. If the one before was cut it goes on with that; else the misplaced folders
    /// have their turn again.
    mutating func beginRound() {
        if !isCut {
            line.append(contentsOf: misplaced.values)
            misplaced = [:]
        }
        isCut = false
    }

    /// Takes the folders in line. Each has its names until `takeNames`, or is set aside, or put back by `cut`.
    mutating func takeLine() -> [WatchedFolder] {
        defer { line = [] }
        return line
    }

    /// Takes the names of a folder that can be looked into.
    mutating func takeNames(of folder: WatchedFolder) -> (names: Set<[UInt8]>, hints: Set<[UInt8]>)
    {
        endAside(folder)
        let taken = (folder.checks.names, folder.checks.hints)
        count -= folder.checks.names.count
        folder.checks.names = []
        folder.checks.hints = []
        return taken
    }

    /// A folder of the line can't be looked into; without a path it is detached.
    mutating func setAside(_ folder: WatchedFolder, isDetached: Bool) {
        if folder.checks.names.isEmpty { return }
        if isDetached {
            detached[ObjectIdentifier(folder)] = folder
        } else {
            misplaced[ObjectIdentifier(folder)] = folder
        }
    }

    /// The rest of a folder's names is left for a further turn.
    mutating func cut(
        _ names: ArraySlice<[UInt8]>, _ hints: Set<[UInt8]>, in folder: WatchedFolder
    ) {
        isCut = true
        for name in names where !folder.checks.names.contains(name) {
            add(name, in: folder, isHint: hints.contains(name))
        }
    }

    /// The rest of the line, if there is one, is left for a further turn.
    mutating func cut(_ rest: ArraySlice<WatchedFolder> = []) {
        line.append(contentsOf: rest)
        isCut = isCut || !line.isEmpty
    }

    private mutating func endAside(_ folder: WatchedFolder) {
        if !misplaced.isEmpty { misplaced[ObjectIdentifier(folder)] = nil }
        if !detached.isEmpty { detached[ObjectIdentifier(folder)] = nil }
    }

    /// In debug builds, traps if a name is not counted, or waits where nobody comes to it. Not between
    /// `takeLine` and the last of its folders.
    func checkInvariants() {
        #if DEBUG
        // All of it for few folders, which is what tests have.
        guard line.count + misplaced.count + detached.count <= 64 else { return }
        for folder in [misplaced.values, detached.values].joined() {
            precondition(!folder.checks.names.isEmpty, "a folder is set aside without a name")
        }
        var folders = misplaced.merging(detached) { first, _ in first }
        for folder in line { folders[ObjectIdentifier(folder)] = folder }
        let found = folders.values.reduce(0) { $0 + $1.checks.names.count }
        precondition(found == count, "\(count) names wait, and \(found) are come to")
        for folder in folders.values {
            precondition(folder.checks.hints.isSubset(of: folder.checks.names), "a lost hint")
        }
        #endif
    }
}

/// Files that are written to without being closed: each is looked at the first time, and then at intervals,
/// so that a long copy is not looked at with each of its blocks.
///
/// Invariant: a folder that has written names which wait is among `folders`.
struct LateWrites {
    private let interval: Duration
    private var folders: [WatchedFolder] = []
    /// A write of this turn was looked at.
    private var wasSeen = false
    private var quietUntil = MonotonicInstant(nanoseconds: .min)

    init(interval: Duration) {
        self.interval = interval
    }

    var isEmpty: Bool { folders.isEmpty }

    /// A file was written to.
    /// - Returns: whether it is to be looked at now. Else it waits, unless its name is to be looked at anyway.
    mutating func add(_ name: [UInt8], in folder: WatchedFolder, now: MonotonicInstant) -> Bool {
        if folder.checks.names.contains(name) { return false }
        if now >= quietUntil {
            wasSeen = true
            return true
        }
        if folder.checks.writes.isEmpty { folders.append(folder) }
        folder.checks.writes.insert(name)
        return false
    }

    /// Those that waited are to be looked at now.
    mutating func takeAll(isTimeUp: Bool) -> [(folder: WatchedFolder, names: Set<[UInt8]>)] {
        if isTimeUp { wasSeen = true }
        defer { folders = [] }
        return folders.map { folder in
            defer { folder.checks.writes = [] }
            return (folder, folder.checks.writes)
        }
    }

    /// The turn is over.
    /// - Returns: whether some wait, and are to be looked at when the interval is over.
    mutating func endTurn(now: MonotonicInstant) -> Bool {
        if wasSeen { quietUntil = now.advanced(by: interval) }
        wasSeen = false
        // Those that were closed since have been looked at.
        folders.removeAll { $0.checks.writes.isEmpty }
        return !folders.isEmpty
    }
}
