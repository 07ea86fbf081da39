/// The documents with the shortest names, by length, each with the beginnings of its words in 64 bits: what searches by
/// score look at first, in one piece of memory that is read in order.
///
/// It is made in slices, and nothing has to be kept unchanged meanwhile. What is written since is not in it but known
/// (`written`), until that is too much. Rows that have left stay: who asks knows which are there.
final class ShortNames: SlicedWork {
    struct Limits {
        /// Among fewer documents, the shortest names are found at once.
        var leastDocuments = 65_536
        /// The most rows, of twelve bytes each.
        var rows = 196_608
        /// So often rows may have been written with short names before it is of no use.
        var written = 4096
    }

    /// Longer names are not in it.
    private static let longestEver = 254
    /// The blocks that are looked at by one step, and the rows of them that are collected.
    private static let (blocksPerStep, rowsPerStep) = (4, 8)
    /// The blocks that are looked at, and the rows whose names are read, before the steps are counted.
    private static let (blocksAtOnce, rowsAtOnce) = (16, 64)
    /// The cost of reading a name.
    private static let stepsPerName = 2

    /// All names that have so many letters at least (`DocumentTable.leastLetters`), and no more, are in it or `written`.
    private(set) var longest = longestEver
    private(set) var isComplete = false
    private(set) var stepsTaken = 0
    /// The rows that were written with short names since this was begun, in that order: of one that is there again, the last
    /// is true. Nothing else here is true of them.
    private(set) var written: [(row: DocumentRow, beginnings: WordBeginnings)] = []
    private var isWritten: RowBitset
    private var rowsByLength: [[DocumentRow]] = Array(repeating: [], count: longestEver + 1)
    private var beginningsByLength: [[WordBeginnings]] = []
    private var rowCount = 0
    private var nextBlock = 0
    /// The blocks that there were when it was begun. Rows of others are written later.
    private let blockCount: Int
    private unowned let table: DocumentTable

    init(of table: DocumentTable) {
        self.table = table
        isWritten = RowBitset(bound: table.rowEnd)
        blockCount = table.current.wordCount
    }

    /// The number of rows in it.
    var count: Int { rowCount }

    /// Notes that a row has another name than before, if any.
    /// - Returns: whether this is still of use.
    func noteName(of row: Int) -> Bool {
        isWritten.grow(to: row + 1)
        isWritten.insert(row)
        let row = DocumentRow(row)
        guard table.leastLetters(of: row) <= longest else { return true }
        written.append((row, table.withSearchBytes(of: row) { WordBeginnings(of: $0) }))
        return written.count <= table.shortNameLimits.written
    }

    /// The rows with names of a length, among some, in which all that a search has may begin words.
    /// - Complexity: O(n) in the rows of this length, without a look at their names.
    func rows(
        ofLength length: Int, beginning wanted: WantedBeginnings,
        among isThere: (DocumentRow) -> Bool
    ) -> [DocumentRow] {
        let (rows, beginnings) = (rowsByLength[length], beginningsByLength[length])
        var found: [DocumentRow] = []
        for index in beginnings.indices where wanted.mayBegin(beginnings[index]) {
            let row = rows[index]
            if isThere(row), !isWritten.contains(row.index) { found.append(row) }
        }
        return found
    }

    /// The rows that were written since this was begun, among some, in which all that a search has may begin words, or
    /// might before they were written again.
    func rowsWritten(
        beginning wanted: WantedBeginnings, among isThere: (DocumentRow) -> Bool
    ) -> Set<DocumentRow> {
        var rows: Set<DocumentRow> = []
        for (row, beginnings) in written where wanted.mayBegin(beginnings) && isThere(row) {
            rows.insert(row)
        }
        return rows
    }

    /// The number of rows with names of a length.
    func count(ofLength length: Int) -> Int { rowsByLength[length].count }

    // MARK: Making

    func advance(budget: Int) -> Bool {
        let end = stepsTaken + budget
        while !isComplete, stepsTaken < end {
            if nextBlock < blockCount { collect() } else { readNames() }
        }
        return isComplete
    }

