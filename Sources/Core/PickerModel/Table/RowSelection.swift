internal import CDocumentKernels

/// The first rows of an order, found without sorting the others.
struct RowSelection {
    /// The number of rows wanted.
    let limit: Int
    /// Candidates: at most twice as many as wanted.
    private var candidates: [RowEntry] = []
    /// Entries after this one are not among the first.
    private(set) var last: RowEntry?

    init(limit: Int) {
        self.limit = limit
        candidates.reserveCapacity(2 * limit)
    }

    private static func isBefore(
        _ one: RowEntry, _ other: RowEntry, _ tiebreak: (UInt32, UInt32) -> Bool
    ) -> Bool {
        one.word == other.word ? tiebreak(one.row, other.row) : one.word < other.word
    }

    /// Takes one more row into account.
    /// - Complexity: O(1) on average over many rows.
    @inline(__always)
    mutating func add(_ entry: RowEntry, _ tiebreak: (UInt32, UInt32) -> Bool) {
        if let last, entry.word >= last.word {
            if entry.word > last.word || !tiebreak(entry.row, last.row) { return }
        }
        candidates.append(entry)
        if candidates.count >= 2 * limit { cut(tiebreak) }
    }

    /// The first rows of those added, in order.
    /// - Complexity: O(w log w) for w wanted rows.
    func rows(_ tiebreak: (UInt32, UInt32) -> Bool) -> [UInt32] {
        candidates.sorted { Self.isBefore($0, $1, tiebreak) }.prefix(limit).map(\.row)
    }

    /// Keeps the first `limit` candidates, by partition around pivots.
    private mutating func cut(_ tiebreak: (UInt32, UInt32) -> Bool) {
        guard limit > 0 else { return candidates.removeAll(keepingCapacity: true) }
        var low = 0
        var high = candidates.count - 1
        while low < high {
            // The middle of three, so that sorted input is no worst case.
            let middle = (low + high) / 2
            order(low, middle, tiebreak)
            order(low, high, tiebreak)
            order(middle, high, tiebreak)
            let pivot = candidates[middle]
            var left = low
            var right = high
            while left <= right {
                while Self.isBefore(candidates[left], pivot, tiebreak) { left += 1 }
                while Self.isBefore(pivot, candidates[right], tiebreak) { right -= 1 }
                if left <= right {
                    candidates.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if limit - 1 <= right {
                high = right
            } else if limit - 1 >= left {
                low = left
            } else {
                break
            }
        }
        candidates.removeSubrange(limit...)
        last = candidates[limit - 1]
    }

    private mutating func order(
        _ low: Int, _ high: Int, _ tiebreak: (UInt32, UInt32) -> Bool
    ) {
        if Self.isBefore(candidates[high], candidates[low], tiebreak) {
            candidates.swapAt(low, high)
        }
    }
}
