// Names whose checks wait for a moment, because a program is in the middle of saving.
//
// A file that was opened for writing is not looked at before it is closed: until then it may be empty, or have a part of
// its content. A document whose file was renamed to a backup, or out of the tree, keeps its name until another file is
// there, which is that document saved. Each name waits for an event that ends its wait, at most for a limited time. What
// would wait beyond a limited number is checked at once.
//
// Invariants: a folder with held names is in `folders`; a name is held, or to be checked, never both.

import EventLoops

/// Why, and until when, the check of a name waits.
struct HeldName {
    var until: MonotonicInstant
    /// As in `PendingChecks.add`.
    var isHint: Bool
    /// A document's file was renamed to this name, and the document waits for another file at its own.
    var isBackup = false
    /// It was created, and nothing was written to it since: a link to another file comes like that.
    var mayBeLink = false
}

/// All names whose checks wait.
struct HeldNames {
    let span: Duration
    let limit: Int
    private var folders: [ObjectIdentifier: WatchedFolder] = [:]
    /// An upper bound of the number of names.
    private var most = 0
    /// Names that may be links. Beyond their limit, others just wait.
    private var created: [LinkedName] = []
    private static let mostCreated = 64
    /// A lower bound of the times at which they are to be checked.
    private var earliest = MonotonicInstant(nanoseconds: .max)

    init(for span: Duration, limit: Int) {
        self.span = span
        self.limit = limit
    }

    var isEmpty: Bool { folders.allSatisfy { $0.value.checks.held.isEmpty } }

    /// The number of names.
    /// - Complexity: O(f) for f folders with held names, as below.
    var count: Int { folders.values.reduce(0) { $0 + $1.checks.held.count } }

    /// Whether another name may wait.
    /// - Complexity: O(1) amortized.
    mutating func hasRoom() -> Bool {
        if most >= limit { dropEmptyFolders() }
        return most < limit
    }

    /// Drops folders whose names were all checked in the meantime.
    private mutating func dropEmptyFolders() {
        folders = folders.filter { !$0.value.checks.held.isEmpty }
        most = count
    }

    /// Whether there are names, and so few that each may be looked at for another one.
    var hasFew: Bool { !folders.isEmpty && folders.count <= Self.few && 1...Self.few ~= count }

    private static let few = 4

    var names: [(folder: WatchedFolder, name: [UInt8])] {
        folders.values.flatMap { folder in folder.checks.held.keys.map { (folder, $0) } }
    }

    /// Lets a name wait, unless it is to be checked now or there is no room.
    /// - Parameters:
    ///   - name: the name.
    ///   - folder: its folder.
    ///   - now: the time.
    ///   - isHint: as in `PendingChecks.add`.
    ///   - isBackup: whether a document's file was renamed to it, to be saved at its own name.
    ///   - again: whether the time of a name that waits already begins anew.
    ///   - mayBeLink: whether it may be one, as far as the last event of the name says.
    ///   - span: how long it waits; nil for the usual time.
    /// - Returns: whether it waits, or is to be checked.
    mutating func hold(
        _ name: [UInt8], in folder: WatchedFolder, now: MonotonicInstant, isHint: Bool,
        isBackup: Bool = false, again: Bool = false, mayBeLink: Bool = false,
        for span: Duration? = nil
    ) -> Bool {
        if folder.checks.isForgotten || folder.checks.names.contains(name) { return true }
        let end = now.advanced(by: span ?? self.span)
        if let held = folder.checks.held[name] {
            let until = again ? end : held.until
            folder.checks.held[name] = HeldName(
                until: until, isHint: held.isHint && isHint, isBackup: held.isBackup || isBackup,
                mayBeLink: mayBeLink)
            noteLink(name, folder, mayBeLink)
            return true
        }
        if !hasRoom() { return false }
        most += 1
        folder.checks.held[name] = HeldName(
            until: end, isHint: isHint, isBackup: isBackup, mayBeLink: mayBeLink)
        noteLink(name, folder, mayBeLink)
        folders[ObjectIdentifier(folder)] = folder
        earliest = min(earliest, end)
        return true
    }

    private mutating func noteLink(_ name: [UInt8], _ folder: WatchedFolder, _ mayBeLink: Bool) {
        guard mayBeLink, created.count < Self.mostCreated else { return }
        created.append(LinkedName(folder: folder, name: name))
    }

    /// Removes the names of new entries, to be looked at before their time has come.
    /// - Returns: those to which nothing was written.
    mutating func takeCreated() -> [LinkedName] {
        if created.isEmpty { return [] }
        defer { created.removeAll(keepingCapacity: true) }
        return created.filter { $0.folder.checks.held[$0.name]?.mayBeLink == true }
    }

