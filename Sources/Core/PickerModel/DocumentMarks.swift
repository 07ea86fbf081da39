// The user's marks, and how they find their documents again.
//
// A mark follows its document by key while the daemon runs. Keys end with the daemon, and with a removed file;
// so each mark also has the attributes of its file when it was last seen. A new document without a mark claims
// one that waits for its file, by the best evidence:
//
//   certain   the same path and the same inode;
//   content   the same inode, size and time at another path: renamed while no daemon ran;
//   place     the same path and another inode: saved by a rename, or restored from a backup.
//
// The device is no evidence: its number may change at each boot.
//
// During a first scan, claims with less than `certain` evidence are provisional: a later document takes the
// mark over with better evidence. (If `a` was renamed to `b` and a new `a` created, the scan may find either
// first.) `settle` ends that. Stored marks do not change before, so a daemon killed during a scan finds the
// same evidence again.
//
// A mark whose file is gone waits for it. The last `mostGone` of them are kept, and visits go before likes and drops; a
// mark also ends when another marked document takes its path.
//
// Visits are a mark with a score (`VisitScore`). The `mostVisited` highest scores are kept.
//
// Invariants: each key and each document has at most one mark; an entry has at least one of `Marks`; a waiting
// mark is found by its path and its inode. Nothing here fails; the caller stores the changes.

