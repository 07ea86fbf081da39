// What the user has said of documents, and how a document is known again.
//
// A mark follows its document by the key for as long as the daemon runs. Keys end with the daemon, and
// with a file that is gone; so beside each mark stands what its file was when it was last seen. A
// document that comes and has no mark claims one that waits for its file, by the best evidence:
//
//   certain   the same place and the same inode;
//   content   the same inode, size and time at another place: renamed while nobody looked;
//   place     the same place and another inode: saved by a rename, or put back from a backup.
//
// The device is no evidence: its number may differ after each start of the machine.
//
// While folders are scanned for the first time, claims by less than `certain` are provisional: a
// document seen later takes the mark over by better evidence. (`a` was renamed to `b` and another
// `a` was made: the scan may come to either first.) `settle` ends that. What is stored does not
// change before, so a daemon that is killed in a scan finds the same evidence again.
//
// A mark whose file is gone waits for it. Of those, the `mostGone` that went last are kept; a mark also
// ends when another marked document takes its place.
//
// Invariants: each key and each document has at most one mark; a mark without `marks` is none; what
// waits is found by its place and its inode. Nothing here fails; what is stored is another's work.

/// The marks of all documents. Not for use on several threads.
package final class DocumentMarks {
    /// How many marks are kept whose files are gone.
    package static let mostGone = 65_536
    /// How many marks there may be.
    package static let most = 1_000_000

    /// How a document was known again, the weakest first.
    enum Evidence: Int, Comparable {
        case place, content, certain

        static func < (left: Evidence, right: Evidence) -> Bool { left.rawValue < right.rawValue }
    }

    enum Standing {
        /// Its document is there.
        case present(key: String, Evidence)
        /// It waits for its file, whose document had that key in this run, if any.
        case waiting(key: String?, since: Int64?)
    }

    struct Entry {
        var marks: Marks
        /// What its claimants are held against.
        var file: MarkedFile
        /// What its document shows; for one that waits, the same as `file`.
        var latest: MarkedFile
        var standing: Standing
    }

    /// Is told when there is something new to store.
    package var onChange: (() -> Void)?
    /// The time, in seconds since 1970.
    package var now: () -> Int64 = { 0 }
    /// Whether claims are for good.
    package internal(set) var isSettled = false

    var entries: [Int64: Entry] = [:]
    var byKey: [String: Int64] = [:]
    /// Marks that can be claimed: those that wait, and those that are claimed provisionally.
    var places: [DocumentPlace: Int64] = [:]
    var inodes: [UInt64: [Int64]] = [:]
    private var changed: Set<Int64> = []
    var removed: Set<Int64> = []
    private var nextID: Int64 = 1
    var bereft: [String] = []
    /// How many marks wait for their files.
    package internal(set) var waitingCount = 0
    let mostGone: Int

    /// No marks; `mostGone` is for tests.
    package init(mostGone: Int = DocumentMarks.mostGone) {
        self.mostGone = mostGone
    }

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }

    /// What the document of that key is marked with.
    package func marks(of key: String) -> Marks {
        byKey[key].flatMap { entries[$0]?.marks } ?? []
    }

    /// The mark of that key's document, if it has one.
    func id(of key: String) -> Int64? { byKey[key] }

    /// The ids of all that are dropped, ascending.
    var droppedIDs: [Int64] {
        entries.filter { $0.value.marks.contains(.dropped) }.keys.sorted()
    }

    /// An id that no mark has had.
    func reserveID() -> Int64 {
        defer { nextID += 1 }
        return nextID
    }

    // MARK: What is stored

    /// Takes over what was stored, each as one that waits. Those that are marked already stay.
    package func restore(_ stored: [StoredMark]) {
        defer { checkInvariants() }
        for mark in stored where !mark.marks.isEmpty && entries[mark.id] == nil {
            nextID = max(nextID, mark.id &+ 1)
            entries[mark.id] = Entry(
                marks: mark.marks, file: mark.file, latest: mark.file,
                standing: .waiting(key: nil, since: mark.goneSince))
            waitingCount += 1
            offer(mark.id, mark.file)
        }
    }

    /// What is to be stored since the last time; nothing while claims are provisional.
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

    /// Takes back changes that could not be stored.
    package func putBack(_ changes: MarkChanges) {
        for id in changes.puts.map(\.id) + changes.removals { note(id) }
    }

    /// All marks, as they are to be stored.
    package func everything() -> [StoredMark] { entries.keys.sorted().map(stored) }

    /// The mark of that id, which must be there, as it is to be stored.
    func stored(_ id: Int64) -> StoredMark {
        guard let entry = entries[id] else { preconditionFailure("there is no mark \(id)") }
        switch entry.standing {
        case .present(_, let evidence):
            let isSure = isSettled || evidence == .certain
            return StoredMark(
                id: id, marks: entry.marks, file: isSure ? entry.latest : entry.file)
        case .waiting(_, let since):
            return StoredMark(id: id, marks: entry.marks, file: entry.file, goneSince: since)
        }
    }

    func note(_ id: Int64) {
        if entries[id] == nil {
            changed.remove(id)
            removed.insert(id)
        } else {
            removed.remove(id)
            changed.insert(id)
        }
        onChange?()
    }
}