    /// Removes the names whose time has come; all, if no time is given.
    mutating func take(
        until now: MonotonicInstant? = nil
    ) -> [(folder: WatchedFolder, name: [UInt8], isHint: Bool)] {
        var taken: [(folder: WatchedFolder, name: [UInt8], isHint: Bool)] = []
        earliest = MonotonicInstant(nanoseconds: .max)
        for (identifier, folder) in folders {
            for (name, held) in folder.checks.held {
                if let now, held.until > now {
                    earliest = min(earliest, held.until)
                } else {
                    folder.checks.held[name] = nil
                    taken.append((folder, name, held.isHint))
                }
            }
            if folder.checks.held.isEmpty { folders[identifier] = nil }
        }
        most = count
        return taken
    }

    /// Removes the names of one folder.
    mutating func take(
        in folder: WatchedFolder
    ) -> [(folder: WatchedFolder, name: [UInt8], isHint: Bool)] {
        folders[ObjectIdentifier(folder)] = nil
        defer { folder.checks.held = [:] }
        return folder.checks.held.map { (folder, $0.key, $0.value.isHint) }
    }

    /// When the first of the names may be due; nil if none waits.
    mutating func nextDue() -> MonotonicInstant? {
        if folders.isEmpty { return nil }
        dropEmptyFolders()
        return folders.isEmpty ? nil : earliest
    }

    /// In debug builds, traps if a name is to be checked as well.
    func checkInvariants() {
        #if DEBUG
        // Only small states are checked, as tests have.
        guard folders.count <= 64 else { return }
        precondition(count <= most, "more names wait than are counted")
        for folder in folders.values {
            precondition(
                folder.checks.names.isDisjoint(with: folder.checks.held.keys),
                "a name that is to be checked waits")
            for held in folder.checks.held.values {
                precondition(held.until >= earliest, "a name is due before the first one")
            }
        }
        #endif
    }
}

/// Names that programs give to the files with which they save.
enum SavingNames {
    /// Whether a program that saves may have renamed a file to this name, to write another one in its place.
    ///
    /// That is so for the name with what marks a backup before or behind it, such as `a.md~`, `a.md.bak` or `.a.md.old`.
    static func isBackup(_ name: [UInt8], of original: [UInt8]) -> Bool {
        guard name.count > original.count else { return false }
        for start in 0...min(2, name.count - original.count)
        where name[start...].starts(with: original) {
            let before = name[..<start]
            let after = name[(start + original.count)...]
            if before.allSatisfy({ leading.contains($0) }),
                after.isEmpty
                    ? start > 0
                    : trailing.contains(where: { after.elementsEqual($0) })
                        || isNumbered(after)
            {
                return true
            }
        }
        return false
    }

    private static let leading = Array(".#,_".utf8)
    private static let trailing = [
        "~", "#", ".bak", ".BAK", ".back", ".backup", ".old", ".orig", ".save", ".sav", ".tmp",
        ".osl-tmp",
    ].map { Array($0.utf8) }

    /// `.~1~`, as Emacs and cp number backups.
    private static func isNumbered(_ text: ArraySlice<UInt8>) -> Bool {
        text.count > 3 && text.starts(with: Array(".~".utf8)) && text.last == UInt8(ascii: "~")
            && text.dropFirst(2).dropLast().allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// Whether a program may have made this file to rename it over another: the name ends with six letters and digits,
    /// as mkstemp(3) chooses them, behind `sed`, `tmp`, or a dot and the name of a file. Behind another name, one of them
    /// is a digit or a capital letter: `a.backup` is no draft.
    /// - Parameters:
    ///   - name: of the new file.
    ///   - isKnown: whether there is a file with this name beside it.
    /// - Returns: whether it is worth waiting for a rename.
    static func isDraft(_ name: [UInt8], _ isKnown: ([UInt8]) -> Bool) -> Bool {
        guard name.count > 6 else { return false }
        var hasOther = false
        for byte in name.suffix(6) {
            switch byte {
            case 0x30...0x39, 0x41...0x5A: hasOther = true
            case 0x61...0x7A: break
            default: return false
            }
        }
        let stem = name.dropLast(6)
        if stem.elementsEqual("tmp".utf8) || stem.elementsEqual("sed".utf8) { return true }
        guard stem.last == UInt8(ascii: "."), stem.count > 1 else { return false }
        return hasOther || isKnown(Array(stem.dropLast()))
    }
}
