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
// a document displaces those that have its key or its place. What really changed is worked out here, once: the
// same change goes to the observers and back to the caller, and a removal is never one of what was not there.

package import Observables

/// What one step changed, in the order in which it was asked for. A document is in one of the lists, or in
/// none if only its marks are others.
package struct DocumentChange {
    package private(set) var added: [Document] = []
    package private(set) var removed: [Document] = []
    /// Same key and place; another file, or other contents or times.
    package private(set) var changed: [(old: Document, new: Document)] = []
    /// Same key, another place; the rest may differ too.
    package private(set) var moved: [(old: Document, new: Document)] = []
    /// The revision that the change made.
    package let rev: Int

    fileprivate init(rev: Int) {
        self.rev = rev
    }

    fileprivate mutating func note(_ old: Document?, _ new: Document?) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let new?): added.append(new)
        case (let old?, nil): removed.append(old)
        case (let old?, let new?):
            if old.path != new.path || !old.root.hasBytes(of: new.root) {
                moved.append((old, new))
            } else if !old.hasFile(of: new) {
                changed.append((old, new))
            }
        }
    }
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
            if let held = holder(ofKey: document) { remove(held) }
        }
        for document in inserted {
            if let held = holder(ofKey: document) { remove(held) }
            if let held = holder(ofPlace: document) { remove(held) }
            put(marked(document), &edit)
        }
        takeMarksFromBereft(&edit)
        return commit(edit)
    }

    /// Marks documents as was planned and stored, as one change. Plans for documents that are not there
    /// any more are kept for their return.
    /// - Complexity: O(k) for k plans.
    package func mark(_ plans: [MarkPlan]) {
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
        commit(edit)
    }

    /// Takes away what a document is marked with: it is known to be a new one, and has its marks only
    /// because another had its place before.
    package func unmark(key: String) {
        guard let held = self[key: key], !marks.marks(of: key).isEmpty else { return }
        var edit = Edit()
        takeOut(held, &edit)
        marks.unmark(key: key)
        put(remarked(held), &edit)
        commit(edit)
    }

    /// Takes over marks that were stored, for the documents that are there and those to come.
    /// - Complexity: O(n) for n documents, if there are any.
    package func restoreMarks(_ stored: [StoredMark]) {
        marks.restore(stored)
        var edit = Edit()
        for document in Array(documents) where marks.marks(of: document.key).isEmpty {
            guard marks.meet(document) != nil else { continue }
            takeOut(document, &edit)
            put(remarked(document), &edit)
        }
        takeMarksFromBereft(&edit)
        commit(edit)
    }

    // MARK: Edits

    /// What is being changed: each document that was touched, as it was before and as it is now, in the order
    /// in which they were first touched.
    private struct Edit {
        private(set) var pairs: [(old: Document?, new: Document?)] = []
        private var indexes: [String: Int] = [:]

        mutating func takeOut(_ document: Document) {
            if let index = indexes[document.key] {
                pairs[index].new = nil
            } else {
                indexes[document.key] = pairs.count
                pairs.append((document, nil))
            }
        }

        mutating func put(_ document: Document) {
            if let index = indexes[document.key] {
                pairs[index].new = document
            } else {
                indexes[document.key] = pairs.count
                pairs.append((nil, document))
            }
        }
    }

    private struct SetEdit {
        var gone: Set<Document> = []
        var new: Set<Document> = []

        var isEmpty: Bool { gone.isEmpty && new.isEmpty }
        var change: SetChange<Document> { SetChange(removed: gone, inserted: new) }
    }

    /// The document in the set that has the key of this one.
    private func holder(ofKey document: Document) -> Document? {
        byKey.element(equalTo: ByKey(document: document))?.document
    }

    /// The document in the set that has the place of this one.
    private func holder(ofPlace document: Document) -> Document? {
        byPlace.element(equalTo: ByPlace(document: document))?.document
    }

    private func takeOut(_ document: Document, _ edit: inout Edit) {
        byKey.remove(ByKey(document: document))
        byPlace.remove(ByPlace(document: document))
        if !droppedKeys.isEmpty { droppedKeys.remove(document.key) }
        edit.takeOut(document)
    }

    private func put(_ document: Document, _ edit: inout Edit) {
        let isDropped = !marks.isEmpty && marks.marks(of: document.key).contains(.dropped)
        let document = document.with(isDropped: isDropped)
        byKey.insert(ByKey(document: document))
        byPlace.insert(ByPlace(document: document))
        if isDropped { droppedKeys.insert(document.key) }
        edit.put(document)
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

    @discardableResult
    private func commit(_ edit: Edit) -> DocumentChange? {
        var listed = SetEdit()
        var dropped = SetEdit()
        var keys: [String] = []
        var change = DocumentChange(rev: rev + 1)
        // What left and came back as it was is no change.
        for (old, new) in edit.pairs where old != new {
            if let old {
                if old.isDropped { dropped.gone.insert(old) } else { listed.gone.insert(old) }
            }
            if let new {
                if new.isDropped { dropped.new.insert(new) } else { listed.new.insert(new) }
            }
            if let key = (new ?? old)?.key { keys.append(key) }
            change.note(old, new)
        }
        if keys.isEmpty { return nil }
        rev += 1
        recentChanges.note(keys, rev: rev)
        if dropped.isEmpty {
            observedListed.apply(listed.change)
        } else {
            transaction {
                observedListed.apply(listed.change)
                observedDropped.apply(dropped.change)
            }
        }
        return change
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
