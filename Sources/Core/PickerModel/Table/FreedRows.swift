// The rows that have been freed and not released yet, the oldest first.
//
// Rows are released from the front, a few in each turn, while a hold keeps very many others. So the front is not removed
// but passed over, until it is as long as the rest: that is then moved, in less time than it took to pass the front.
//
// Invariant: the front is shorter than the rest, or empty.

/// A queue of rows whose memory is reserved before.
struct FreedRows: ~Copyable {
    private var rows = PackedColumn<UInt32>()
    /// The number of rows that were passed over.
    private var start = 0

    /// The number of rows.
    var count: Int { rows.count - start }
    /// The rows moved so far, for tests.
    private(set) var moved = 0

    /// Makes room for so many rows.
    /// - Returns: false, without effect, if the system has no memory for it.
    mutating func reserve(_ count: Int) -> Bool { rows.reserve(2 * count) }

    /// Adds a row, for which room has been made.
    mutating func append(_ row: UInt32) {
        rows.resize(to: rows.count + 1)
        rows[rows.count - 1] = row
    }

    subscript(index: Int) -> UInt32 { rows[start + index] }

    /// Removes the first `count` rows.
    /// - Complexity: O(`count`) amortized.
    mutating func removeFirst(_ count: Int) {
        precondition(count >= 0 && count <= self.count)
        start += count
        let rest = self.count
        if start < rest || start == 0 { return }
        moved += rest
        for index in 0..<rest { rows[index] = rows[start + index] }
        rows.resize(to: rest)
        start = 0
    }
}