    /// Collects the rows of some blocks, and leaves out the longest names if there are too many.
    private func collect() {
        let end = min(nextBlock + Self.blocksAtOnce, blockCount)
        stepsTaken += 1 + (end - nextBlock) / Self.blocksPerStep
        let before = rowCount
        while nextBlock < end {
            var bits = table.rows(
                ofBlock: nextBlock, among: table.current[word: nextBlock],
                withLetters: 0...UInt16(longest))
            rowCount += bits.nonzeroBitCount
            while bits != 0 {
                let row = DocumentRow(nextBlock * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
                rowsByLength[table.leastLetters(of: row)].append(row)
            }
            nextBlock += 1
        }
        stepsTaken += (rowCount - before) / Self.rowsPerStep
        while rowCount > table.shortNameLimits.rows, longest > 0 {
            rowCount -= rowsByLength[longest].count
            rowsByLength.removeLast()
            longest -= 1
        }
        // All of one length may be too many.
        if rowCount > table.shortNameLimits.rows {
            rowsByLength = []
            (rowCount, longest) = (0, -1)
            nextBlock = .max
        }
    }

    /// Reads the names of the next rows.
    private func readNames() {
        let length = beginningsByLength.count - 1
        guard length >= 0, beginningsByLength[length].count < rowsByLength[length].count else {
            if beginningsByLength.count == rowsByLength.count {
                isComplete = true
            } else {
                beginningsByLength.append([])
                beginningsByLength[length + 1].reserveCapacity(rowsByLength[length + 1].count)
            }
            stepsTaken += 1
            return
        }
        let first = beginningsByLength[length].count
        let rows = rowsByLength[length][first...].prefix(Self.rowsAtOnce)
        table.prefetchTexts(of: Array(rows))
        for row in rows {
            stepsTaken += Self.stepsPerName
            // What has left, or has another name by now, is not asked about.
            let isThere = table.current.contains(row.index) && !isWritten.contains(row.index)
            beginningsByLength[length].append(
                isThere ? table.withSearchBytes(of: row) { WordBeginnings(of: $0) } : .none)
        }
    }
}

#if DEBUG
extension ShortNames {
    /// Traps unless all rows with short names are in it or written, once, and what is said of them is so.
    func checkInvariants() {
        let names = Dictionary(written.map { ($0.row, $0.beginnings) }) { $1 }
        for (row, beginnings) in names {
            precondition(isWritten.contains(row.index), "row \(row.index)")
            // One that has left may have been released, and has no name.
            guard table.current.contains(row.index), table.leastLetters(of: row) <= longest else {
                continue
            }
            precondition(beginnings == self.beginnings(of: row), "row \(row.index)")
        }
        precondition(rowCount == rowsByLength.reduce(0) { $0 + $1.count }, "the number of rows")
        guard isComplete else { return }
        precondition(rowsByLength.count == longest + 1, "the longest length")
        precondition(rowsByLength.map(\.count) == beginningsByLength.map(\.count), "the names")
        var places: [DocumentRow: (length: Int, index: Int)] = [:]
        for length in rowsByLength.indices {
            for (index, row) in rowsByLength[length].enumerated() {
                precondition(places.updateValue((length, index), forKey: row) == nil, "twice")
            }
        }
        for row in table.current.map({ DocumentRow(UInt32($0)) }) {
            let length = table.leastLetters(of: row)
            if isWritten.contains(row.index) {
                precondition(length > longest || names[row] != nil, "row \(row.index)")
            } else if length <= longest {
                let place = places[row]
                precondition(place?.length == length, "row \(row.index)")
                let known = place.map { beginningsByLength[$0.length][$0.index] }
                precondition(known == beginnings(of: row), "the words of row \(row.index)")
            }
        }
    }

    private func beginnings(of row: DocumentRow) -> WordBeginnings {
        table.withSearchBytes(of: row) { WordBeginnings(of: $0) }
    }
}
#endif
