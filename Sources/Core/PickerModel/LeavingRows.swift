// Rows that leave an order, and those that take their places.
//
// A change makes a new row of a document. Most changes leave the document where it is in most orders: a file in a folder
// that is moved has its name and size, and one that is touched its path. In such an order the new row takes the place of
// the old one, and nothing is sorted, compared with others or moved.

/// Rows that leave an order. Some of them have substitutes, which take their places.
struct LeavingRows {
    let rows: RowBitset
    /// The number of rows before each word of `rows`, if there are substitutes.
    private var before: [UInt32] = []
    /// The substitutes of the rows, ascending, or `none` for each.
    private var substitutes: [UInt32] = []

    private static let none = UInt32.max

    /// Rows without substitutes.
    init(_ rows: RowBitset) {
        self.rows = rows
    }

    /// Gives the row after the last that was given one, or none, a substitute or none. All get one or none.
    fileprivate mutating func append(_ substitute: Int?) {
        if before.isEmpty {
            substitutes.reserveCapacity(rows.count)
            before.reserveCapacity(rows.words.count)
            var count: UInt32 = 0
            for word in rows.words {
                before.append(count)
                count += UInt32(word.nonzeroBitCount)
            }
        }
        substitutes.append(substitute.map { UInt32($0) } ?? Self.none)
    }

    var isEmpty: Bool { rows.isEmpty }

    func contains(_ row: DocumentRow) -> Bool { rows.contains(row.index) }

    /// What takes the place of a row that leaves; nil if nothing does.
    /// - Complexity: O(1).
    func substitute(for row: DocumentRow) -> DocumentRow? {
        if substitutes.isEmpty { return nil }
        let (word, bit) = row.index.quotientAndRemainder(dividingBy: RowBitset.bitsPerWord)
        let lower = rows.words[word] & (1 << UInt64(bit) - 1)
        let found = substitutes[Int(before[word]) + lower.nonzeroBitCount]
        return found == Self.none ? nil : DocumentRow(found)
    }
}

/// Finds substitutes for rows that leave an order among those that arrive, in slices. All of them must remain readable.
final class SubstituteSearch {
    /// The cost of a row.
    private static let rowSteps = 4

    /// The rows that leave, with their substitutes once `advance` has returned true.
    private(set) var leaving: LeavingRows
    /// The rows that arrive and are no substitutes, likewise.
    private(set) var arriving: RowBitset
    private var remaining: RowBitset.Iterator
    /// The latest row that was found for a key.
    private var latest = -1
    private let table: DocumentTable
    private let order: SortOrder

    /// The order must not depend on ranks, which another version may have another of.
    init(
        for leaving: RowBitset, among arriving: RowBitset, in table: DocumentTable,
        by order: SortOrder
    ) {
        self.leaving = LeavingRows(leaving)
        self.arriving = arriving
        remaining = leaving.makeIterator()
        self.table = table
        self.order = order
    }

    /// Searches until `steps` reaches `budget`.
    /// - Returns: whether it is done.
    func advance(_ steps: inout Int, budget: Int) -> Bool {
        while steps < budget {
            guard let row = remaining.next() else { return true }
            let other = nextVersion(of: row)
            leaving.append(other)
            if let other { arriving.remove(other) }
            steps += Self.rowSteps
        }
        return false
    }

    /// The version of a row's document that arrives, if it has the same place.
    private func nextVersion(of row: Int) -> Int? {
        let key = table.columns.key(of: row)
        // Documents that were added one after another are mostly changed one after another.
        var other = latest + 1
        if !isVersion(other, of: key) { other = latest - 1 }
        if !isVersion(other, of: key) {
            guard let current = table.row(of: key)?.index, arriving.contains(current) else {
                return nil
            }
            other = current
        }
        latest = other
        let isInPlace = table.compare(DocumentRow(row), DocumentRow(other), by: order) == 0
        return isInPlace ? other : nil
    }

    private func isVersion(_ row: Int, of key: KeyNumber) -> Bool {
        row >= 0 && arriving.contains(row) && table.columns.key(of: row) == key
    }
}
