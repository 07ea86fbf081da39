internal import ListRequests
internal import Observables
internal import PickerModel

/// Reads the rows of a long window in slices, while its list changes, and then compares them with the rows that a client
/// has.
///
/// What has been read follows the list: a few rows that change are read again at once, and of a greater change, what
/// comes before it remains. When all are read, `whenRead` is called, in the same slice: from then on they are rows of
/// that moment.
final class WindowReading: SlicedWork {
    /// The most rows that are read at once, each by a step.
    private static let rowsAtOnce = 512

    private(set) var stepsTaken = 0
    let list: PickerList
    /// The window, in its place.
    let window: ListWindow
    /// The rows that have been read.
    let rows: ShownRows
    /// Whether all rows have been read.
    private(set) var isWhole = false
    /// What differs from the rows before, once all is done; nil if there were none, or too much differs.
    var difference: RowDifference? { comparison?.difference }

    private let former: ShownRows?
    private let mostDiffering: Int
    private let whenRead: () -> Void
    private var connection: Connection?
    private var comparison: RowComparison?

    /// Does nothing yet: the first slice begins the work. The list is not changed without being followed, and becomes
    /// unsound before it is no longer read.
    init(
        _ window: ListWindow, of list: PickerList, comparedWith former: ShownRows?,
        mostDiffering: Int, whenRead: @escaping () -> Void
    ) {
        self.list = list
        self.window = window
        self.former = former
        self.mostDiffering = mostDiffering
        self.whenRead = whenRead
        rows = ShownRows([PickerItem](), of: list.table)
    }

    /// The rows of the window in the list as it is.
    private var range: Range<Int> { window.range(in: list.items.count) }

    func advance(budget: Int) -> Bool {
        // Its list is made anew, and who waits for this is told.
        guard list.isSound else { return true }
        var left = budget
        if !isWhole, !read(&left) { return false }
        guard let comparison else { return true }
        let before = comparison.stepsTaken
        let isDone = left > 0 && comparison.advance(budget: left)
        stepsTaken += comparison.stepsTaken - before
        return isDone
    }

    private func read(_ left: inout Int) -> Bool {
        if connection == nil {
            connection = list.items.extents.connect { [unowned self] in follow($0) }
            rows.reserveCapacity(range.count)
        }
        while left > 0, rows.count < range.count {
            let lower = range.lowerBound + rows.count
            let upper = min(range.upperBound, lower + min(left, Self.rowsAtOnce))
            rows.replaceSubrange(
                rows.count..<rows.count, with: list.items[lower..<upper].map { .item($0) })
            stepsTaken += upper - lower
            left -= upper - lower
        }
        guard rows.count == range.count else { return false }
        isWhole = true
        connection = nil
        if let former {
            comparison = RowComparison(
                from: former.rows, to: rows.rows, of: list.table, mostDiffering: mostDiffering)
        }
        whenRead()
        return true
    }

    /// Adapts the rows that have been read to a change of the list.
    private func follow(_ extent: ArrayExtent) {
        guard list.isSound else { return }
        let start = window.start
        let total = list.items.count
        // The first row of the window that may differ.
        let lower = max(extent.prefix, start)
        let kept = lower - start
        if kept >= rows.count { return }
        // The first row after those that may differ, where it was, of those that remain in the window.
        let end = total - extent.deltaCount - extent.suffix
        let tail = max(end, start, lower - extent.deltaCount)
        let gap = lower..<(tail + extent.deltaCount)
        if tail < start + rows.count, gap.count <= Self.rowsAtOnce {
            rows.replaceSubrange(kept..<(tail - start), with: list.items[gap].map { .item($0) })
        } else {
            rows.replaceSubrange(kept..<rows.count, with: [])
        }
        if rows.count > range.count { rows.replaceSubrange(range.count..<rows.count, with: []) }
    }
}
