internal import CDocumentKernels
internal import Observables

/// Finds, in slices, the first documents of an order by score, and ranks few others: a document whose name is so long
/// that it would come behind them with the most points that there can be is passed over.
///
/// Where names with so many points are rare, that helps little, and it gives up.
final class BestFound {
    /// The cost of a document that is passed over, and of one that is ranked, beside its name.
    private static let passingSteps = 2
    /// The documents after which is seen whether enough are passed over: half of them.
    private static let triedUntilSeen = 16_384

    private(set) var stepsTaken = 0
    /// The documents in order, once `advance` has returned true; nil if it has given up.
    private(set) var rows: [DocumentRow]?
    /// The number of documents found, which is the least that there can be.
    private(set) var count = 0
    /// The revision at which these are the first.
    let rev: Int

    private let ranking: RankedDocuments
    private let order: SortOrder
    private let query: DocumentQuery?
    private let hold: RowHold
    private let all: RowBitset
    /// All others are known not to be found.
    private let base: RowBitset?
    private let mostPoints: Int32
    private var selection: RowSelection
    private var nextBlock = 0
    /// What is left of the block before: one document may take a whole slice.
    private var rest: UInt64 = 0
    private var (tried, ranked) = (0, 0)

    /// Finds the first `limit` documents that also match `query`; nil if the order is another than by score first. It
    /// begins with the first slice.
    init?(
        _ limit: Int, foundBy ranking: RankedDocuments, sortedBy order: SortOrder,
        matching query: DocumentQuery?
    ) {
        guard limit > 0, order.terms.first == SortOrder.Term(.score) else { return nil }
        self.ranking = ranking
        self.order = order
        self.query = query
        rev = ranking.store.rev
        hold = ranking.table.hold()
        all = ranking.store.bits(in: ranking.range)
        base = ranking.base
        mostPoints = ranking.search.query.mostPoints
        selection = RowSelection(limit: limit)
    }

    /// - Returns: whether it is over.
    func advance(budget: Int) -> Bool {
        let end = stepsTaken + budget
        let table = ranking.table
        while rest != 0 || nextBlock < all.words.count {
            if stepsTaken >= end { return false }
            if tried >= Self.triedUntilSeen, ranked > tried / 2 { return true }
            if rest == 0 {
                rest = candidates(ofBlock: nextBlock, in: table)
                nextBlock += 1
                continue
            }
            let row = DocumentRow((nextBlock - 1) * 64 + rest.trailingZeroBitCount)
            rest &= rest - 1
            visit(row, of: table)
        }
        rows = selection.rows(isBefore).map { DocumentRow($0) }
        return true
    }

    private func isBefore(_ one: UInt32, _ other: UInt32) -> Bool {
        // Their ranks are equal.
        ranking.table.compare(DocumentRow(one), DocumentRow(other), by: order, rank: { _ in 0 }) < 0
    }

    private func candidates(ofBlock block: Int, in table: DocumentTable) -> UInt64 {
        var bits = all[word: block]
        if let base { bits &= base[word: block] }
        stepsTaken += 1
        return ranking.search.candidates(
            ofBlock: block, among: bits, in: table, steps: &stepsTaken)
    }

    private func visit(_ row: DocumentRow, of table: DocumentTable) {
        tried += 1
        stepsTaken += Self.passingSteps
        if let last = selection.last, best(of: row, in: table) > last.word { return }
        ranked += 1
        if let query, !query.matches(row, of: table, steps: &stepsTaken) { return }
        stepsTaken += ranking.search.query.steps(forName: table.searchCount(of: row))
        guard let rank = ranking.search.rank(of: row, in: table, isLikely: true) else { return }
        count += 1
        selection.add(RowEntry(word: rank.order, row: UInt32(row.index)), isBefore)
    }

    /// The order of the best rank that a row can have.
    private func best(of row: DocumentRow, in table: DocumentTable) -> UInt64 {
        FuzzyRank(points: mostPoints, length: Int32(table.leastLetters(of: row))).order
    }
}
