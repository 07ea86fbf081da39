// The daemon's one set of documents.
//
// Documents are looked up by key and by path (root and relative path); both are unique at all times. `apply`
// makes each change in one step: before any observer is notified, both indexes and the revision include the
// whole change. An index entry is one pointer to the document, which contains its own key and path.
//
// The user's marks, `liked` and `dropped`, are part of a document's value. A dropped document is still found by
// key and path, but is in `dropped` instead of `listed`. A document is marked before it is inserted, so that no
// observer sees it without its marks.
//
// Callers need not be exact: removing a missing document has no effect, and an inserted document displaces
// those with its key or path. The actual change is computed here, once: observers and the caller get the same
// change, and it contains only documents that were there.

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

    fileprivate mutating func record(_ old: Document?, _ new: Document?) {
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

/// The set of documents with its indexes, revision and keys. Not thread-safe.
package final class DocumentStore {
    /// The identifier of this uninterrupted history of revisions.
    package let epoch: String
    /// Incremented by every change.
    package private(set) var rev = 0
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

    private let observedListed = SetVariable<Document>()
    private let observedDropped = SetVariable<Document>()
    private var recentChanges = RecentChanges(limit: 4096)
    /// The keys of dropped documents in the set.
    private var droppedKeys: Set<String> = []
    private var byKey: Set<ByKey> = []
    private var byPath: Set<ByPath> = []

    /// An empty set at revision 0.
    package init(epoch: String) {
        self.epoch = epoch
    }

    package var count: Int { byKey.count }

    /// All documents, in no order.
    package var documents: some Collection<Document> { byKey.lazy.map(\.document) }

    /// The number of dropped documents.
    package var droppedCount: Int { droppedKeys.count }

    /// The listed documents, observable. The indexes and the revision include a change before its observers are
    /// notified.
    package var listed: ObservableSet<Document> { observedListed.observableSet }

    /// The dropped documents, observable.
    package var dropped: ObservableSet<Document> { observedDropped.observableSet }

    /// All documents including dropped ones, observable. `listed` costs less.
    package private(set) lazy var all: ObservableSet<Document> =
        observedListed.observableSet.union(observedDropped.observableSet)

    /// The documents of a range.
    package func documents(in range: DocumentRange) -> ObservableSet<Document> {
        switch range {
        case .listed: listed
        case .dropped: dropped
        case .all: all
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

    /// - Complexity: O(1).
    package subscript(key key: String) -> Document? {
        byKey.element(equalTo: ByKey(document: .probe(key: key)))?.document
    }

    /// - Complexity: O(n) in the length of the path.
    package subscript(root root: String, path path: FileName) -> Document? {
        byPath.element(equalTo: ByPath(document: .probe(root: root, path: path)))?.document
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
        func remove(_ existing: Document) {
            removeFromIndexes(existing, &edit)
            if !marks.isEmpty, !arriving.contains(existing.key) { marks.detach(existing) }
        }
        for document in removed {
            if let existing = documentWithKey(of: document) { remove(existing) }
        }
        for document in inserted {
            if let existing = documentWithKey(of: document) { remove(existing) }
            if let existing = documentWithPath(of: document) { remove(existing) }
            addToIndexes(marked(document), &edit)
        }
        updateUnmarkedDocuments(&edit)
        return commit(edit)
    }

    /// Applies stored plans to documents, as one change. Plans for missing documents are kept for their return.
    /// - Complexity: O(k) for k plans.
    package func mark(_ plans: [MarkPlan]) {
        var edit = Edit()
        for plan in plans {
            guard let key = plan.key, let existing = self[key: key] else {
                marks.assign(waiting: plan)
                continue
            }
            marks.assign(plan, to: existing)
            remark(existing, &edit)
        }
        commit(edit)
    }

    /// Removes the marks of a document that turned out to be new: it has them only because it took another
    /// one's path.
    package func unmark(key: String) {
        guard let existing = self[key: key], !marks.marks(of: key).isEmpty else { return }
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
        for document in Array(documents) where marks.marks(of: document.key).isEmpty {
            guard marks.claim(by: document) != nil else { continue }
            remark(document, &edit)
        }
        updateUnmarkedDocuments(&edit)
        commit(edit)
    }

    // MARK: Edits

    /// An edit: each touched document before and after, in the order of the first touch.
    private struct Edit {
        private(set) var pairs: [(old: Document?, new: Document?)] = []
        private var indexes: [String: Int] = [:]

        /// Records that the document left the set or came into it.
        mutating func record(_ document: Document, isIn: Bool) {
            if let index = indexes[document.key] {
                pairs[index].new = isIn ? document : nil
            } else {
                indexes[document.key] = pairs.count
                pairs.append((isIn ? nil : document, isIn ? document : nil))
            }
        }
    }

    private struct SetEdit {
        var gone: Set<Document> = []
        var new: Set<Document> = []

        var isEmpty: Bool { gone.isEmpty && new.isEmpty }
        var change: SetChange<Document> { SetChange(removed: gone, inserted: new) }
    }

    /// The document in the set with the key of this one.
    private func documentWithKey(of document: Document) -> Document? {
        byKey.element(equalTo: ByKey(document: document))?.document
    }

    /// The document in the set with the path of this one.
    private func documentWithPath(of document: Document) -> Document? {
        byPath.element(equalTo: ByPath(document: document))?.document
    }

    private func removeFromIndexes(_ document: Document, _ edit: inout Edit) {
        byKey.remove(ByKey(document: document))
        byPath.remove(ByPath(document: document))
        if !droppedKeys.isEmpty { droppedKeys.remove(document.key) }
        edit.record(document, isIn: false)
    }

    private func addToIndexes(_ document: Document, _ edit: inout Edit) {
        let isDropped = !marks.isEmpty && marks.marks(of: document.key).contains(.dropped)
        let document = document.with(isDropped: isDropped)
        byKey.insert(ByKey(document: document))
        byPath.insert(ByPath(document: document))
        if isDropped { droppedKeys.insert(document.key) }
        edit.record(document, isIn: true)
    }

    /// The document with its marks, to be inserted.
    private func marked(_ document: Document) -> Document {
        guard !marks.isEmpty, let found = marks.claim(by: document),
            found.contains(.liked) != document.isLiked
        else { return document }
        return document.with(isLiked: !document.isLiked)
    }

    /// Gives a document in the set its current marks.
    private func remark(_ document: Document, _ edit: inout Edit) {
        removeFromIndexes(document, &edit)
        let isLiked = marks.marks(of: document.key).contains(.liked)
        addToIndexes(
            isLiked == document.isLiked ? document : document.with(isLiked: isLiked), &edit)
    }

    private func updateUnmarkedDocuments(_ edit: inout Edit) {
        for key in marks.takeUnmarkedKeys() {
            if let existing = self[key: key] { remark(existing, &edit) }
        }
    }

    @discardableResult
    private func commit(_ edit: Edit) -> DocumentChange? {
        var listed = SetEdit()
        var dropped = SetEdit()
        var keys: [String] = []
        var change = DocumentChange(rev: rev + 1)
        // A document that left and returned unchanged is no change.
        for (old, new) in edit.pairs where old != new {
            if let old {
                if old.isDropped { dropped.gone.insert(old) } else { listed.gone.insert(old) }
            }
            if let new {
                if new.isDropped { dropped.new.insert(new) } else { listed.new.insert(new) }
            }
            if let key = (new ?? old)?.key { keys.append(key) }
            change.record(old, new)
        }
        if keys.isEmpty { return nil }
        rev += 1
        recentChanges.record(keys, rev: rev)
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

/// A document in the index of paths.
private struct ByPath: Hashable {
    let document: Document

    static func == (left: ByPath, right: ByPath) -> Bool {
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
