// How much the orders change at once.
//
// An order that follows the documents takes about log n comparisons for each row that comes or goes, and so does every
// list in it take a test, all in the transaction of the change: some microseconds for each row and order. For a saved
// file that is nothing. A folder of 100,000 files that is moved would hold the loop for seconds. So it is counted
// before a change how many rows the orders would have to edit. If these are too many, the orders fall behind: they
// do nothing for the change, their lists become unsound, and what had been sorted is kept as the base from which the
// order is made again in slices (`OrderMaking`).
//
// Changes come in parts, too. Edits that were made at once add up; a change gives a few back, and so documents that are
// changed one by one never exhaust the budget. Orders that fall behind start over with all of it: making them again
// takes about as long as the edits that were made until then, so a steady stream of changes costs twice the least at
// most. Nothing here depends on time.
//
// While the documents change without a pause, orders that have fallen behind wait (`QuietWait`): made now, they would
// fall behind again with the next part. So that lists show something new during a flood that does not end, they wait
// for no more changes than a part of all documents.
//
// What changes the documents may know that more is to come, as when a folder is read: a part of it may be late, which is
// no quiet time. An order that began to be made between two parts would take the time that they need.

internal import Observables

/// The budget of all orders for following changes of the documents. Not thread-safe.
package final class OrderFollowing {
    /// What the orders edit at once.
    package struct Limits: Sendable {
        /// The most rows inserted and removed by one change, summed over all orders: some milliseconds.
        package var editsAtOnce = 1024
        /// The most that are not given back yet.
        package var edits = 16_384
        /// The edits that each change gives back.
        package var editsPerChange = 64
        /// Orders of no more documents always follow: sorting them anew takes no longer.
        package var alwaysFollowed = 4096
        /// The rows freed since an order has fallen behind, and kept for that, above which it is sorted from nothing;
        /// or half of the documents, if these are more.
        package var mostFreed = 16_384

        package init() {}
    }

    private struct Weak {
        weak var orders: DocumentOrders?
    }

    package var limits = Limits() {
        didSet { left = limits.edits }
    }
    /// Whether more changes are known to come soon.
    var areMoreComing: () -> Bool = { false }
    /// The rows that came and went so far.
    private(set) var rowsChanged = 0
    private var left: Int
    private var all: [Weak] = []

    init() {
        left = limits.edits
    }

    func add(_ orders: DocumentOrders) {
        all.removeAll { $0.orders == nil }
        all.append(Weak(orders: orders))
    }

    /// Gives up one unused order, except for the last of each range.
    /// - Returns: whether there was none.
    func giveUpUnused() -> Bool {
        !all.contains { $0.orders?.giveUpUnused() ?? false }
    }

    /// Tells the orders how many rows of each range are about to come or go, before they do, and how many in all. All
    /// writes before must have been made.
    /// - Complexity: O(m) for m orders, and what falling behind takes.
    func willChange(rows: Int, _ edits: (DocumentRange) -> Int) {
        rowsChanged &+= rows
        left = min(limits.edits, left + limits.editsPerChange)
        left -= follow(edits)
        for orders in all { orders.orders?.dropLargeBases() }
    }

    /// Tells the orders that so many documents of the roots will be changed soon, in one step or several.
    func willChangeSoon(_ count: Int) {
        _ = follow { $0.collections == .documents && $0.part != .dropped ? count : 0 }
    }

    /// - Returns: the edits that the orders are going to make: 0 if they fall behind.
    private func follow(_ editsIn: (DocumentRange) -> Int) -> Int {
        func edits(_ orders: DocumentOrders) -> Int { editsIn(orders.range) }
        let affected = all.compactMap(\.orders).filter { edits($0) > 0 }
        var cost = 0
        for orders in affected {
            let (edits, isOver) = edits(orders).multipliedReportingOverflow(
                by: orders.followingCount)
            cost = isOver || cost > .max - edits ? .max : cost + edits
        }
        if cost <= min(left, limits.editsAtOnce) { return cost }
        for orders in affected where orders.followingCount > 0 { orders.fallBehind() }
        left = limits.edits
        return 0
    }
}

/// The sorted rows of an order at the moment when it fell behind.
final class OrderBase {
    let rows: PreparedRows<DocumentRow>
    /// Since then no row has been released, so one that is current is still the same version of the same document.
    let hold: RowHold
    let noted: NotedRows

    init(_ rows: PreparedRows<DocumentRow>, hold: RowHold, noted: NotedRows) {
        self.rows = rows
        self.hold = hold
        self.noted = noted
    }
}

/// The rows of all orders that fell behind at the same moment, once they have been noted for one of them.
final class NotedRows {
    var bits: RowBitset?
}
