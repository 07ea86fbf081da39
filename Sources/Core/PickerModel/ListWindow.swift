/// A range of a list's rows.
package struct ListWindow: Hashable, Sendable {
    /// The most rows of a window with a count.
    package static let largestCount = 100_000

    package let start: Int
    /// The number of rows; nil for all from `start` on.
    package let count: Int?

    /// All rows.
    package static let all = ListWindow(checkedStart: 0, count: nil)
    /// The default window of a client: the first 50 rows.
    package static let opening = ListWindow(checkedStart: 0, count: 50)

    /// At most `count` rows from `start` on.
    /// - Throws: `PickerModelError.windowOutOfRange`.
    package init(start: Int, count: Int?) throws(PickerModelError) {
        guard start >= 0 else {
            throw .windowOutOfRange("the window starts at \(start); 0 is the first row")
        }
        if let count, !(0...ListWindow.largestCount).contains(count) {
            throw .windowOutOfRange(
                """
                the window has \(count) rows; 0 to \(ListWindow.largestCount) can be asked for, \
                or null for all
                """)
        }
        self.init(checkedStart: start, count: count)
    }

    private init(checkedStart start: Int, count: Int?) {
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
