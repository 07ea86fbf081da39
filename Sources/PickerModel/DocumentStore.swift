// The one set of documents that the daemon has, for all who look at it.
//
// Documents are found by key and by place (root and path); both are unique at every moment. What
// changes, changes in one step with `apply`: the two indexes and the revision are those after the
// change by the time that anyone is told, and nobody sees a part of it. An index entry is one
// pointer to the document, which has what it is looked up by.
//
// The set doesn't trust what it is told to be exact: removing what isn't there is passed over, and
// a document displaces those that have its key or its place. What really changed is handed on, so
// that who follows never hears of a removal of what it never had.

package import Observables

/// What one step changed; never empty, and no document is in both.
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

    private let observed = SetVariable<Document>()
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

    /// All documents, to be observed. The indexes and the revision are those after the change by
    /// the time that an observer is told of it.
    package var all: ObservableSet<Document> { observed.observableSet }

    /// The token of the present revision: what a client shows to go on from here.
    package var token: String { token(at: rev) }

    /// The token of a revision.
    package func token(at rev: Int) -> String { "\(epoch):\(rev)" }

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
        var gone: Set<Document> = []
        var new: Set<Document> = []
        func takeOut(_ document: Document) {
            byKey.remove(ByKey(document: document))
            byPlace.remove(ByPlace(document: document))
            if new.remove(document) == nil { gone.insert(document) }
        }
        for document in removed {
            if let held = self[key: document.key] { takeOut(held) }
        }
        for document in inserted {
            if let held = self[key: document.key] { takeOut(held) }
            if let held = self[root: document.root, path: document.path] { takeOut(held) }
            byKey.insert(ByKey(document: document))
            byPlace.insert(ByPlace(document: document))
            if gone.remove(document) == nil { new.insert(document) }
        }
        guard !gone.isEmpty || !new.isEmpty else { return nil }
        rev += 1
        observed.apply(SetChange(removed: gone, inserted: new))
        return DocumentChange(removed: gone, inserted: new, rev: rev)
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
