// Bottom-up merge sort that can pause at any row; its entries hold no references.

/// Sorts entries by their numbers; `Tiebreak` decides between equal ones.
struct SlicedSorter {
    /// Whether the document at the first index comes before that at the second.
    typealias Tiebreak = (UInt32, UInt32) -> Bool

    /// The number of rows sorted in one piece.
    private static let runLength = 64
    /// The cost of accessing two documents.
    private static let tieSteps = 8

    private var source: [OrderEntry]
    private var target: [OrderEntry] = []
    /// The length of the sorted runs.
    private var width = Self.runLength
    /// The number of rows in sorted runs of `runLength`.
    private var sortedRows = 0
    /// The rests of the two runs being merged.
    private var left = 0..<0
    private var right = 0..<0

    init(_ entries: [OrderEntry]) {
        source = entries
        target.reserveCapacity(entries.count)
    }

    /// Sorted, once `advance` returns true.
    var entries: [OrderEntry] { source }

    /// Continues until `steps` reaches `budget`, or a little more.
    /// - Returns: whether all is sorted.
    mutating func advance(_ steps: inout Int, budget: Int, _ tiebreak: Tiebreak) -> Bool {
        while sortedRows < source.count {
            if steps >= budget { return false }
            sortRun(&steps, tiebreak)
        }
        while width < source.count {
            if steps >= budget { return false }
            merge(&steps, budget, tiebreak)
            if target.count == source.count {
                swap(&source, &target)
                target.removeAll(keepingCapacity: true)
                width *= 2
                left = 0..<0
                right = 0..<0
            }
        }
        return true
    }

    private static func precedes(
        _ one: OrderEntry, _ other: OrderEntry, _ steps: inout Int, _ tiebreak: Tiebreak
    ) -> Bool {
        if one.first != other.first { return one.first < other.first }
        if one.second != other.second { return one.second < other.second }
        steps += tieSteps
        return tiebreak(one.place, other.place)
    }

    /// Insertion sort: the entries of a run are in the processor's cache.
    private mutating func sortRun(_ steps: inout Int, _ tiebreak: Tiebreak) {
        let end = min(source.count, sortedRows + Self.runLength)
        for index in sortedRows..<end {
            let entry = source[index]
            var low = sortedRows
            var high = index
            while low < high {
                let middle = (low + high) / 2
                if Self.precedes(entry, source[middle], &steps, tiebreak) {
                    high = middle
                } else {
                    low = middle + 1
                }
            }
            var hole = index
            while hole > low {
                source[hole] = source[hole - 1]
                hole -= 1
            }
            source[low] = entry
            steps += 8
        }
        sortedRows = end
    }

    private mutating func merge(_ steps: inout Int, _ budget: Int, _ tiebreak: Tiebreak) {
        if left.isEmpty, right.isEmpty {
            let start = target.count
            let middle = min(source.count, start + width)
            left = start..<middle
            right = middle..<min(source.count, middle + width)
        }
        while steps < budget, !left.isEmpty, !right.isEmpty {
            steps += 1
            let (one, other) = (source[left.lowerBound], source[right.lowerBound])
            if Self.precedes(other, one, &steps, tiebreak) {
                target.append(other)
                right = (right.lowerBound + 1)..<right.upperBound
            } else {
                target.append(one)
                left = (left.lowerBound + 1)..<left.upperBound
            }
        }
        // The rest of one run, when the other is used up.
        guard left.isEmpty || right.isEmpty else { return }
        let rest = left.isEmpty ? right : left
        let taken = rest.lowerBound..<min(rest.upperBound, rest.lowerBound + max(1, budget - steps))
        target.append(contentsOf: source[taken])
        steps += taken.count
        if left.isEmpty {
            right = taken.upperBound..<right.upperBound
        } else {
            left = taken.upperBound..<left.upperBound
        }
    }
}
