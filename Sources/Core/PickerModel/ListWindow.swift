/// A range of a list's rows.
package struct ListWindow: Hashable, Sendable {
    /// The most rows of a window with a count.
    package static let largestCount = 100_000

    package let start: Int
    /// The number of rows; nil for all from `start` on.
    package let count: Int?

    /// All rows.
    package static let all = ListWindow(start: 0, count: nil)
    /// The default window of a client: the first 50 rows.
    package static let opening = ListWindow(start: 0, count: 50)

    /// At most `count` rows from `start` on.
    /// - Precondition: neither is negative, and `count` is `largestCount` at most.
    package init(start: Int, count: Int?) {
        precondition(start >= 0, "the window starts at \(start); 0 is the first row")
        precondition(
            count.map { (0...ListWindow.largestCount).contains($0) } ?? true,
            "no window has \(count ?? 0) rows")
        self.start = start
        self.count = count
    }

    /// The part of a list of `total` rows in the window; empty if the window is beyond the end.
    package func range(in total: Int) -> Range<Int> {
        let lower = min(start, total)
        guard let count else { return lower..<total }
        return lower..<(lower + min(count, total - lower))
    }
}
