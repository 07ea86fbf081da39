package import Observables

/// How often and how recently the documents were visited. Not thread-safe.
///
/// It reads what `DocumentMarks` keeps, where a visit follows its file as a like does. A score changes only by a visit,
/// or when its document is recognised or forgotten: never as time goes by, nor with the document itself. A change of it
/// is no change of the document, and makes no revision.
package final class VisitScores {
    /// Counts a visit of the document with that key, once it is stored. Nobody counts until it is set.
    package var record: ((_ key: String) -> Void)?
    private let marks: DocumentMarks
    private let signal = Signal<Set<String>>()

    init(of marks: DocumentMarks) {
        self.marks = marks
    }

    /// The keys of documents whose scores have changed, once for each change of the documents or of their marks, after
    /// the observers of the documents were told. A document may be gone by then, and one that has just come is among
    /// them if it has a score.
    package var changes: Source<Set<String>> { signal.source }

    /// The documents with a score, those among them that are missing.
    package var count: Int { marks.visitedCount }

    /// The keys of the documents with a score, but for missing ones; in no order.
    /// - Complexity: O(n) for n marks.
    package var keys: [String] { marks.visitedKeys }

    /// The score of the document with that key; nil if it was not visited, or so long ago that it was forgotten.
    /// - Complexity: O(1).
    package func score(of key: String) -> VisitScore? { marks.visits(of: key) }

    /// Tells which scores have changed.
    func tell() {
        let keys = marks.takeRescoredKeys()
        if !keys.isEmpty { signal.send(keys) }
    }
}
