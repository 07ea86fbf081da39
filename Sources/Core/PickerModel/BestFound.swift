internal import CDocumentKernels
internal import Observables

/// Finds, in slices, the first documents of an order by score, and ranks few others: documents with short names are
/// ranked first, until all that are left would come behind with the most points that there can be.
///
/// Where names with so many points are rare, that helps little, and it gives up.
final class BestFound {
    /// The cost of a document beside its name.
    private static let fixedSteps = 2
    /// The cost of a block of which no name has the right length, and as many as are passed over at once.
    private static let blockSteps = 1
    private static let mostBlocksAtOnce = 2048
    /// So many blocks, spread over all, or a few more, are looked at to learn how long names are.
    private static let sampledBlocks = 1024
    /// About so many documents have the shortest names, which are ranked first, and as many times more the next.
    private static let firstPass = 1024
    private static let growth = 4
    /// The number of rows whose names are fetched from memory together.
    private static let rowsFetched = 64
    /// After so many steps, about a millisecond with what memory takes, it tells the first so far, if they are enough.
    private static let stepsUntilTold = 12_000
    /// So many documents are ranked before it gives up if few of them have the most points, and at most.
    private static let rankedUntilSeen = 16_384
    private static let mostRanked = 131_072

    private(set) var stepsTaken = 0
    /// The documents in order, once `advance` has returned true; nil if it has given up.
    private(set) var rows: [DocumentRow]?
    /// The first of the documents that have been ranked, in order; nil while these are few.
    private(set) var soFar: [DocumentRow]?
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
    /// The lengths of the names of each pass that is left, the last first; nil until they are known.
    private var passes: [ClosedRange<UInt16>]?
    /// The lengths of the names that are ranked now.
    private var lengths: ClosedRange<UInt16> = 0...0
    private var nextBlock = 0
    /// Rows with such lengths whose names have been fetched, of the blocks before.
    private var fetched: [(block: Int, rows: UInt64)] = []
    /// The place in `fetched` of what comes next.
    private var nextFetched = 0
    /// What is left of the block that is looked at: one document may take a whole slice.
    private var rest: (block: Int, rows: UInt64) = (0, 0)
    private var (ranked, best) = (0, 0)

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
        if passes == nil {
            passes = findPasses(in: table)
            beginPass()
        }
        while true {
            if soFar == nil, isLong, count >= EarlyRows.enough(of: selection.limit) {
                soFar = first
            }
            if hasRankedInVain { return true }
            if stepsTaken >= end { return false }
            if rest.rows != 0 {
                let row = DocumentRow(rest.block * 64 + rest.rows.trailingZeroBitCount)
                rest.rows &= rest.rows - 1
                visit(row, of: table)
            } else if nextFetched < fetched.count {
                rest = fetched[nextFetched]
                nextFetched += 1
                rest.rows = ranking.search.candidates(
                    ofBlock: rest.block, among: rest.rows, in: table, steps: &stepsTaken)
            } else if nextBlock < all.words.count {
                fetch(from: table)
            } else if isOver || !beginPass() {
                rows = first
                return true
            }
        }
    }

    /// Whether it takes so long that what is known by then is told.
    var isLong: Bool { stepsTaken >= Self.stepsUntilTold }

    /// Whether too many were ranked.
    private var hasRankedInVain: Bool {
        ranked >= Self.rankedUntilSeen && best < max(1, selection.limit / 4)
            || ranked >= Self.mostRanked
    }

    /// Whether all longer names come behind those that are selected.
    private var isOver: Bool {
        lengths.upperBound == .max || longest.map { $0 <= lengths.upperBound } ?? false
    }

    /// Names that are longer come behind those that are selected; nil if they may come before.
    private var longest: UInt16? {
        let most = FuzzyRank(points: mostPoints, length: 0).order
        guard let last = selection.last, last.word >= most else { return nil }
        return UInt16(clamping: last.word - most)
    }

    private var first: [DocumentRow] { selection.rows(isBefore).map { DocumentRow($0) } }

    private func isBefore(_ one: UInt32, _ other: UInt32) -> Bool {
        // Their ranks are equal.
        ranking.table.compare(DocumentRow(one), DocumentRow(other), by: order, rank: { _ in 0 }) < 0
    }

    // MARK: Passes

    /// The lengths of the names of each pass, the last first, by a sample.
    private func findPasses(in table: DocumentTable) -> [ClosedRange<UInt16>] {
        var counts = Array(repeating: 0, count: 256)
        let stride = max(1, all.words.count / Self.sampledBlocks)
        for block in Swift.stride(from: 0, to: all.words.count, by: stride) {
            var bits = rows(ofBlock: block)
            stepsTaken += 1 + bits.nonzeroBitCount / 8
            while bits != 0 {
                let row = DocumentRow(block * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
                counts[min(table.leastLetters(of: row), counts.count - 1)] += 1
            }
        }
        var passes: [ClosedRange<UInt16>] = []
        var (sum, wanted, first) = (0, Self.firstPass, UInt16(0))
        for (length, count) in counts.enumerated() {
            sum += count * stride
            guard sum >= wanted, length < counts.count - 1 else { continue }
            passes.append(first...UInt16(length))
            first = UInt16(length) + 1
            wanted = sum * Self.growth
        }
        return [first ... .max] + passes.reversed()
    }

    /// - Returns: whether there is another pass.
    @discardableResult
    private func beginPass() -> Bool {
        guard let next = passes?.popLast() else { return false }
        lengths = next
        nextBlock = 0
        return true
    }

    private func rows(ofBlock block: Int) -> UInt64 {
        base.map { all[word: block] & $0[word: block] } ?? all[word: block]
    }

    /// Finds the next rows whose names have the right lengths, in some thousands of blocks at most.
    private func fetch(from table: DocumentTable) {
        fetched.removeAll(keepingCapacity: true)
        nextFetched = 0
        let end = min(lengths.upperBound, longest ?? .max)
        guard lengths.lowerBound <= end else { return nextBlock = all.words.count }
        let lastBlock = min(all.words.count, nextBlock + Self.mostBlocksAtOnce)
        var found: [DocumentRow] = []
        found.reserveCapacity(Self.rowsFetched + 64)
        let first = nextBlock
        while nextBlock < lastBlock, found.count < Self.rowsFetched {
            var bits = table.rows(
                ofBlock: nextBlock, among: rows(ofBlock: nextBlock),
                withLetters: lengths.lowerBound...end)
            if bits != 0 { fetched.append((nextBlock, bits)) }
            while bits != 0 {
                found.append(DocumentRow(nextBlock * 64 + bits.trailingZeroBitCount))
                bits &= bits - 1
            }
            nextBlock += 1
        }
        stepsTaken += (nextBlock - first) * Self.blockSteps + found.count
        table.prefetchTexts(of: found)
    }

    private func visit(_ row: DocumentRow, of table: DocumentTable) {
        stepsTaken += Self.fixedSteps
        if let longest, table.leastLetters(of: row) > longest { return }
        ranked += 1
        if let query, !query.matches(row, of: table, steps: &stepsTaken) { return }
        stepsTaken += ranking.search.query.steps(forName: table.searchCount(of: row))
        guard let rank = ranking.search.rank(of: row, in: table, isLikely: true) else { return }
        count += 1
        if rank.points == mostPoints { best += 1 }
        selection.add(RowEntry(word: rank.order, row: UInt32(row.index)), isBefore)
    }
}
