// The documents that a fuzzy search finds, ranked in slices, while the set keeps changing.
//
// A rank is computed once for each value of a document. Documents that leave the set are skipped or removed, and
// new ones are ranked too, as in a `DocumentSurvey`; from then on, the set of what is found follows the documents.

package import Observables

/// The documents of a set that a fuzzy search finds, each with its rank.
package final class RankedDocuments: SlicedWork {
    /// The fixed cost per document: accessing it, and storing its rank.
    private static let fixedSteps = 8

    /// The most steps taken at once.
    private static let mostAtOnce = 100_000

    package let search: FuzzySearch
    /// Whether every document has been matched, so that `found` is right.
    package private(set) var isDone = false
    package private(set) var stepsTaken = 0

    private let documents: ObservableSet<Document>
    private let foundSet = SetVariable<Document>()
    /// The ranks of the documents that are found, and of those in `leaving`.
    private var ranks: [ObjectIdentifier: UInt64] = [:]
    private var following: Connection?

    /// The documents of the start, from the next one on. Retains the set's storage, and with it the documents,
    /// so that identities stay unique.
    private var remaining: Set<Document>.Iterator?
    /// The documents found so far, also if they have left since.
    private var collected: [Document] = []
    /// The documents inserted since the start; those from `nextArrival` on are not matched yet.
    private var arrivals: [Document] = []
    private var nextArrival = 0
    /// Removed documents that are not known to be found.
    private var gone: Set<ObjectIdentifier> = []
    /// The documents removed by the last change: an order still compares them while it removes them.
    private var leaving: [Document] = []

    /// Does nothing yet: the first slice begins the work.
    package init(of documents: ObservableSet<Document>, by search: FuzzySearch) {
        self.documents = documents
        self.search = search
    }

    /// The documents that the search finds; none until all have been matched.
    package var found: ObservableSet<Document> { foundSet.observableSet }

    /// A number that is less for documents that come first. The search must have found the document.
    package func rank(of document: Document) -> UInt64 { ranks[document.identity] ?? .max }

    /// Whether the first of two found documents comes before the second.
    package func comparator(for order: SortOrder) -> (Document, Document) -> Bool {
        { [self] left, right in
            order.compare(left, right, rank: { rank(of: $0) }) < 0
        }
    }

    /// Whether all documents can be matched at once, in a millisecond or two.
    package var isFew: Bool {
        let steps = Self.fixedSteps + DocumentSearch.fuzzy(search).stepsPerDocument
        return documents.count <= Self.mostAtOnce / steps
    }

    /// Matches documents for `budget` steps, or a little more.
    /// - Returns: whether all have been matched.
    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        if following == nil {
            remaining = documents.value.makeIterator()
            following = documents.changes.connect { [unowned self] change in follow(change) }
        }
        var steps = 0
        while steps < budget {
            guard let document = nextDocument() else {
                end()
                break
            }
            steps += 1
            guard gone.remove(document.identity) == nil else { continue }
            steps += Self.fixedSteps + DocumentSearch.fuzzy(search).steps(for: document)
            if let rank = search.rank(of: document) {
                ranks[document.identity] = rank.order
                collected.append(document)
            }
        }
        stepsTaken += steps
        return isDone
    }

    private func nextDocument() -> Document? {
        if let document = remaining?.next() { return document }
        guard nextArrival < arrivals.count else { return nil }
        defer { nextArrival += 1 }
        return arrivals[nextArrival]
    }

    private func end() {
        isDone = true
        foundSet.value = Set(collected.lazy.filter { [ranks] in ranks[$0.identity] != nil })
        collected = []
        remaining = nil
        arrivals = []
        gone = []
    }

    private func follow(_ change: SetChange<Document>) {
        if isDone { return update(change) }
        for document in change.removed where ranks.removeValue(forKey: document.identity) == nil {
            gone.insert(document.identity)
        }
        for document in change.inserted where gone.remove(document.identity) == nil {
            arrivals.append(document)
        }
    }

    private func update(_ change: SetChange<Document>) {
        for document in leaving { ranks[document.identity] = nil }
        leaving = change.removed.filter { ranks[$0.identity] != nil }
        var arriving: Set<Document> = []
        for document in change.inserted {
            guard let rank = search.rank(of: document) else { continue }
            ranks[document.identity] = rank.order
            arriving.insert(document)
        }
        foundSet.apply(SetChange(removed: Set(leaving), inserted: arriving))
    }
}
