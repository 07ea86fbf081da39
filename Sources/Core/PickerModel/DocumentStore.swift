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

/// The change of one step, in the order of the request. A document is in one of the lists, or in none if only
/// its marks changed.
package struct DocumentChange {
    package private(set) var added: [Document] = []
    package private(set) var removed: [Document] = []
    /// Same key and path; another file, or other contents or times.
    package private(set) var changed: [(old: Document, new: Document)] = []
    /// Same key, another path; the rest may differ too.
    package private(set) var moved: [(old: Document, new: Document)] = []
    /// The revision after the change.
    package let rev: Int

    fileprivate init(rev: Int) {
        self.rev = rev
    }

    fileprivate mutating func record(
        _ old: DocumentRow?, _ new: DocumentRow?, of table: DocumentTable
    ) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let new?): added.append(table.document(of: new))
        case (let old?, nil): removed.append(table.document(of: old))
        case (let old?, let new?):
            if !table.arePlacesEqual(old, new) {
                moved.append((table.document(of: old), table.document(of: new)))
            } else if table.facts(of: old) != table.facts(of: new) {
                changed.append((table.document(of: old), table.document(of: new)))
            }
        }
    }
}

/// The set of documents with its revision and keys. Not thread-safe.
package final class DocumentStore {
    /// The identifier of this uninterrupted history of revisions.
    package let epoch: String
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

    /// The hold during which the set must not be changed.
    package let hold = ChangeHold()

    /// The user's marks. For documents in the set, only `mark` changes them.
    package let marks = DocumentMarks()

    /// What the orders of the documents change at once.
    package let following = OrderFollowing()

    /// Called when there are freed rows, and not again before `releaseFreedRows`.
    package var whenRowsAreFreed: (() -> Void)?
    /// Called with the reason when a document has no room in the table. It is in no list then.
    package var whenRefused: ((DocumentTableError) -> Void)?
    private var isReleaseDue = false

    private let observedListed = SetVariable<DocumentRow>()
    private let observedDropped = SetVariable<DocumentRow>()
    private var recentChanges = RecentChanges(limit: 4096)
    private var droppedBits = RowBitset()

    /// An empty set at revision 0.
    package init(epoch: String, table: DocumentTable = DocumentTable()) {
        self.epoch = epoch
        self.table = table
        table.folders.removesUnused = true
    }

    package var count: Int { table.count }

    /// All documents, in no order.
    /// - Complexity: O(n).
    package var documents: [Document] {
        table.current.map { table.document(of: DocumentRow(UInt32($0))) }
    }

    /// The number of dropped documents.
    package var droppedCount: Int { droppedBits.count }

    /// The listed documents, observable. The table and the revision include a change before its observers are
    /// notified.
    package var listed: ObservableSet<DocumentRow> { observedListed.observableSet }

    /// The dropped documents, observable.
    package var dropped: ObservableSet<DocumentRow> { observedDropped.observableSet }

    /// All documents including dropped ones, observable. `listed` costs less.
    package private(set) lazy var all: ObservableSet<DocumentRow> =
        observedListed.observableSet.union(observedDropped.observableSet)

    /// The documents of a range.
    package func documents(in range: DocumentRange) -> ObservableSet<DocumentRow> {
        switch range {
        case .listed: listed
        case .dropped: dropped
        case .all: all
        }
    }

    /// The documents of a range as bits.
    /// - Complexity: O(1) if no document is dropped, else O(n / 64).
    package func bits(in range: DocumentRange) -> RowBitset {
        switch range {
        case .all: return table.current
        case .dropped: return droppedBits
        case .listed:
            if droppedBits.isEmpty { return table.current }
            var bits = table.current
            bits.subtract(droppedBits)
            return bits
        }
    }

    /// 64 of the bits of a range.
    func word(_ index: Int, in range: DocumentRange) -> UInt64 {
        switch range {
        case .all: table.current[word: index]
        case .dropped: droppedBits[word: index]
        case .listed: table.current[word: index] & ~droppedBits[word: index]
        }
    }

    /// The number of documents of a range.
    func count(in range: DocumentRange) -> Int {
        switch range {
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
    /// than the remembered changes.
    /// - Complexity: O(k) for k changes.
    package func keysChanged(after rev: Int) -> Set<String>? { recentChanges.keys(after: rev) }

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
    package func mintKey() -> String {
        defer { nextKeyNumber += 1 }
        return "f" + String(nextKeyNumber, radix: 36)
    }

    /// Removes documents by key, then inserts others, as one change.
    ///
    /// An inserted document displaces those with its key or path; of several with the same key or path, the
    /// last stays.
    /// - Returns: nil, without a new revision, if nothing differs in the end.
    /// - Complexity: O(k) for k documents given.
    @discardableResult
    package func apply(removed: [Document] = [], inserted: [Document] = []) -> DocumentChange? {
        var edit = Edit()
        // Documents that return under their keys keep their marks.
        let arriving = marks.isEmpty ? [] : Set(inserted.map(\.key))
        // One that returns is replaced at once, rather than removed and added.
        let returning = Set(inserted.map(\.key))
        for document in removed where !returning.contains(document.key) {
            if let existing = row(key: document.key) { remove(existing, unless: arriving, &edit) }
        }
        for document in inserted { insert(document, arriving, &edit) }
        updateUnmarkedDocuments(&edit)
        return commit(edit)
    }

    /// Announces that about so many documents will be changed, by one `apply` or several. Orders that have very many
    /// documents need not follow the first of them, and fall behind at once; without it, they do at the first change
    /// that is great.
    package func announceBulk(_ count: Int) { following.willChangeSoon(count) }

    /// Applies stored plans to documents, as one change. Plans for missing documents are kept for their return.
    /// - Complexity: O(k) for k plans.
    package func mark(_ plans: [MarkPlan]) {
        var edit = Edit()
        for plan in plans {
            guard let key = plan.key, let existing = row(key: key) else {
                marks.assign(waiting: plan)
                continue
            }
            marks.assign(plan, to: table.document(of: existing))
            remark(existing, &edit)
        }
        commit(edit)
    }

    /// Removes the marks of a document that turned out to be new: it has them only because it took another
    /// one's path.
    package func unmark(key: String) {
        guard let existing = row(key: key), !marks.marks(of: key).isEmpty else { return }
        var edit = Edit()
        marks.unmark(key: key)
        remark(existing, &edit)
        commit(edit)
    }

    /// Restores stored marks, for present and future documents.
    /// - Complexity: O(n) for n documents, if there are any.
    package func restoreMarks(_ stored: [StoredMark]) {
        marks.restore(stored)
        var edit = Edit()
        for index in table.current {
            let row = DocumentRow(UInt32(index))
            let key = table.text(of: table.key(of: row))
            guard marks.marks(of: key).isEmpty,
                marks.claim(by: table.document(of: row)) != nil
            else { continue }
            remark(row, &edit)
        }
        updateUnmarkedDocuments(&edit)
        commit(edit)
    }

    /// Lets freed rows be used again. Call it between two turns, when no observer is being notified.
    package func releaseFreedRows() {
        isReleaseDue = false
        // Some are held: they are released after the next change.
        table.releaseFreedRows()
    }

    // MARK: Edits

    /// An edit: the rows of each touched document before and after, in the order of the first touch.
    private struct Edit {
        private(set) var pairs: [(key: KeyNumber, old: DocumentRow?, new: DocumentRow?)] = []
        private var indexes: [KeyNumber: Int] = [:]

        /// Records that a document has another row, or is new or gone.
        mutating func record(_ key: KeyNumber, from old: DocumentRow?, to new: DocumentRow?) {
            if let index = indexes[key] {
                pairs[index].new = new
            } else {
                indexes[key] = pairs.count
                pairs.append((key, old, new))
            }
        }
    }

    private struct SetEdit {
        var gone: Set<DocumentRow> = []
        var new: Set<DocumentRow> = []

        var isEmpty: Bool { gone.isEmpty && new.isEmpty }
        var change: SetChange<DocumentRow> { SetChange(removed: gone, inserted: new) }
    }

    private func remove(_ row: DocumentRow, unless arriving: Set<String>, _ edit: inout Edit) {
        edit.record(table.key(of: row), from: row, to: nil)
        table.remove(row)
        detach(row, unless: arriving)
    }

    /// Lets the mark of a document that is gone wait for it, unless it comes back.
    private func detach(_ row: DocumentRow, unless arriving: Set<String>) {
        if marks.isEmpty { return }
        let document = table.document(of: row)
        if !arriving.contains(document.key) { marks.detach(document) }
    }

    private func insert(_ document: Document, _ arriving: Set<String>, _ edit: inout Edit) {
        do {
            let key = try table.makeKey(document.key)
            if marks.isEmpty, let existing = table.row(of: key),
                table.hasValue(
                    of: document, isLiked: document.isLiked, isDropped: false, existing)
            {
                return
            }
            let placed = try table.put(key, document, isLiked: document.isLiked, isDropped: false)
            if let displaced = placed.displaced {
                edit.record(table.key(of: displaced), from: displaced, to: nil)
                detach(displaced, unless: arriving)
            }
            edit.record(key, from: placed.replaced, to: placed.row)
            guard !marks.isEmpty, let found = marks.claim(by: document) else { return }
            let isDropped = found.contains(.dropped)
            guard found.contains(.liked) != document.isLiked || isDropped else { return }
            let marked = try table.mark(
                placed.row, isLiked: found.contains(.liked), isDropped: isDropped)
            edit.record(key, from: placed.row, to: marked)
        } catch {
            whenRefused?(error)
        }
    }

    /// Gives a document in the set its current marks.
    private func remark(_ row: DocumentRow, _ edit: inout Edit) {
        let key = table.key(of: row)
        let marks = marks.marks(of: table.text(of: key))
        do {
            let marked = try table.mark(
                row, isLiked: marks.contains(.liked), isDropped: marks.contains(.dropped))
            edit.record(key, from: row, to: marked)
        } catch {
            whenRefused?(error)
        }
    }

    private func updateUnmarkedDocuments(_ edit: inout Edit) {
        for key in marks.takeUnmarkedKeys() {
            if let existing = row(key: key) { remark(existing, &edit) }
        }
    }

    @discardableResult
    private func commit(_ edit: Edit) -> DocumentChange? {
        var listed = SetEdit()
        var dropped = SetEdit()
        var keys: [String] = []
        var change = DocumentChange(rev: rev + 1)
        droppedBits.grow(to: table.rowEnd)
        for (key, old, new) in edit.pairs where old != new {
            if let old {
                if droppedBits.remove(old.index) {
                    dropped.gone.insert(old)
                } else {
                    listed.gone.insert(old)
                }
            }
            if let new {
                if table.isDropped(new) {
                    droppedBits.insert(new.index)
                    dropped.new.insert(new)
                } else {
                    listed.new.insert(new)
                }
            }
            // A document that left and returned unchanged is no change, but has another row.
            if let old, let new, table.areEqual(old, new) { continue }
            keys.append(table.text(of: key))
            change.record(old, new, of: table)
        }
        if listed.isEmpty, dropped.isEmpty { return nil }
        if !keys.isEmpty {
            rev += 1
            recentChanges.record(keys, rev: rev)
        }
        following.willChange(
            listed: listed.gone.count + listed.new.count,
            dropped: dropped.gone.count + dropped.new.count)
        if dropped.isEmpty {
            observedListed.apply(listed.change)
        } else {
            transaction {
                observedListed.apply(listed.change)
                observedDropped.apply(dropped.change)
            }
        }
        if !isReleaseDue, table.rowsInUse > table.count {
            isReleaseDue = true
            whenRowsAreFreed?()
        }
        return keys.isEmpty ? nil : change
    }
}
