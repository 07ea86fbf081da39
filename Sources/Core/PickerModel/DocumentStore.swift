// The one set of documents that the daemon has, for all who look at it.
//
// Documents are found by key and by place (root and path); both are unique at every moment. What
// changes, changes in one step with `apply`: the two indexes and the revision are those after the
// change by the time that anyone is told, and nobody sees a part of it. An index entry is one
// pointer to the document, which has what it is looked up by.
//
// Each document is marked as the user wants it: `liked` and `dropped` are parts of its value; one that is
// dropped is found by key and by place as ever, and is not `listed` but in `dropped`. A document is marked before it is put
// in, so nobody sees it without its mark for a moment.
//
// The set doesn't trust what it is told to be exact: removing what isn't there is passed over, and
// a document displaces those that have its key or its place. What really changed is handed on, so
// that who follows never hears of a removal of what it never had.

package import Observables

/// What one step changed; no document is in both. Both are empty if documents were only dropped, or
/// taken back into the lists.
package struct DocumentChange: Sendable {
    package let removed: Set<Document>
    package let inserted: Set<Document>
    /// The revision that the change made.
    package let rev: Int
}

/// The set of documents, with its lookups, revision and keys. Not for use on several threads.
package final class DocumentStore {
    /// Names this uninterrupted history of revisions.
    package let epoch: String
    /// Grows by one with every change.
    package private(set) var rev = 0
    /// The number of the next key; a store that goes on where another ended starts with that one's.
    package private(set) var nextKeyNumber: UInt64

    /// Whether the set is all there is on disk. While a first scan is under way it is not.
    package let isComplete = Variable(true)
    /// The same, for those who only ask.
    package var isWhole: Bool { isComplete.value }

    /// Whether others are to leave the set as it is for now.
    package let hold = ChangeHold()

    /// What the user has said of documents. What it says of those that are in the set is changed by
    /// `mark` alone.
    package let marks = DocumentMarks()

    private let observedListed = SetVariable<Document>()
    private let observedDropped = SetVariable<Document>()
    private var recentChanges = RecentChanges(limit: 4096)
    /// The keys of documents in the set that are dropped.
    private var droppedKeys: Set<String> = []
    private var byKey: Set<ByKey> = []
    private var byPlace: Set<ByPlace> = []

    /// An empty set at revision 0.
    package init(epoch: String, nextKeyNumber: UInt64 = 0) {
        self.epoch = epoch
        self.nextKeyNumber = nextKeyNumber
    }

    package var count: Int { byKey.count }

    /// All documents, in no order.
    package var documents: some Collection<Document> { byKey.lazy.map(\.document) }

    /// The documents that lists show, in no order: all but those that are dropped.
    package var listedDocuments: some Collection<Document> {
        documents.lazy.filter { [droppedKeys] in !droppedKeys.contains($0.key) }
    }

    /// How many documents are dropped.
    package var droppedCount: Int { droppedKeys.count }

    /// The documents that lists show, to be observed. The indexes and the revision are those after the
    /// change by the time that an observer is told of it.
    package var listed: ObservableSet<Document> { observedListed.observableSet }

    /// The documents that are dropped, to be observed.
    package var dropped: ObservableSet<Document> { observedDropped.observableSet }

    /// All documents, those that are dropped too, to be observed. `listed` costs less.
    package private(set) lazy var all: ObservableSet<Document> =
        observedListed.observableSet.union(observedDropped.observableSet)

    /// The documents of one of these three.
    package func documents(in range: DocumentRange) -> ObservableSet<Document> {
        switch range {
        case .listed: listed
        case .dropped: dropped
        case .all: all
        }
    }

    /// The token of the present revision: what a client shows to go on from here.
    package var token: String { token(at: rev) }

    /// The token of a revision.
    package func token(at rev: Int) -> String { "\(epoch):\(rev)" }

    /// The keys of documents that revisions after `rev` put in, changed or took out; nil if more have been
    /// changed since than are remembered.
    /// - Complexity: O(k) for k changes.
    package func keysChanged(after rev: Int) -> Set<String>? { recentChanges.keys(after: rev) }

    /// - Complexity: O(1).
    package subscript(key key: String) -> Document? {
        byKey.element(equalTo: ByKey(document: .probe(key: key)))?.document
    }

    /// - Complexity: O(n) in the length of the path.
    package subscript(root root: String, path path: FileName) -> Document? {
        byPlace.element(equalTo: ByPlace(document: .probe(root: root, path: path)))?.document
    }

    /// A key that this store never gave before: `f` and a number to the base of 36.
    package func mintKey() -> String {
        defer { nextKeyNumber += 1 }
        return "f" + String(nextKeyNumber, radix: 36)
    }

    /// Takes documents out by their keys, then puts others in, as one change.
    ///
    /// A document that is put in displaces those with its key or its place; of several with the
    /// same key or place, the last stays. Nil, and no new revision, if nothing differs in the end.
    /// - Complexity: O(k) for k documents given.
    @discardableResult
    package func apply(removed: [Document] = [], inserted: [Document] = []) -> DocumentChange? {
        var edit = Edit()
        // Those that come back under their keys keep their marks by these.
        let arriving = marks.isEmpty ? [] : Set(inserted.map(\.key))
        func remove(_ held: Document) {
            takeOut(held, &edit)
            if !marks.isEmpty, !arriving.contains(held.key) { marks.leave(held) }
        }
        for document in removed {
            if let held = self[key: document.key] { remove(held) }
        }
        for document in inserted {
            if let held = self[key: document.key] { remove(held) }
            if let held = self[root: document.root, path: document.path] { remove(held) }
            put(marked(document), &edit)
        }
        takeMarksFromBereft(&edit)
        return commit(edit)
    }

    /// Marks documents as was planned and stored, as one change. Plans for documents that are not there
    /// any more are kept for their return.
    /// - Complexity: O(k) for k plans.
    @discardableResult
    package func mark(_ plans: [MarkPlan]) -> DocumentChange? {
        var edit = Edit()
        for plan in plans {
            guard let key = plan.key, let held = self[key: key] else {
                marks.assign(waiting: plan)
                continue
            }
            takeOut(held, &edit)
            marks.assign(plan, to: held)
            put(remarked(held), &edit)
        }
        return commit(edit)
    }

    /// Takes away what a document is marked with: it is known to be a new one, and has its marks only
    /// because another had its place before.
    @discardableResult
    package func unmark(key: String) -> DocumentChange? {
        guard let held = self[key: key], !marks.marks(of: key).isEmpty else { return nil }
        var edit = Edit()
        takeOut(held, &edit)
        marks.unmark(key: key)
        put(remarked(held), &edit)
        return commit(edit)
    }

    /// Takes over marks that were stored, for the documents that are there and those to come.
    /// - Complexity: O(n) for n documents, if there are any.
    @discardableResult
    package func restoreMarks(_ stored: [StoredMark]) -> DocumentChange? {
        marks.restore(stored)
        var edit = Edit()
        for document in Array(documents) where marks.marks(of: document.key).isEmpty {
            guard marks.meet(document) != nil else { continue }
            takeOut(document, &edit)
            put(remarked(document), &edit)
        }
        takeMarksFromBereft(&edit)
        return commit(edit)
    }

    // MARK: Edits

    /// What is being changed. What leaves and comes back as it was is in neither set.
    private struct Edit {
        var listed = SetEdit()
        var dropped = SetEdit()
    }

    private struct SetEdit {
        var gone: Set<Document> = []
        var new: Set<Document> = []

        mutating func takeOut(_ document: Document) {
            if new.remove(document) == nil { gone.insert(document) }
        }

        mutating func put(_ document: Document) {
            if gone.remove(document) == nil { new.insert(document) }
        }

        var isEmpty: Bool { gone.isEmpty && new.isEmpty }
        var change: SetChange<Document> { SetChange(removed: gone, inserted: new) }
    }

    private func takeOut(_ document: Document, _ edit: inout Edit) {
        byKey.remove(ByKey(document: document))
        byPlace.remove(ByPlace(document: document))
        if !droppedKeys.isEmpty, droppedKeys.remove(document.key) != nil {
            edit.dropped.takeOut(document)
        } else {
            edit.listed.takeOut(document)
        }
    }

    private func put(_ document: Document, _ edit: inout Edit) {
        let isDropped = !marks.isEmpty && marks.marks(of: document.key).contains(.dropped)
        let document = document.with(isDropped: isDropped)
        byKey.insert(ByKey(document: document))
        byPlace.insert(ByPlace(document: document))
        if isDropped {
            droppedKeys.insert(document.key)
            edit.dropped.put(document)
        } else {
            edit.listed.put(document)
        }
    }

    /// A document as it is to be put in.
    private func marked(_ document: Document) -> Document {
        guard !marks.isEmpty, let found = marks.meet(document),
            found.contains(.liked) != document.isLiked
        else { return document }
        return document.with(isLiked: !document.isLiked)
    }

    /// A document that was put in, as it is marked now.
    private func remarked(_ document: Document) -> Document {
        let isLiked = marks.marks(of: document.key).contains(.liked)
        return isLiked == document.isLiked ? document : document.with(isLiked: isLiked)
    }

    private func takeMarksFromBereft(_ edit: inout Edit) {
        for key in marks.takeBereft() {
            guard let held = self[key: key] else { continue }
            takeOut(held, &edit)
            put(remarked(held), &edit)
        }
    }

    /// Remembers whose documents an edit changed; one that is another now counts once.
    private func note(_ side: SetEdit) {
        if side.gone.isEmpty {
            recentChanges.note(side.new.lazy.map(\.key), rev: rev)
        } else {
            let keys = Set(side.gone.lazy.map(\.key)).union(side.new.lazy.map(\.key))
            recentChanges.note(keys, rev: rev)
        }
    }

    private func commit(_ edit: Edit) -> DocumentChange? {
        guard !edit.listed.isEmpty || !edit.dropped.isEmpty else { return nil }
        rev += 1
        note(edit.listed)
        note(edit.dropped)
        if edit.dropped.isEmpty {
            observedListed.apply(edit.listed.change)
            return DocumentChange(removed: edit.listed.gone, inserted: edit.listed.new, rev: rev)
        }
        transaction {
            observedListed.apply(edit.listed.change)
            observedDropped.apply(edit.dropped.change)
        }
        // One that passed from one side to the other, and is else as it was, is left out.
        let gone = edit.listed.gone.union(edit.dropped.gone.map { $0.with(isDropped: false) })
        let new = edit.listed.new.union(edit.dropped.new.map { $0.with(isDropped: false) })
        return DocumentChange(
            removed: gone.subtracting(new), inserted: new.subtracting(gone), rev: rev)
    }
}

/// A document in the index of keys.
private struct ByKey: Hashable {
    let document: Document

    static func == (left: ByKey, right: ByKey) -> Bool {
        left.document.key == right.document.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(document.key)
    }
}

/// A document in the index of places.
private struct ByPlace: Hashable {
    let document: Document

    static func == (left: ByPlace, right: ByPlace) -> Bool {
        left.document.path == right.document.path
            && left.document.root.hasBytes(of: right.document.root)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(document.path)
    }
}

extension Set {
    fileprivate func element(equalTo probe: Element) -> Element? {
        firstIndex(of: probe).map { self[$0] }
    }
}
