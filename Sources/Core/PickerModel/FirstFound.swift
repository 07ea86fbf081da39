internal import Observables

/// Selects, in slices, the first of the documents that a ranking search has found so far, while it has not looked at all
/// of them: what it finds later may come before them.
final class FirstFound {
    /// The cost of a block of 64 rows.
    private static let blockSteps = 1

    private(set) var stepsTaken = 0
    /// The documents in order, once `advance` has returned true.
    private(set) var rows: [DocumentRow] = []
    /// The number of documents that they are selected from, then.
    var count: Int { passing.count }
    /// The revision at which these are found.
    let rev: Int

    private let ranking: RankedDocuments
    private let limit: Int
    private let order: SortOrder
    /// What is asked of a document beside the search.
    private let query: DocumentQuery?
    /// Keeps the rows readable, though the search may end meanwhile.
    private let hold: RowHold
    /// What the search had found, without what has been tested and does not match.
    private var passing: RowBitset
    private var nextBlock = 0
    /// What is left to be tested of the block before.
    private var rest: UInt64 = 0
    private var first: FirstRows?

    /// Selects the first `limit` documents that also match `query`. It begins with the first slice.
    init(
        _ limit: Int, foundBy ranking: RankedDocuments, sortedBy order: SortOrder,
        matching query: DocumentQuery?
    ) {
        self.ranking = ranking
        self.limit = limit
        self.order = order
        self.query = query
        rev = ranking.store.rev
        hold = ranking.table.hold()
        passing = ranking.foundBits
    }

    /// - Returns: whether `rows` are there.
    func advance(budget: Int) -> Bool {
        let before = stepsTaken
        if let query, !test(query, budget: budget) { return false }
        let first =
            first
            ?? FirstRows(
                limit, of: passing, in: ranking.table, by: order,
                rank: { [ranking] in ranking.rank(of: $0) })
        self.first = first
        let begun = first.stepsTaken
        defer { stepsTaken += first.stepsTaken - begun }
        guard first.advance(budget: budget - (stepsTaken - before)) else { return false }
        rows = first.rows
        return true
    }

    /// - Returns: whether all documents have been tested.
    private func test(_ query: DocumentQuery, budget: Int) -> Bool {
        let end = stepsTaken + budget
        let table = ranking.table
        while rest != 0 || nextBlock < passing.words.count {
            if stepsTaken >= end { return false }
            if rest == 0 {
                rest = passing[word: nextBlock]
                stepsTaken += Self.blockSteps
                nextBlock += 1
                continue
            }
            let row = (nextBlock - 1) * 64 + rest.trailingZeroBitCount
            rest &= rest - 1
            if !query.matches(DocumentRow(row), of: table, steps: &stepsTaken) {
                passing.remove(row)
            }
        }
        return true
    }
}
