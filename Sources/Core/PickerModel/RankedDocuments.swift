// The documents that a fuzzy search finds, ranked in slices, while the set keeps changing.
//
// A rank is computed once for each row. Documents that leave the set are skipped or removed, and new ones are ranked
// too, as in a `DocumentSurvey`; from then on, the set of what is found follows the documents.

package import Observables

/// The documents of a range that a fuzzy search finds, each with its rank.
package final class RankedDocuments: SlicedWork {
    /// The fixed cost per document: accessing it, and storing its rank.
    private static let fixedSteps = 8

    /// The cost of a document that is found.
    private static let foundSteps = 16
    /// The most steps taken at once.
    private static let mostAtOnce = 100_000

    package let search: FuzzySearch
    /// Whether every document has been matched, so that `found` is right.
    package private(set) var isDone = false
    package private(set) var stepsTaken = 0
    /// The documents found so far.
    package private(set) var foundBits = RowBitset()

    let table: DocumentTable
    let store: DocumentStore
    let range: DocumentRange
    private let documents: ObservableSet<DocumentRow>
    private let foundSet = SetVariable<DocumentRow>()
    /// The ranks of the documents that are found, by row. That of a row that has left remains until its number is
    /// used again: an order still compares it while it removes it.
    private var ranks = PackedColumn<UInt64>()
    private var following: Connection?
    /// Rows that were removed remain readable while others are matched.
    private var hold: RowHold?
    /// The first row that is not matched yet.
    private var nextRow = 0

    /// Does nothing yet: the first slice begins the work.
    package init(of store: DocumentStore, in range: DocumentRange, by search: FuzzySearch) {
        self.store = store
        self.range = range
        table = store.table
        documents = store.documents(in: range)
        self.search = search
    }

    /// The documents that the search finds: all of them once `isDone`.
    package var found: ObservableSet<DocumentRow> { foundSet.observableSet }

    /// A number that is less for documents that come first. It means nothing for a document that the search has not
    /// found.
    package func rank(of row: DocumentRow) -> UInt64 {
        row.index < ranks.count ? ranks[row.index] : .max
    }

    private var stepsPerDocument: Int {
        Self.fixedSteps + DocumentSearch.fuzzy(search).stepsPerDocument
    }

    /// Whether all documents can be matched at once, in a millisecond or two.
    package var isFew: Bool { documents.count <= Self.mostAtOnce / stepsPerDocument }

    /// Matches documents for `budget` steps, or a little more.
    /// - Returns: whether all have been matched.
    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        if following == nil {
            hold = table.hold()
            following = documents.changes.connect { [unowned self] change in follow(change) }
        }
        var steps = 0
        let perRow = stepsPerDocument
        var new: [DocumentRow] = []
        makeRoom()
        while steps < budget, nextRow < table.rowEnd {
            let block = nextRow / 64
            var bits = store.word(block, in: range)
            bits &= .max << UInt64(nextRow & 63)
            while bits != 0, steps < budget {
                let row = DocumentRow(block * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
                nextRow = row.index + 1
                steps += perRow
                guard let rank = search.rank(of: row, in: table) else { continue }
                ranks[row.index] = rank.order
                foundBits.insert(row.index)
                new.append(row)
                steps += Self.foundSteps
            }
            if bits == 0 { nextRow = (block + 1) * 64 }
            steps += 1
        }
        stepsTaken += steps
        foundSet.formUnion(new)
        if nextRow >= table.rowEnd {
            isDone = true
            hold = nil
        }
        return isDone
    }

    /// Makes room for the ranks of all rows.
    private func makeRoom() {
        foundBits.grow(to: table.rowEnd)
        guard ranks.count < table.rowEnd else { return }
        precondition(ranks.reserve(table.rowEnd), "the system has no memory for ranks")
        ranks.resize(to: table.rowEnd)
    }

    private func follow(_ change: SetChange<DocumentRow>) {
        makeRoom()
        // The rows that have not been matched yet are matched later.
        let end = isDone ? .max : nextRow
        var leaving: Set<DocumentRow> = []
        var arriving: Set<DocumentRow> = []
        for row in change.removed where foundBits.remove(row.index) { leaving.insert(row) }
        for row in change.inserted where row.index < end {
            guard let rank = search.rank(of: row, in: table) else { continue }
            ranks[row.index] = rank.order
            foundBits.insert(row.index)
            arriving.insert(row)
        }
        if leaving.isEmpty, arriving.isEmpty { return }
        foundSet.apply(SetChange(removed: leaving, inserted: arriving))
    }
}