/// The marks of all documents. Not thread-safe.
package final class DocumentMarks {
    /// The number of marks kept for missing files.
    package static let mostGone = 65_536
    /// The most marks.
    package static let most = 1_000_000
    /// The most documents whose visits are kept.
    package static let mostVisited = 65_536

    /// How a document was matched with its mark, weakest first.
    enum Evidence: Int, Comparable {
        case place, content, certain

        static func < (left: Evidence, right: Evidence) -> Bool { left.rawValue < right.rawValue }
    }

    enum Standing {
        /// Its document exists.
        case present(key: String, Evidence)
        /// It waits for its file; `key` is the document's key in this run, if it had one.
        case waiting(key: String?, since: Int64?)

        var key: String? {
            switch self {
            case .present(let key, _): key
            case .waiting(let key, _): key
            }
        }
    }

    struct Entry {
        var marks: Marks
        /// Not nil exactly if `marks` has `visited`.
        var visits: VisitScore?
        /// The attributes that claims are compared with.
        var file: MarkedFile
        /// The attributes of its document; for a waiting mark, the same as `file`.
        var latest: MarkedFile
        var standing: Standing
    }

    /// Called when there is something new to store.
    package var onChange: (() -> Void)?
    /// The time, in seconds since 1970.
    package var now: () -> Int64 = { 0 }
    /// Whether claims are final.
    package internal(set) var isSettled = false

    var entries: [Int64: Entry] = [:]
    var byKey: [String: Int64] = [:]
    /// The marks that can be claimed: waiting ones, and those claimed provisionally.
    var places: [DocumentPlace: Int64] = [:]
    var inodes: [UInt64: [Int64]] = [:]
    private var changed: Set<Int64> = []
    var removed: Set<Int64> = []
    private var nextID: Int64 = 1
    var unmarkedKeys: [String] = []
    /// The number of marks that wait for their files.
    package internal(set) var waitingCount = 0
    /// The number of marks with visits, and of those that are nothing else.
    private(set) var visitedCount = 0
    private var onlyVisitedCount = 0
    /// The marks with visits, the one with the lowest score first.
    var lowestVisits = LowestVisits()
    /// Keys whose scores have changed since they were told.
    private var rescoredKeys: Set<String> = []
    let mostGone: Int
    let mostVisited: Int

    /// No marks; `mostGone` and `mostVisited` are for tests.
    package init(
        mostGone: Int = DocumentMarks.mostGone, mostVisited: Int = DocumentMarks.mostVisited
    ) {
        self.mostGone = mostGone
        self.mostVisited = mostVisited
    }

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }
    /// The number of documents that are liked or dropped.
    package var wishedCount: Int { entries.count - onlyVisitedCount }

    /// The marks of the document with that key.
    package func marks(of key: String) -> Marks {
        byKey[key].flatMap { entries[$0]?.marks } ?? []
    }

    /// The visits of the document with that key.
    package func visits(of key: String) -> VisitScore? {
        byKey[key].flatMap { entries[$0]?.visits }
    }

    /// The keys of documents that are there and were visited, in no order.
    var visitedKeys: [String] {
        byKey.compactMap { key, id in entries[id]?.visits == nil ? nil : key }
    }

    /// Whether there is a mark of the document with that key, present or not.
    func hasMark(_ key: String) -> Bool { byKey[key] != nil }

    /// Whether a document with that key may have a mark, or claim one that waits.
    func mayClaim(_ key: String) -> Bool {
        hasMark(key) || !(places.isEmpty && inodes.isEmpty)
    }

    /// The ids of all marks with `dropped`, ascending.
    var droppedIDs: [Int64] {
        entries.compactMap { $0.value.marks.contains(.dropped) ? $0.key : nil }.sorted()
    }

    /// An unused id.
    func reserveID() -> Int64 {
        defer { nextID += 1 }
        return nextID
    }

    // MARK: What is stored

    /// Restores stored marks, all as waiting ones. Marks that exist are unchanged.
    package func restore(_ stored: [StoredMark]) {
        defer { checkInvariants() }
        for mark in stored where !mark.marks.isEmpty && entries[mark.id] == nil {
            nextID = max(nextID, mark.id &+ 1)
            entries[mark.id] = Entry(
                marks: mark.marks, visits: mark.visits, file: mark.file, latest: mark.file,
                standing: .waiting(key: nil, since: mark.goneSince))
            count(mark.marks, by: 1)
            lowestVisits.set(mark.id, mark.visits)
            waitingCount += 1
            addClaim(mark.id, mark.file)
        }
    }

    /// Removes and returns the changes to store; none while claims are provisional.
    package func takeChanges() -> MarkChanges {
        guard isSettled else { return MarkChanges() }
        defer {
            changed = []
            removed = []
        }
        return MarkChanges(puts: changed.sorted().map(stored), removals: removed.sorted())
    }

    /// Whether `takeChanges` has something.
    package var hasChanges: Bool { isSettled && !(changed.isEmpty && removed.isEmpty) }

    /// Restores changes that could not be stored.
    package func putBack(_ changes: MarkChanges) {
        for id in changes.puts.map(\.id) + changes.removals { recordChange(id) }
    }

    /// All marks, in their stored form.
    package func everything() -> [StoredMark] { entries.keys.sorted().map(stored) }

    /// The stored form of the mark with that id, which must exist.
    func stored(_ id: Int64) -> StoredMark {
        guard let entry = entries[id] else { preconditionFailure("there is no mark \(id)") }
        switch entry.standing {
        case .present(_, let evidence):
            let isSure = isSettled || evidence == .certain
            return StoredMark(
                id: id, marks: entry.marks, visits: entry.visits,
                file: isSure ? entry.latest : entry.file)
        case .waiting(_, let since):
            return StoredMark(
                id: id, marks: entry.marks, visits: entry.visits, file: entry.file,
                goneSince: since)
        }
    }

    func recordChange(_ id: Int64) {
        if entries[id] == nil {
            changed.remove(id)
            removed.insert(id)
        } else {
            removed.remove(id)
            changed.insert(id)
        }
        onChange?()
    }

    // MARK: Visits

    /// Counts an entry with these marks that is new, or, with -1, no longer there.
    func count(_ marks: Marks, by step: Int) {
        guard marks.contains(.visited) else { return }
        visitedCount += step
        if marks == .visited { onlyVisitedCount += step }
    }

    func recordRescored(_ key: String?) {
        if let key { rescoredKeys.insert(key) }
    }

    /// Removes and returns the keys whose scores have changed.
    func takeRescoredKeys() -> Set<String> {
        if rescoredKeys.isEmpty { return [] }
        defer { rescoredKeys = [] }
        return rescoredKeys
    }
}
