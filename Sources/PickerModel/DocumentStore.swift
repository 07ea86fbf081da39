package import Observables

/// The documents of the daemon: one set, one history, for everything that serves them.
///
/// It holds the set as an observable, and finds a document by its key or its place. Each change is
/// one transaction and the next revision; observers are told after the set, the indices and the
/// revision agree.
///
/// Invariants: a key names one document, and so does a root with a path.
package final class DocumentStore {
    /// Names this history. Another run of the daemon has another one.
    package let epoch: String
    /// The number of changes made so far.
    package private(set) var rev = 0
    /// Whether the set is all there is on disk. While a first scan is under way it isn't.
    package let isComplete = Variable(true)

    private let observed = SetVariable<Document>()
    /// The documents by their keys.
    package private(set) var documents: [String: Document] = [:]
    private var byPlace: [Place: Document] = [:]
    private var lastKey = 0

    private struct Place: Hashable {
        let root: String
        let path: FileName
    }

    package init(epoch: String = "0") {
        self.epoch = epoch
    }

    /// The documents, to be observed.
    package var all: ObservableSet<Document> { observed.observableSet }

    package var count: Int { documents.count }

    /// What names the current state: the epoch and the revision.
    package var token: String { token(at: rev) }

    package func token(at rev: Int) -> String { "\(epoch):\(rev)" }

    /// The document of that key.
    /// - Complexity: O(1).
    package func document(_ key: String) -> Document? { documents[key] }

    /// The document at `path`, relative to `root`.
    /// - Complexity: O(1).
    package func document(root: String, path: FileName) -> Document? {
        byPlace[Place(root: root, path: path)]
    }

    /// A key that no document has had: `f` and a number in base 36.
    package func makeKey() -> String {
        lastKey += 1
        return "f" + String(lastKey, radix: 36)
    }

    /// Makes one change of the set: the old values of what is gone or changed, the new ones of what
    /// has changed or is new.
    ///
    /// - Returns: the revision that it made.
    /// - Complexity: O(documents given), and what the observers do.
    @discardableResult
    package func apply(removed: [Document], inserted: [Document]) -> Int {
        for document in removed {
            let known = documents.removeValue(forKey: document.key)
            precondition(known == document, "\(document) is not in the store")
            byPlace[Place(root: document.root, path: document.path)] = nil
        }
        for document in inserted {
            let former = documents.updateValue(document, forKey: document.key)
            precondition(former == nil, "\(document) has a key that is in use")
            byPlace[Place(root: document.root, path: document.path)] = document
        }
        rev += 1
        observed.apply(SetChange(removed: Set(removed), inserted: Set(inserted)))
        return rev
    }
}
