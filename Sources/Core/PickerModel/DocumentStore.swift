// The daemon's one set of documents.
//
// Documents are rows of a `DocumentTable`, found by key and by place (root and relative path); both are unique at
// all times. `apply` makes each change in one step: before any observer is notified, the table and the revision
// include the whole change.
//
// The user's marks, `liked` and `dropped`, are part of a row. A dropped document is still found by key and path,
// but is in `dropped` instead of `listed`. A document is marked before it is inserted, so that no observer sees it
// without its marks.
//
// Callers need not be exact: removing a missing document has no effect, and an inserted document displaces
// those with its key or path. The actual change is computed here, once: observers and the caller get the same
// change, and it contains only documents that were there.
//
// The rows of former versions remain readable until the turn is over: `whenRowsAreFreed` is called then, once, so
// that the owner calls `releaseFreedRows` between two turns.

package import Observables

/// The set of documents with its revision and keys. Not thread-safe.
package final class DocumentStore {
    /// The identifier of this uninterrupted history of revisions.
    package private(set) var epoch: String
    /// Incremented by every change.
    package private(set) var rev = 0
    /// The documents.
    package let table: DocumentTable
    /// The number of the next key.
    private var nextKeyNumber: UInt64 = 0

    /// Whether the set has every document on disk. During a first scan it has not.
    package let isComplete = Variable(true)
    /// The current value of `isComplete`.
    package var isWhole: Bool { isComplete.value }

    /// The progress of the scan under way; nil if there is none, or a short one. It changes about four times a
    /// second.
    package let scan = Variable<ScanCounts?>(nil)

    /// The hold during which the set must not be changed.
    package let hold = ChangeHold()

    /// The user's marks. For documents in the set, only `mark` changes them.
    package let marks: DocumentMarks

    /// How often and how recently the documents were visited.
    package let visits: VisitScores

    /// Which documents are in which collection. `setCollections` changes them.
    package let collections: DocumentCollections

    /// The collections that are none of folders.
    package private(set) lazy var sources = DocumentSources(of: self)

    /// What the orders of the documents change at once.
    package let following = OrderFollowing()

    /// What may be known of documents besides their files.
    package let attributes: AttributeDirectory

    /// Who shows documents to somebody.
    package let views = DocumentViews()

    /// How often nobody used what is kept about the documents; see `giveUpUnused`.
    package let idleCount = Variable(0)

    /// Called when there are freed rows, and not again before `releaseFreedRows` is done.
    package var whenRowsAreFreed: (() -> Void)?
    /// Called with the reason when a document has no room in the table. It is in no list then.
    package var whenRefused: ((DocumentTableError) -> Void)?
    /// Called with each change, once its observers have been notified, while its rows are readable.
    package var whenChanged: ((DocumentChange) -> Void)?
    private var isReleaseDue = false

    private let observedListed = SetVariable<DocumentRow>(
        numberedBy: { $0.index }, DocumentRow.init)
    private let observedDropped = SetVariable<DocumentRow>(
        numberedBy: { $0.index }, DocumentRow.init)
    private var recentChanges = RecentChanges(limit: 4096)
    /// Revisions that another run may have made, and of which nothing is known.
    private var unknownRevisions: Range<Int> = 0..<0
    /// The dropped documents of the roots.
    private var droppedBits = RowBitset()
    /// What `setCollections` was called with.
    private var ofFolders:
        (
            known: [String: DocumentCollections.Collection], roots: Set<String>, leased: Set<String>
        ) = ([:], [], [])

    /// An empty set at revision 0.
    package init(
        epoch: String, table: DocumentTable = DocumentTable(),
        marks: DocumentMarks = DocumentMarks()
    ) {
        self.epoch = epoch
        self.table = table
        attributes = AttributeDirectory(of: table)
        self.marks = marks
        visits = VisitScores(of: marks)
        collections = DocumentCollections(of: table)
        collections.whenSubsetBegins = { [weak self] in self?.want($0) }
        collections.bitsOfRoots = { [weak self] part in
            self?.bits(in: DocumentRange(part)) ?? RowBitset()
        }
        table.folders.removesUnused = true
        table.whenDeparted = { [weak self] in self?.requestRelease() }
    }

    /// The number of documents of the roots: those outside are not counted.
    package var count: Int { table.count - collections.outside.count }

    /// All documents, also those outside the roots, in no order.
    /// - Complexity: O(n).
    package var documents: [Document] {
        table.current.map { table.document(of: DocumentRow(UInt32($0))) }
    }

    /// The number of documents outside the roots.
    package var outsideCount: Int { collections.outside.count }

    /// The number of dropped documents of the roots.
    package var droppedCount: Int { droppedBits.count }

    /// The listed documents, observable. The table and the revision include a change before its observers are
    /// notified.
    package var listed: ObservableSet<DocumentRow> { observedListed.observableSet }

    /// The dropped documents, observable.
    package var dropped: ObservableSet<DocumentRow> { observedDropped.observableSet }

    /// All documents including dropped ones, observable. `listed` costs less.
    package private(set) lazy var all: ObservableSet<DocumentRow> =
        observedListed.observableSet.union(observedDropped.observableSet)

    /// The documents of a range that is not one of the roots alone, and nil for one that is. Whoever uses a range has
    /// this, too: it is up to date as long as anyone has it.
    /// - Complexity: O(n / 64) for n documents, if nobody has it; O(n) if it needs a part of a root.
    package func subset(of range: DocumentRange) -> DocumentSubset? {
        collections.subset(of: range)
    }

    /// Notes that somebody wants the documents of some collections: sources are asked for theirs.
    package func want(_ set: CollectionSet) {
        if case .named(let names) = set { sources.want(names) }
    }

    /// The documents of a range.
    package func documents(in range: DocumentRange) -> ObservableSet<DocumentRow> {
        if let subset = subset(of: range) { return subset.rows }
        return switch range.part {
        case .listed: listed
        case .dropped: dropped
        case .all: all
        }
    }

    /// The documents of a range as bits.
    /// - Complexity: O(1) if no document is dropped or outside, or if somebody has the subset, else O(n / 64).
    package func bits(in range: DocumentRange) -> RowBitset {
        if let subset = subset(of: range) { return subset.bits }
        if range.part == .dropped { return droppedBits }
        let isWithoutDropped = range.part == .listed && !droppedBits.isEmpty
        if !isWithoutDropped, collections.outside.isEmpty { return table.current }
        var bits = table.current
        if isWithoutDropped { bits.subtract(droppedBits) }
        if !collections.outside.isEmpty { bits.subtract(collections.outside) }
        return bits
    }

    /// 64 of the bits of a range.
    func word(_ index: Int, in range: DocumentRange) -> UInt64 {
        if let subset = subset(of: range) { return subset.bits[word: index] }
        let inside = table.current[word: index] & ~collections.outside[word: index]
        return switch range.part {
        case .all: inside
        case .dropped: droppedBits[word: index]
        case .listed: inside & ~droppedBits[word: index]
        }
    }

    /// Whether no more documents of some collections are to come while nothing changes on disk: all of them are known,
    /// or they were given up.
    package func isReady(for set: CollectionSet) -> Bool {
        switch set {
        case .documents: isWhole
        case .named(let names):
            (isWhole || !names.contains(CollectionSet.documentsName)) && collections.areRead(set)
        }
    }

    /// Whether there are documents outside the roots.
    var hasOutside: Bool { !collections.outside.isEmpty }

    /// The number of documents of a range.
    package func count(in range: DocumentRange) -> Int {
        if let subset = subset(of: range) { return subset.count }
        return switch range.part {
        case .all: count
        case .dropped: droppedCount
        case .listed: count - droppedCount
        }
    }

    /// The token of the current revision, with which a client resumes from here.
    package var token: String { token(at: rev) }

    /// The token of a revision.
    package func token(at rev: Int) -> String { "\(epoch):\(rev)" }

    /// The keys of documents that revisions after `rev` inserted, changed or removed; nil if `rev` is older
    /// than the remembered changes, or unknown.
    /// - Complexity: O(k) for k changes.
    package func keysChanged(after rev: Int) -> Set<String>? {
        unknownRevisions.contains(rev) ? nil : recentChanges.keys(after: rev)
    }

    /// - Complexity: O(n) in the length of its path.
    package subscript(key key: String) -> Document? { row(key: key).map { table.document(of: $0) } }

    /// - Complexity: O(n) in the length of the path.
    package subscript(root root: String, path path: FileName) -> Document? {
        table.row(root: root, path: path).map { table.document(of: $0) }
    }

    /// The row of the document with that key.
    /// - Complexity: O(1).
    package func row(key: String) -> DocumentRow? {
        table.key(key).flatMap { table.row(of: $0) }
    }

    /// A key that this store has never returned before: `f` and a number in base 36.
    package func mintKey() -> String { table.text(of: mintKeyNumber()) }

    /// The same as a number.
    package func mintKeyNumber() -> KeyNumber {
        defer { nextKeyNumber += 1 }
        return KeyNumber(minted: nextKeyNumber)
    }

    /// The number of the next key.
    package var nextKey: UInt64 { nextKeyNumber }

    /// The last changes that are known, in rising order, and the revision after which all are known.
    package var knownChanges: (since: Int, changes: [(rev: Int, key: KeyNumber)]) {
        let unknownEnd = unknownRevisions.isEmpty ? 0 : unknownRevisions.upperBound
        let since = max(recentChanges.start, unknownEnd)
        return (since, recentChanges.minted.filter { $0.rev > since })
    }

    /// Removes documents by key, then inserts others, as one change.
    ///
    /// An inserted document displaces those with its key or path; of several with the same key or path, the
    /// last stays.
    /// - Returns: nil, without a new revision, if nothing differs in the end.
    /// - Complexity: O(k) for k documents given.
    @discardableResult
    package func apply(removed: [Document] = [], inserted: [Document] = []) -> DocumentChange? {
        // One that returns is replaced at once, rather than removed and added.
        let returning = Set(inserted.map(\.key))
        return edit { edits in
            for document in removed where !returning.contains(document.key) {
                if let key = table.key(document.key) { edits.remove(key) }
            }
            for document in inserted { edits.put(document) }
        }
    }

    /// Makes edits, as one change.
    /// - Returns: nil, without a new revision, if nothing differs in the end.
    /// - Complexity: O(k) for k edits.
    @discardableResult
    package func edit(_ body: (inout DocumentEdits) -> Void) -> DocumentChange? {
        var edits = DocumentEdits(of: self)
        body(&edits)
        if !marks.isEmpty { followMarks(&edits) }
        return commit(edits)
    }

    /// Announces that about so many documents will be changed, by one `apply` or several. Orders that have very many
    /// documents need not follow the first of them, and fall behind at once; without it, they do at the first change
    /// that is great.
    ///
    /// While folders outside are read this has no effect: most of the documents may be theirs.
    package func announceBulk(_ count: Int) {
        if collections.outsideRoots.isEmpty { following.willChangeSoon(count) }
    }

    /// Tells whether more changes are known to come soon. Orders that have fallen behind are not made meanwhile, so it
    /// must not last.
    package var areMoreComing: () -> Bool {
        get { following.areMoreComing }
        set { following.areMoreComing = newValue }
    }

    /// Gives up what is kept although nobody uses it, except for the most recently used order of each range: those who
    /// keep more are told by `idleCount`. Call it when nobody has been there for a while, again until there is nothing
    /// more: each call gives up one order, since to free one takes long enough.
    /// - Returns: whether there is nothing more.
    /// - Complexity: O(n), as memory is freed.
    package func giveUpUnused() -> Bool {
        idleCount.value += 1
        table.shortNames = nil
        return following.giveUpUnused()
    }

    /// Applies stored plans to documents, as one change. Plans for missing documents are kept for their return.
    /// - Complexity: O(k) for k plans.
    package func mark(_ plans: [MarkPlan]) {
        var edits = DocumentEdits(of: self)
        for plan in plans {
            guard let key = plan.key, let existing = row(key: key) else {
                marks.assign(waiting: plan)
                continue
            }
            marks.assign(plan, to: table.document(of: existing))
            edits.mark(existing, marks.marks(of: key))
        }
        commit(edits)
    }

    /// Removes the marks of a document that turned out to be new: it has them only because it took another
    /// one's path.
    package func unmark(key: String) {
        guard let existing = row(key: key), !marks.marks(of: key).isEmpty else { return }
        var edits = DocumentEdits(of: self)
        marks.unmark(key: key)
        edits.mark(existing, [])
        commit(edits)
    }

    /// Restores stored marks, for present and future documents.
    /// - Complexity: O(n) for n documents, if there are any; only those that may have a mark are looked at closely.
    package func restoreMarks(_ stored: [StoredMark]) {
        marks.restore(stored)
        claimMarks()
    }

    /// Lets the documents claim the marks that wait.
    private func claimMarks() {
        if marks.isEmpty { return }
        var edits = DocumentEdits(of: self)
        for row in claimants() {
            let key = table.text(of: table.key(of: row))
            guard marks.marks(of: key).isEmpty,
                let found = marks.claim(by: table.document(of: row))
            else { continue }
            edits.mark(row, found)
        }
        updateUnmarkedDocuments(&edits)
        commit(edits)
    }

    /// The documents that may claim a mark that waits: those with the inode or at the place of one.
    private func claimants() -> [DocumentRow] {
        var rows: Set<DocumentRow> = []
        for place in marks.places.keys {
            if let row = table.row(root: place.root, path: place.path) { rows.insert(row) }
        }
        for index in table.current where marks.inodes[table.columns.inodes[index]] != nil {
            rows.insert(DocumentRow(index))
        }
        return rows.sorted { table.key(of: $0) < table.key(of: $1) }
    }

    /// Goes on with the history of another run, whose documents `DocumentTable.restore` has put into the table. The
    /// store must be as it was made. The documents claim the marks that are there, and observers see one change.
    /// - Parameters:
    ///   - history: Where it goes on.
    ///   - changes: The documents that revisions after `history.knownSince` changed, in rising order.
    /// - Complexity: O(n) for n documents, of which few numbers are read.
    package func goOn(with history: DocumentHistory, changes: [(rev: Int, key: KeyNumber)]) {
        precondition(rev == 0 && nextKeyNumber == 0, "the store is in use")
        epoch = history.epoch
        rev = history.rev
        unknownRevisions = min(history.lastKnown + 1, history.rev)..<history.rev
        nextKeyNumber = history.nextKey
        recentChanges = RecentChanges(limit: recentChanges.limit, from: history.knownSince)
        for (rev, key) in changes {
            recentChanges.record([key], rev: rev) { table.text(of: $0) }
        }
        table.releaseFreedRows()
        droppedBits.grow(to: table.rowEnd)
        let wasSettled = marks.isSettled
        marks.unsettle()
        var restored = RowEdits()
        restored.inserted = table.current.map { DocumentRow(UInt32($0)) }
        var parts = ChangedParts()
        parts.listed = restored
        tell(parts)
        claimMarks()
        if wasSettled { marks.settle() }
    }

    /// Lets freed rows be used again, `limit` of them at most. Call it between two turns, when no observer is being
    /// notified.
    /// - Returns: whether it is done; else call it again. Rows that are held are released after the next change.
    @discardableResult
    package func releaseFreedRows(atMost limit: Int = .max) -> Bool {
        table.releaseFreedRows(atMost: limit)
        isReleaseDue = table.releasableCount > 0 || !table.departed.isEmpty
        return !isReleaseDue
    }

    private func requestRelease() {
        if isReleaseDue { return }
        isReleaseDue = true
        whenRowsAreFreed?()
    }

    // MARK: Edits

    /// Gives the documents of edits their marks, and those of documents that are gone to nobody.
    private func followMarks(_ edits: inout DocumentEdits) {
        let entries = edits.entries
        // First the marks of all that have gone: a document that arrives may have taken the place of one.
        for entry in entries where entry.new == nil {
            guard let old = entry.old, marks.hasMark(table.text(of: entry.key)) else { continue }
            marks.detach(table.document(of: old))
        }
        for entry in entries {
            guard let new = entry.new else { continue }
            let key = table.text(of: entry.key)
            guard marks.mayClaim(key) else { continue }
            if let found = marks.claim(by: table.document(of: new)) { edits.mark(new, found) }
        }
        updateUnmarkedDocuments(&edits)
    }

    private func updateUnmarkedDocuments(_ edits: inout DocumentEdits) {
        for key in marks.takeUnmarkedKeys() {
            if let existing = row(key: key) { edits.mark(existing, marks.marks(of: key)) }
        }
    }

    @discardableResult
    private func commit(_ edits: borrowing DocumentEdits) -> DocumentChange? {
        defer { visits.tell() }
        var parts = ChangedParts()
        var keys: [KeyNumber] = []
        var change = DocumentChange(rev: rev + 1, of: table)
        droppedBits.grow(to: table.rowEnd)
        let hasCollections = collections.beginChange()
        for entry in edits.entries where entry.old != entry.new {
            if let old = entry.old {
                if hasCollections, collections.leave(old) {
                    parts.outside += 1
                    change.recordOutside(old)
                } else if droppedBits.remove(old.index) {
                    parts.dropped.removed.append(old)
                } else {
                    parts.listed.removed.append(old)
                }
            }
            if let new = entry.new {
                if hasCollections, collections.enter(new) {
                    parts.outside += 1
                    change.recordOutside(new)
                } else if table.isDropped(new) {
                    droppedBits.insert(new.index)
                    parts.dropped.inserted.append(new)
                } else {
                    parts.listed.inserted.append(new)
                }
            }
            // A document that left and returned unchanged is no change, but has another row.
            if let old = entry.old, let new = entry.new, table.areEqual(old, new) { continue }
            keys.append(entry.key)
            change.record(entry.old, entry.new)
        }
        if parts.isEmpty { return nil }
        if hasCollections { parts.subsets = collections.follow(edits.entries) }
        if !keys.isEmpty {
            rev += 1
            recentChanges.record(keys, rev: rev) { table.text(of: $0) }
        }
        tell(parts)
        if table.rowsInUse > table.count { requestRelease() }
        if keys.isEmpty { return nil }
        whenChanged?(change)
        return change
    }

    /// Tells observers what has changed, once everything else says so.
    private func tell(_ parts: ChangedParts) {
        following.willChange(rows: parts.rows) { parts.edits(in: $0) }
        if parts.dropped.isEmpty, parts.subsets.isEmpty {
            parts.listed.apply(to: observedListed)
            return
        }
        transaction {
            parts.listed.apply(to: observedListed)
            parts.dropped.apply(to: observedDropped)
            for (subset, edits) in parts.subsets { subset.tell(edits) }
        }
    }

    // MARK: Collections

    /// Replaces what is known of collections. A root that is in `leased`, or was, is outside of all lists that name no
    /// collection, as long as it has documents and is not in `roots`. If documents change sides, that is one change,
    /// of which the lists and `whenChanged` are told: to the roots they are added, or removed.
    /// - Parameters:
    ///   - known: all but that of all roots, by name.
    ///   - roots: the texts of the roots of the settings.
    ///   - leased: the texts of the other roots.
    /// - Complexity: O(n) for n documents if some change sides, and for each subset in use if `known` differs.
    package func setCollections(
        _ known: [String: DocumentCollections.Collection], roots: Set<String>, leased: Set<String>
    ) {
        ofFolders = (known, roots, leased)
        settleCollections()
    }

    /// Takes the collections of folders and those of sources together.
    func settleCollections() {
        let known = ofFolders.known.merging(sources.known) { folder, _ in folder }
        let areSame = collections.known.mapValues(\.areas) == known.mapValues(\.areas)
        let moved = collections.set(
            known, roots: ofFolders.roots, leased: ofFolders.leased.union(sources.roots))
        if areSame, moved.leaving.isEmpty, moved.arriving.isEmpty { return }
        var parts = ChangedParts()
        var change = DocumentChange(rev: rev + 1, of: table)
        droppedBits.grow(to: table.rowEnd)
        for row in moved.leaving {
            if droppedBits.remove(row.index) {
                parts.dropped.removed.append(row)
            } else {
                parts.listed.removed.append(row)
            }
            change.record(row, nil)
        }
        for row in moved.arriving {
            if table.isDropped(row) {
                droppedBits.insert(row.index)
                parts.dropped.inserted.append(row)
            } else {
                parts.listed.inserted.append(row)
            }
            change.record(nil, row)
        }
        parts.subsets = collections.refresh()
        if parts.isEmpty, parts.subsets.isEmpty { return }
        rev += 1
        let keys = (moved.leaving + moved.arriving).map { table.key(of: $0) }
        recentChanges.record(keys, rev: rev) { table.text(of: $0) }
        tell(parts)
        if !keys.isEmpty { whenChanged?(change) }
    }

    /// In debug builds, traps if the documents of a collection are not those of its folders.
    package func checkInvariants() {
        collections.checkInvariants()
        sources.checkInvariants()
    }
}
