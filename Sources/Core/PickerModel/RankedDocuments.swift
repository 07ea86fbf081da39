// The documents that a fuzzy search finds, ranked in slices, while the set keeps changing.
//
// A rank is computed once for each row. First all rows are matched: those of a block of 64 are told by their letters
// at once, and only what may match is read. Then what is found is what the first rows of a list are selected from; its
// observable set, which only the whole list needs, is filled after that, in slices as well. Documents that leave the
// set are skipped or removed, and new ones are ranked too, as in a `DocumentSurvey`; from then on, the set of what is
// found follows the documents.

package import Observables

/// The documents of a range that a fuzzy search finds, each with its rank.
package final class RankedDocuments: SlicedWork {
    /// The cost of a document that is found: storing its rank.
    private static let foundSteps = 4
    /// The cost of adding a document to the observable set.
    private static let listedSteps = 16
    /// The cost of a document, whatever it is, beside its match.
    private static let fixedSteps = 8
    /// The most steps taken at once.
    private static let mostAtOnce = 100_000
    /// The documents that are added to the observable set at once.
    private static let listedAtOnce = 256

    package let search: FuzzySearch
    /// Whether every document has been matched, so that `foundBits` is right.
    package private(set) var isMatched = false
    /// Whether `found` is right, too.
    package private(set) var isDone = false
    package private(set) var stepsTaken = 0
    /// The documents found so far.
    package private(set) var foundBits = RowBitset()

    let table: DocumentTable
    let store: DocumentStore
    let range: DocumentRange
    private let documents: ObservableSet<DocumentRow>
    private let subset: DocumentSubset?
    private let foundSet = SetVariable<DocumentRow>(numberedBy: { $0.index }, DocumentRow.init)
    /// The ranks of the documents that are found, by row. That of a row that has left remains until its number is
    /// used again: an order still compares it while it removes it.
    private var ranks = PackedColumn<UInt64>()
    private var following: Connection?
    /// Rows that were removed remain readable while others are matched.
    private var hold: RowHold?
    /// A search that has found all that this one can, until the first slice.
    private var wider: RankedDocuments?
    /// What it had found then, and all that is new since.
    private(set) var base: RowBitset?
    /// Those of what it had found that may have the most points here, and all that is new since, if it tells them.
    private(set) var mostBase: RowBitset?
    /// The documents found so far that may have the most points.
    private var mayHaveMost = RowBitset()
    /// The first row that is not matched yet.
    private var nextRow = 0
    /// The rows of its block that may match, if a slice ended there and nothing has changed since. To find them may
    /// have taken the whole slice.
    private var candidates: UInt64?
    /// The first row that is not in the observable set, if it is found.
    private var nextListed = 0

    /// Does nothing yet: the first slice begins the work. `wider` is a search of the same range that this one narrows.
    package init(
        of store: DocumentStore, in range: DocumentRange, by search: FuzzySearch,
        among wider: RankedDocuments? = nil
    ) {
        self.store = store
        self.range = range
        table = store.table
        subset = store.subset(of: range)
        documents = store.documents(in: range)
        self.search = search
        self.wider = wider
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

    /// The work until `isMatched`.
    package var matching: any SlicedWork { RankedMatching(of: self) }

    /// Matches documents for `budget` steps, or a little more, and then adds what is found to the observable set.
    /// - Returns: whether all of this is done.
    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        let before = stepsTaken
        guard match(budget: budget) else { return false }
        return list(budget: budget - (stepsTaken - before))
    }

    private func begin() {
        if let wider, wider.isMatched {
            base = wider.foundBits
            if search.query.beginsLike(wider.search.query) { mostBase = wider.mayHaveMost }
        }
        wider = nil
        hold = table.hold()
        following = documents.changes.connect { [unowned self] change in follow(change) }
    }

    /// Matches documents for `budget` steps, or a little more.
    /// - Returns: whether all have been matched.
    fileprivate func match(budget: Int) -> Bool {
        if isMatched { return true }
        if following == nil { begin() }
        var steps = 0
        makeRoom()
        while steps < budget, nextRow < table.rowEnd {
            let block = nextRow / 64
            var bits = candidates.take() ?? findCandidates(ofBlock: block, &steps)
            while bits != 0, steps < budget {
                let row = DocumentRow(block * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
                nextRow = row.index + 1
                match(row, &steps)
            }
            if bits == 0 { nextRow = (block + 1) * 64 } else { candidates = bits }
        }
        stepsTaken += steps
        guard nextRow >= table.rowEnd else { return false }
        isMatched = true
        base = nil
        mostBase = nil
        hold = nil
        return true
    }

    /// The rows of a block, from `nextRow` on, that may match.
    private func findCandidates(ofBlock block: Int, _ steps: inout Int) -> UInt64 {
        let all = subset.map { $0.bits[word: block] } ?? store.word(block, in: range)
        var bits = all & .max << UInt64(nextRow & 63)
        if let base { bits &= base[word: block] }
        steps += 1
        return search.candidates(ofBlock: block, among: bits, in: table, steps: &steps)
    }

    private func match(_ row: DocumentRow, _ steps: inout Int) {
        steps += search.query.steps(forName: table.searchCount(of: row))
        guard let rank = search.rank(of: row, in: table, isLikely: true) else { return }
        insert(row, rank, &steps)
        steps += Self.foundSteps
    }

    private func insert(_ row: DocumentRow, _ rank: FuzzyRank, _ steps: inout Int) {
        ranks[row.index] = rank.order
        foundBits.insert(row.index)
        if search.mayHaveMostPoints(row, of: table, steps: &steps) { mayHaveMost.insert(row.index) }
    }

    /// Adds documents to the observable set for `budget` steps, or a little more.
    /// - Returns: whether all are there.
    private func list(budget: Int) -> Bool {
        var steps = 0
        var rows: [DocumentRow] = []
        rows.reserveCapacity(Self.listedAtOnce + 64)
        while steps < budget, nextListed < table.rowEnd {
            rows.removeAll(keepingCapacity: true)
            while nextListed < table.rowEnd, rows.count < Self.listedAtOnce, steps < budget {
                var bits = foundBits[word: nextListed / 64]
                steps += 1 + bits.nonzeroBitCount * Self.listedSteps
                while bits != 0 {
                    rows.append(DocumentRow(nextListed + bits.trailingZeroBitCount))
                    bits &= bits - 1
                }
                nextListed += 64
            }
            foundSet.formUnion(rows)
        }
        stepsTaken += steps
        isDone = nextListed >= table.rowEnd
        return isDone
    }

    /// Makes room for the ranks of all rows.
    private func makeRoom() {
        foundBits.grow(to: table.rowEnd)
        mayHaveMost.grow(to: table.rowEnd)
        guard ranks.count < table.rowEnd else { return }
        precondition(ranks.reserve(table.rowEnd), "the system has no memory for ranks")
        ranks.resize(to: table.rowEnd)
    }

    private func follow(_ change: SetChange<DocumentRow>) {
        makeRoom()
        candidates = nil
        // The rows that have not been matched yet are matched later, and those that are not listed yet are listed.
        let end = isMatched ? .max : nextRow
        let listed = isDone ? .max : nextListed
        var leaving: Set<DocumentRow> = []
        var arriving: Set<DocumentRow> = []
        var steps = 0
        for row in change.removed where foundBits.remove(row.index) {
            mayHaveMost.remove(row.index)
            if row.index < listed { leaving.insert(row) }
        }
        for row in change.inserted {
            guard row.index < end else {
                // It is new since the wider search, and may match.
                base?.grow(to: table.rowEnd)
                base?.insert(row.index)
                mostBase?.grow(to: table.rowEnd)
                mostBase?.insert(row.index)
                continue
            }
            guard let rank = search.rank(of: row, in: table) else { continue }
            insert(row, rank, &steps)
            if row.index < listed { arriving.insert(row) }
        }
        if leaving.isEmpty, arriving.isEmpty { return }
        foundSet.apply(SetChange(removed: leaving, inserted: arriving))
    }
}

/// The first part of what `RankedDocuments` does.
private final class RankedMatching: SlicedWork {
    private let ranked: RankedDocuments

    init(of ranked: RankedDocuments) { self.ranked = ranked }

    var stepsTaken: Int { ranked.stepsTaken }

    func advance(budget: Int) -> Bool { ranked.match(budget: budget) }
}
