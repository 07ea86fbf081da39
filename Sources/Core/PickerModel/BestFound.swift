internal import CDocumentKernels
internal import Observables

/// Finds, in slices, the first documents of an order by score without ranking the others: those with the most points that
/// there can be, the shortest names first.
///
/// They come before all others, so once all names of some lengths are known, what is found are the first rows of all.
/// Where few names have so many points, that helps little, and it gives up.
final class BestFound {
    /// The cost of a document beside its name.
    private static let fixedSteps = 1
    /// The blocks that are looked at by one step, and the rows of them that are collected; as many are at once, or those of
    /// another block.
    private static let (blocksPerStep, rowsPerStep) = (4, 8)
    private static let (mostBlocksAtOnce, mostRowsAtOnce) = (2048, 1024)
    /// So many blocks, spread over all, or a few more, are looked at to learn how long names are.
    private static let sampledBlocks = 256
    /// About so many documents have the shortest names, which are collected first, and as many times more the next.
    private static let firstPass = 8192
    private static let growth = 2
    /// Longer names are collected together.
    private static let longestApart = 255
    /// The shortest names that are looked at by one step.
    private static let choicesPerStep = 16
    /// The number of rows whose names are fetched from memory at a time.
    private static let rowsFetched = 16
    /// After so many steps, some milliseconds with what memory takes, it takes long; later, if what is found of a length
    /// will be enough.
    private static let (stepsUntilLong, mostUntilLong) = (24_000, 40_000)
    /// So many documents are tested before it gives up if few of them have the most points, and so many are collected at
    /// most, of four bytes each.
    private static let testedUntilSeen = 32_768
    private static let mostCollected = 262_144
    /// So many are ranked before it leaves them to the search, which ranks all.
    private static let mostRanked = 16_384

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
    /// All others are known not to be found, or not with the most points.
    private let base: RowBitset?
    private let mostPoints: Int32
    private var selection: RowSelection
    /// How many names of each length have been found.
    private var foundByLength = Array(repeating: 0, count: longestApart + 1)
    /// The number of documents that are known to be the first.
    private var knownCount = 0
    private var (collected, tested, ranked) = (0, 0, 0)
    /// The lengths of the names of each pass that is left, the last first; nil until they are known.
    private var passes: [ClosedRange<Int>]?
    /// The shortest names, if they are known: the first pass. Their rows are held, too.
    private let short: ShortNames?
    private let wanted: WantedBeginnings
    private var hasBegun = false
    /// The next length of these whose rows are not chosen yet.
    private var nextChosen = 0
    /// The lengths of the names that are collected, and the rows by them, less the least of them.
    private var lengths = 0...0
    private var rowsByLength: [[DocumentRow]] = []
    private var nextBlock = 0
    /// The length of the names that are tested, less the least of the pass, and the next row that has it.
    private var (place, nextRow) = (0, 0)

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
        base = ranking.mostBase ?? ranking.base
        mostPoints = ranking.search.query.mostPoints
        wanted = WantedBeginnings(of: ranking.search.query)
        short = ranking.table.shortNames.flatMap { $0.isComplete ? $0 : nil }
        selection = RowSelection(limit: limit)
    }

    /// - Returns: whether it is over.
    func advance(budget: Int) -> Bool {
        let end = stepsTaken + budget
        let table = ranking.table
        if !hasBegun {
            hasBegun = true
            if let short { begin(short, table) } else { beginPass(in: table) }
        }
        while true {
            if knownCount >= selection.limit {
                rows = selection.rows(isBefore).map { DocumentRow($0) }
                return true
            }
            if hasTestedInVain { return true }
            if stepsTaken >= end { return false }
            if nextBlock < all.words.count {
                collect(from: table)
            } else if let short, nextChosen <= min(place, short.longest) {
                choose(from: short)
            } else if place < rowsByLength.count {
                if test(rowsByLength[place], of: table, until: end) { endLength() }
            } else if !beginPass(in: table) {
                return true
            }
        }
    }

    /// Whether it takes so long that others are to be told before.
    var isLong: Bool {
        guard stepsTaken >= Self.stepsUntilLong else { return false }
        let length = lengths.lowerBound + place
        return stepsTaken >= Self.mostUntilLong || length >= Self.longestApart
            || knownCount + foundByLength[length] < selection.limit
    }

    /// Whether too many were tested, or would have to be.
    private var hasTestedInVain: Bool {
        tested >= Self.testedUntilSeen && count < max(1, selection.limit / 4)
            || collected >= Self.mostCollected || ranked >= Self.mostRanked
    }

    private func isBefore(_ one: UInt32, _ other: UInt32) -> Bool {
        // Their ranks are equal.
        ranking.table.compare(DocumentRow(one), DocumentRow(other), by: order, rank: { _ in 0 }) < 0
    }

    // MARK: Lengths

    /// Begins with the shortest names.
    private func begin(_ short: ShortNames, _ table: DocumentTable) {
        guard short.longest >= 0 else { return _ = beginPass(in: table) }
        lengths = 0...short.longest
        rowsByLength = Array(repeating: [], count: short.longest + 1)
        nextBlock = all.words.count
        stepsTaken += short.written.count / Self.choicesPerStep
        for row in short.rowsWritten(beginning: wanted, among: isCandidate) {
            let length = table.leastLetters(of: row)
            if length <= short.longest { rowsByLength[length].append(row) }
        }
    }

    private func isCandidate(_ row: DocumentRow) -> Bool {
        rows(ofBlock: row.index / 64) & 1 << UInt64(row.index % 64) != 0
    }

    /// Chooses the rows of the next length that are to be tested.
    private func choose(from short: ShortNames) {
        rowsByLength[nextChosen] += short.rows(
            ofLength: nextChosen, beginning: wanted, among: isCandidate)
        let steps = 1 + short.count(ofLength: nextChosen) / Self.choicesPerStep
        stepsTaken += steps
        tested += steps
        nextChosen += 1
    }

    /// The lengths of the names of each pass, the last first, by a sample.
    private func findPasses(in table: DocumentTable) -> [ClosedRange<Int>] {
        let least = (short?.longest ?? -1) + 1
        var counts = Array(repeating: 0, count: Self.longestApart)
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
        var passes: [ClosedRange<Int>] = []
        var (sum, wanted, first) = (0, Self.firstPass, least)
        for (length, count) in counts.enumerated() where length >= least {
            sum += count * stride
            guard sum >= wanted else { continue }
            passes.append(first...length)
            first = length + 1
            wanted = sum * Self.growth
        }
        return [first...Self.longestApart] + passes.reversed()
    }

    /// - Returns: whether there is another pass.
    @discardableResult
    private func beginPass(in table: DocumentTable) -> Bool {
        if passes == nil { passes = findPasses(in: table) }
        guard let next = passes?.popLast() else { return false }
        lengths = next
        rowsByLength = Array(repeating: [], count: next.count)
        nextBlock = 0
        (place, nextRow) = (0, 0)
        return true
    }

    private func rows(ofBlock block: Int) -> UInt64 {
        base.map { all[word: block] & $0[word: block] } ?? all[word: block]
    }

    /// Collects the rows of the next blocks whose names have lengths of this pass.
    private func collect(from table: DocumentTable) {
        let most = lengths.upperBound < Self.longestApart ? UInt16(lengths.upperBound) : .max
        let end = min(all.words.count, nextBlock + Self.mostBlocksAtOnce)
        let first = nextBlock
        var found = 0
        while nextBlock < end, found < Self.mostRowsAtOnce {
            var bits = table.rows(
                ofBlock: nextBlock, among: rows(ofBlock: nextBlock),
                withLetters: UInt16(lengths.lowerBound)...most)
            found += bits.nonzeroBitCount
            while bits != 0 {
                let row = DocumentRow(nextBlock * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
                let length = min(table.leastLetters(of: row), Self.longestApart)
                rowsByLength[length - lengths.lowerBound].append(row)
            }
            nextBlock += 1
        }
        collected += found
        stepsTaken += 1 + (nextBlock - first) / Self.blocksPerStep + found / Self.rowsPerStep
    }

    // MARK: Names

    /// Tests the rows of a length from `nextRow` on, until so many steps are taken.
    /// - Returns: whether all have been tested.
    private func test(_ rows: [DocumentRow], of table: DocumentTable, until end: Int) -> Bool {
        let (near, far) = (Self.rowsFetched, 2 * Self.rowsFetched)
        // The names of some rows, and where those are of as many that follow, are on their way from memory.
        for row in rows[nextRow..<min(rows.count, nextRow + far)] {
            table.prefetchText(of: row, isNear: false)
        }
        for row in rows[nextRow..<min(rows.count, nextRow + near)] {
            table.prefetchText(of: row, isNear: true)
        }
        while nextRow < rows.count, stepsTaken < end {
            if nextRow + far < rows.count {
                table.prefetchText(of: rows[nextRow + far], isNear: false)
            }
            if nextRow + near < rows.count {
                table.prefetchText(of: rows[nextRow + near], isNear: true)
            }
            visit(rows[nextRow], of: table)
            nextRow += 1
        }
        return nextRow == rows.count
    }

    /// All names of a length have been tested: those that are found, and as long, come before all others.
    private func endLength() {
        stepsTaken += Self.fixedSteps
        rowsByLength[place] = []
        let length = lengths.lowerBound + place
        knownCount = length < Self.longestApart ? knownCount + foundByLength[length] : count
        (place, nextRow) = (place + 1, 0)
    }

    private func visit(_ row: DocumentRow, of table: DocumentTable) {
        stepsTaken += Self.fixedSteps
        tested += 1
        guard ranking.search.mayHaveMostPoints(row, of: table, steps: &stepsTaken) else { return }
        if let query, !query.matches(row, of: table, steps: &stepsTaken) { return }
        ranked += 1
        stepsTaken += ranking.search.query.steps(forName: table.searchCount(of: row))
        guard let rank = ranking.search.rank(of: row, in: table, isLikely: true),
            rank.points == mostPoints
        else { return }
        count += 1
        foundByLength[min(Int(rank.length), Self.longestApart)] += 1
        selection.add(RowEntry(word: rank.order, row: UInt32(row.index)), isBefore)
    }
}
