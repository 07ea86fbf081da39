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
    package private(set) var isSettled = false

    private(set) var entries: [Int64: Entry] = [:]
    private(set) var byKey: [String: Int64] = [:]
    /// Marks that can be claimed: those that wait, and those that are claimed provisionally.
    private(set) var places: [DocumentPlace: Int64] = [:]
    private(set) var inodes: [UInt64: [Int64]] = [:]
    private var changed: Set<Int64> = []
    private var removed: Set<Int64> = []
    private var nextID: Int64 = 1
    private var bereft: [String] = []
    /// How many marks wait for their files.
    package private(set) var waitingCount = 0
    private let mostGone: Int

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

    private func note(_ id: Int64) {
        if entries[id] == nil {
            changed.remove(id)
            removed.insert(id)
        } else {
            removed.remove(id)
            changed.insert(id)
        }
        onChange?()
    }

    // MARK: Documents

    /// A document is there, new or changed: what it is marked with, or nil if it has no mark.
    func meet(_ document: Document) -> Marks? {
        defer { checkInvariants() }
        if let id = byKey[document.key] {
            follow(id, MarkedFile(document), document.key)
            return entries[id]?.marks
        }
        guard let (id, evidence) = bestClaim(of: MarkedFile(document)) else { return nil }
        attach(id, to: document, by: evidence)
        return entries[id]?.marks
    }

    /// The document is gone.
    func leave(_ document: Document) {
        defer { checkInvariants() }
        guard let id = byKey[document.key], var entry = entries[id],
            case .present(let key, let evidence) = entry.standing
        else { return }
        // A provisional claim that ends leaves the mark as it was.
        if isSettled || evidence == .certain { entry.file = entry.latest }
        withdraw(id)
        entry.latest = entry.file
        entry.standing = .waiting(key: key, since: now())
        entries[id] = entry
        waitingCount += 1
        offer(id, entry.file)
        note(id)
        evict()
    }

    /// The keys of documents that have lost their marks to others since the last time.
    func takeBereft() -> [String] {
        defer { bereft = [] }
        return bereft
    }

    private func follow(_ id: Int64, _ file: MarkedFile, _ key: String) {
        guard var entry = entries[id] else { return }
        switch entry.standing {
        case .present(_, let evidence):
            if entry.latest == file { return }
            if isSettled || evidence == .certain { entry.file = file }
        case .waiting:
            withdraw(id)
            waitingCount -= 1
            entry.file = file
            entry.standing = .present(key: key, .certain)
        }
        entry.latest = file
        entries[id] = entry
        note(id)
        displace(at: file.place, by: id)
    }

    private func attach(_ id: Int64, to document: Document, by evidence: Evidence) {
        guard var entry = entries[id] else { return }
        switch entry.standing {
        case .present(let key, _):
            byKey[key] = nil
            bereft.append(key)
        case .waiting(let key, _):
            if let key { byKey[key] = nil }
            waitingCount -= 1
        }
        let isForGood = isSettled || evidence == .certain
        if isForGood { withdraw(id) }
        entry.latest = MarkedFile(document)
        if isForGood { entry.file = entry.latest }
        entry.standing = .present(key: document.key, isForGood ? .certain : evidence)
        byKey[document.key] = id
        entries[id] = entry
        note(id)
        displace(at: entry.latest.place, by: id)
    }

    // MARK: Claims

    private func bestClaim(of file: MarkedFile) -> (id: Int64, Evidence)? {
        var best: (id: Int64, evidence: Evidence)?
        func consider(_ id: Int64) {
            guard let entry = entries[id], let evidence = evidence(for: file, against: entry.file)
            else { return }
            if case .present(_, let held) = entry.standing, held >= evidence { return }
            if let best, (best.evidence, -best.id) >= (evidence, -id) { return }
            best = (id, evidence)
        }
        if let id = places[file.place] { consider(id) }
        for id in inodes[file.inode] ?? [] { consider(id) }
        return best.map { ($0.id, $0.evidence) }
    }

    private func evidence(for file: MarkedFile, against known: MarkedFile) -> Evidence? {
        if file.place == known.place { return file.inode == known.inode ? .certain : .place }
        return file.hasContent(of: known) ? .content : nil
    }

    private func offer(_ id: Int64, _ file: MarkedFile) {
        places[file.place] = id
        inodes[file.inode, default: []].append(id)
    }

    /// Takes a mark out of those that can be claimed; nothing if it is none of them.
    private func withdraw(_ id: Int64) {
        guard let file = entries[id]?.file else { return }
        if places[file.place] == id { places[file.place] = nil }
        guard let waiting = inodes[file.inode] else { return }
        let others = waiting.filter { $0 != id }
        inodes[file.inode] = others.isEmpty ? nil : others
    }

    /// A marked document has come to a place: what waited for another file there waits in vain.
    private func displace(at place: DocumentPlace, by id: Int64) {
        guard isSettled, let other = places[place], other != id else { return }
        forget(other)
    }

    /// Claims become final: all folders have been looked at.
    /// - Complexity: O(*n*) in the number of marks.
    package func settle() {
        guard !isSettled else { return }
        defer { checkInvariants() }
        isSettled = true
        var taken: Set<DocumentPlace> = []
        for (id, entry) in entries {
            guard case .present(let key, _) = entry.standing else { continue }
            withdraw(id)
            taken.insert(entry.latest.place)
            entries[id]?.standing = .present(key: key, .certain)
            if entry.file == entry.latest { continue }
            entries[id]?.file = entry.latest
            note(id)
        }
        for (id, entry) in entries {
            guard case .waiting(let key, let since) = entry.standing else { continue }
            if taken.contains(entry.file.place) {
                forget(id)
            } else if since == nil {
                entries[id]?.standing = .waiting(key: key, since: now())
                note(id)
            }
        }
        evict()
        onChange?()
    }

    /// Claims are provisional from now on: folders are scanned for the first time.
    package func unsettle() { isSettled = false }

    private func evict() {
        guard isSettled, waitingCount > mostGone else { return }
        // Some more than must go, so that it is not done for each that comes.
        let waiting = entries.compactMap { id, entry -> (since: Int64, id: Int64)? in
            guard case .waiting(_, let since) = entry.standing else { return nil }
            return (since ?? .max, id)
        }
        let surplus = waitingCount - (mostGone - mostGone / 16)
        for mark in waiting.sorted(by: { ($0.since, $0.id) < ($1.since, $1.id) }).prefix(surplus) {
            forget(mark.id)
        }
    }

    private func forget(_ id: Int64) {
        guard let entry = entries[id] else { return }
        withdraw(id)
        switch entry.standing {
        case .present(let key, _): byKey[key] = nil
        case .waiting(let key, _):
            if let key { byKey[key] = nil }
            waitingCount -= 1
        }
        entries[id] = nil
        note(id)
    }

    // MARK: What the user says

    /// Marks a document as was planned and stored.
    func assign(_ plan: MarkPlan, to document: Document) {
        defer { checkInvariants() }
        let id = byKey[document.key] ?? freeID(plan.stored.id)
        if id != plan.stored.id { note(plan.stored.id) }
        if plan.stored.marks.isEmpty { return forget(id, asStored: plan) }
        let file = MarkedFile(document)
        if entries[id] != nil { withdraw(id) }
        entries[id] = Entry(
            marks: plan.stored.marks, file: file, latest: file,
            standing: .present(key: document.key, .certain))
        byKey[document.key] = id
        // It may have moved on since it was planned.
        if id != plan.stored.id || file != plan.stored.file { note(id) }
        displace(at: file.place, by: id)
    }

    private func forget(_ id: Int64, asStored plan: MarkPlan) {
        forget(id)
        // It is gone from the store already.
        if id == plan.stored.id { removed.remove(id) }
    }

    /// Forgets what a document is marked with, which is stored later.
    func unmark(key: String) {
        defer { checkInvariants() }
        if let id = byKey[key] { forget(id) }
    }

    /// Marks what is not there, or not any more.
    func assign(waiting plan: MarkPlan) {
        defer { checkInvariants() }
        let known = plan.key.flatMap { byKey[$0] }
        let id = known ?? plan.stored.id
        if var entry = entries[id] {
            guard !plan.stored.marks.isEmpty else { return forget(id, asStored: plan) }
            entry.marks = plan.stored.marks
            entries[id] = entry
            if id != plan.stored.id || stored(id) != plan.stored { note(id) }
            if id != plan.stored.id { note(plan.stored.id) }
            return
        }
        if plan.stored.marks.isEmpty { return }
        entries[id] = Entry(
            marks: plan.stored.marks, file: plan.stored.file, latest: plan.stored.file,
            standing: .waiting(key: plan.key, since: now()))
        if let key = plan.key { byKey[key] = id }
        waitingCount += 1
        offer(id, plan.stored.file)
        note(id)
        evict()
    }

    /// That id, unless it has come to be another document's.
    private func freeID(_ id: Int64) -> Int64 { entries[id] == nil ? id : reserveID() }
}
