// A look at all documents that is taken in slices.
//
// To ask each of very many documents takes longer than the loop may be held. So they are asked a few at a
// time, while the set goes on changing. A document is a value, and what a query says of it never changes:
// the answers that there are stay right whatever happens. What leaves the set meanwhile is left out or taken
// back, and what arrives is asked as well; so when none is left, the answers are those of the set as it
// is then, as if all had been asked at that moment.

package import Observables

/// What a query says of each document of a set, found out in slices.
package final class DocumentSurvey: SlicedWork {
    /// What it is taken for.
    package enum Purpose {
        /// What is known of each document, until the survey is let go.
        case answers
        /// The statistics of those that match, which are kept up to date after it is done.
        case statistics
    }

    /// What statistics that are kept up may take for one change of the documents, in steps.
    private static let mostForChange = 400_000

    package let query: DocumentQuery
    /// Whether every document has been asked.
    package private(set) var isDone = false
    /// What it has taken so far.
    package private(set) var stepsTaken = 0
    /// How many documents it has asked.
    package private(set) var asked = 0

    private let documents: ObservableSet<Document>
    private var tally: DocumentTally?
    private var following: Connection?

    /// Those that there were when it began, from the one on whose turn it is. While this holds the set's
    /// storage, no document of it is released, so none is taken for another.
    private var remaining: Set<Document>.Iterator?
    /// Those that have come since, from `nextArrival` on not asked yet. They are held for the same reason.
    private var arrivals: [Document] = []
    private var nextArrival = 0
    /// Those that have gone and are not known to match: not asked yet, or for nothing.
    private var gone: Set<ObjectIdentifier> = []
    /// Those that match, of those that were asked.
    private var matches: Set<ObjectIdentifier> = []

    /// Takes nothing yet: it begins with the first slice.
    package init(
        of documents: ObservableSet<Document>, for query: DocumentQuery,
        purpose: Purpose = .answers
    ) {
        self.documents = documents
        self.query = query
        if case .statistics = purpose { tally = DocumentTally() }
    }

    /// Beside the question: a document is found, and what it says is kept or added up.
    private var fixed: Int { tally == nil ? 4 : 24 }

    /// How many steps a document takes, about, whatever its name.
    package var stepsPerDocument: Int { fixed + query.stepsPerDocument }

    /// Asks documents until that took `budget` steps, or a little more.
    /// - Returns: whether all have been asked.
    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        if following == nil { begin() }
        var steps = 0
        var isLeft = true
        while steps < budget, isLeft {
            if let document = remaining?.next() {
                steps += 1
                guard gone.remove(document.identity) == nil else { continue }
                steps += fixed
                take(document, steps: &steps)
            } else if nextArrival < arrivals.count {
                steps += 1
                let document = arrivals[nextArrival]
                nextArrival += 1
                guard gone.remove(document.identity) == nil else { continue }
                steps += fixed
                take(document, steps: &steps)
            } else {
                isLeft = false
            }
        }
        stepsTaken += steps
        if !isLeft { end() }
        return isDone
    }

    /// What is known of a document of the set; nil if one was not asked.
    package func answer(for document: Document) -> Bool? {
        isDone && nextArrival == arrivals.count ? matches.contains(document.identity) : nil
    }

    /// The statistics of the documents that match, of those that were asked so far; nil once a change has come
    /// that would have taken too long to follow.
    package var statistics: DocumentStatistics? { tally?.summary }

    private func begin() {
        remaining = documents.value.makeIterator()
        following = documents.changes.connect { [unowned self] change in follow(change) }
    }

    private func take(_ document: Document, steps: inout Int) {
        let isMatch = query.matches(document, steps: &steps)
        asked += 1
        guard isMatch else { return }
        matches.insert(document.identity)
        tally?.add(document)
    }

    private func end() {
        isDone = true
        // Answers are what some surveys are for; statistics are kept without.
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
