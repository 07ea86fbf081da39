// A query of all documents in slices.
//
// Matching very many documents takes longer than the loop may be blocked. So a few are matched at a time, while
// the set keeps changing. A document is a value, and the result of a query for it never changes: earlier
// results stay right. Documents that leave the set are skipped or their results removed, and new ones are
// matched too. When none is left, the results are those of the set at that moment, as if all had been matched
// then.

package import Observables

/// The results of a query for each document of a set, computed in slices.
package final class DocumentSurvey: SlicedWork {
    /// The most steps that keeping statistics up to date may take for one change of the documents.
    private static let mostForChange = 400_000

    package let query: DocumentQuery
    /// Whether every document has been matched.
    package private(set) var isDone = false
    /// The steps taken so far.
    package private(set) var stepsTaken = 0

    private let documents: ObservableSet<Document>
    private var tally: DocumentTally?
    private var following: Connection?

    /// The documents of the start, from the next one on. Retains the set's storage, and with it the documents,
    /// so that identities stay unique.
    private var remaining: Set<Document>.Iterator?
    /// The documents inserted since the start; those from `nextArrival` on are not matched yet. Retained for
    /// the same reason.
    private var arrivals: [Document] = []
    private var nextArrival = 0
    /// Removed documents that are not known to match: not matched yet, or not matching.
    private var gone: Set<ObjectIdentifier> = []
    /// The documents found to match.
    private var matches: Set<ObjectIdentifier> = []

    /// Does nothing yet: the first slice begins the work. Of the matching documents it keeps statistics, which
    /// stay up to date, or else the result for each document, until the survey is released.
    package init(
        of documents: ObservableSet<Document>, for query: DocumentQuery,
        keepsStatistics: Bool = false
    ) {
        self.documents = documents
        self.query = query
        if keepsStatistics { tally = DocumentTally() }
    }

    /// The fixed cost per document: accessing it, and storing or adding up the result.
    private var fixed: Int { tally == nil ? 4 : 24 }

    /// The approximate number of steps per document, whatever its name.
    package var stepsPerDocument: Int { fixed + query.stepsPerDocument }

    /// Matches documents for `budget` steps, or a little more.
    /// - Returns: whether all have been matched.
    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        if following == nil { begin() }
        var steps = 0
        while steps < budget {
            guard let document = nextDocument() else {
                end()
                break
            }
            steps += 1
            guard gone.remove(document.identity) == nil else { continue }
            steps += fixed
            match(document, steps: &steps)
        }
        stepsTaken += steps
        return isDone
    }

    /// The next document to match: one of the start, then one that was inserted since.
    private func nextDocument() -> Document? {
        if let document = remaining?.next() { return document }
        guard nextArrival < arrivals.count else { return nil }
        defer { nextArrival += 1 }
        return arrivals[nextArrival]
    }

    /// The result for a document of the set; nil if the survey is incomplete.
    package func answer(for document: Document) -> Bool? {
        isDone && nextArrival == arrivals.count ? matches.contains(document.identity) : nil
    }

    /// The statistics of the documents found to match so far; nil once a change would have taken too long to
    /// follow.
    package var statistics: DocumentStatistics? { tally?.summary }

    private func begin() {
        remaining = documents.value.makeIterator()
        following = documents.changes.connect { [unowned self] change in follow(change) }
    }

    private func match(_ document: Document, steps: inout Int) {
        let isMatch = query.matches(document, steps: &steps)
        guard isMatch else { return }
        matches.insert(document.identity)
        tally?.add(document)
    }

    private func end() {
        isDone = true
        // Statistics are kept without the results.
        guard tally != nil else { return }
        matches = []
        gone = []
        remaining = nil
        arrivals = []
    }

    private func follow(_ change: SetChange<Document>) {
        if isDone, tally != nil { return count(change) }
        for document in change.removed {
            if matches.remove(document.identity) != nil {
                tally?.remove(document)
            } else {
                gone.insert(document.identity)
            }
        }
        for document in change.inserted where gone.remove(document.identity) == nil {
            arrivals.append(document)
        }
    }

    private func count(_ change: SetChange<Document>) {
        let count = change.removed.count + change.inserted.count
        if count > 1, count * query.stepsPerDocument > Self.mostForChange {
            tally = nil
            following = nil
            return
        }
        for document in change.removed where query.matches(document) { tally?.remove(document) }
        for document in change.inserted where query.matches(document) { tally?.add(document) }
    }
}
