// A sort in slices.
//
// Sorting very many documents takes longer than the loop may be blocked. So the documents of the start are
// sorted a few at a time, while the set keeps changing. Documents that arrive meanwhile are sorted next and
// merged; when few are left, the last step inserts them and removes those that are gone. The resulting order is
// that of the set at that moment, and follows the set from then on.

internal import Observables

/// Sorts the documents of a set, in slices.
package final class OrderMaking: SlicedWork {
    /// The number of changes that the last step makes.
    private static let fewChanges = 256
    /// The cost of comparing two documents, and the rows that are copied by one step.
    private static let comparisonSteps = 4
    private static let rowsPerStep = 4
    private static let rowsAtOnce = 4096

    /// The order, once it is complete.
    package private(set) var order: DocumentOrder?
    package private(set) var stepsTaken = 0

    private let documents: ObservableSet<DocumentRow>
    private let bits: () -> RowBitset
    private let table: DocumentTable
    private let sortOrder: SortOrder
    private let rank: ((DocumentRow) -> UInt64)?
    private let make: (PreparedRows<DocumentRow>) -> DocumentOrder
    private var following: Connection?
    /// Keeps the documents of the start readable.
    private var hold: RowHold?

    /// The sort of the documents of the start, or of those that arrived later.
    private var batch: RowOrdering?
    /// The number of rows of the batch that have been merged.
    private var taken = 0
    /// The documents sorted before, with which the batch is merged, and those that are not merged any more.
    private var former = PreparedRows<DocumentRow>()
    private var cursor = PreparedRows<DocumentRow>.Cursor()
    private var leaving: Set<DocumentRow> = []
    private var sorted = PreparedRows<DocumentRow>()
    /// The documents inserted and removed since the batch began.
    private var arrivals: Set<DocumentRow> = []
    private var gone: Set<DocumentRow> = []

    /// Does nothing yet: the first slice begins the work.
    init(
        of documents: ObservableSet<DocumentRow>, bits: @escaping () -> RowBitset,
        in table: DocumentTable, by sortOrder: SortOrder, rank: ((DocumentRow) -> UInt64)?,
        _ make: @escaping (PreparedRows<DocumentRow>) -> DocumentOrder
    ) {
        self.documents = documents
        self.bits = bits
        self.table = table
        self.sortOrder = sortOrder
        self.rank = rank
        self.make = make
    }

    package func advance(budget: Int) -> Bool {
        if order != nil { return true }
        if following == nil {
            hold = table.hold()
            batch = RowOrdering(bits(), of: table, by: sortOrder, rank: rank)
            following = documents.changes.connect { [unowned self] change in follow(change) }
        }
        var steps = 0
        defer { stepsTaken += steps }
        while steps < budget {
            if let batch {
                let before = batch.stepsTaken
                let isSorted = batch.advance(budget: budget - steps)
                steps += batch.stepsTaken - before
                guard isSorted, merge(batch, &steps, budget) else { return false }
                self.batch = nil
            }
            if arrivals.count + gone.count <= Self.fewChanges {
                end()
                return true
            }
            beginBatch(&steps)
        }
        return false
    }

    /// Begins to sort what has arrived, and to leave out what has gone.
    private func beginBatch(_ steps: inout Int) {
        var bits = RowBitset(bound: table.rowEnd)
        for row in arrivals { bits.insert(row.index) }
        steps += arrivals.count
        leaving = gone
        arrivals = []
        gone = []
        former = sorted
        sorted = PreparedRows()
        cursor = PreparedRows.Cursor()
        taken = 0
        batch = RowOrdering(bits, of: table, by: sortOrder, rank: rank)
    }

    private func isBefore(_ left: DocumentRow, _ right: DocumentRow) -> Bool {
        table.compare(left, right, by: sortOrder, rank: rank) < 0
    }

    /// Merges the sorted batch with the documents sorted before.
    /// - Returns: whether all are merged.
    private func merge(_ batch: RowOrdering, _ steps: inout Int, _ budget: Int) -> Bool {
        while former.isEmpty, taken < batch.count {
            if steps >= budget { return false }
            let next = min(batch.count, taken + Self.rowsAtOnce)
            sorted.append(contentsOf: batch.rows(taken..<next)[...])
            steps += (next - taken) / Self.rowsPerStep
            taken = next
        }
        while sorted.count + leaving.count < former.count + batch.count {
            if steps >= budget { return false }
            mergeSome(batch, &steps)
        }
        former = PreparedRows()
        leaving = []
        return true
    }

    private func mergeSome(_ batch: RowOrdering, _ steps: inout Int) {
        var rows: [DocumentRow] = []
        let arriving = batch.rows(taken..<min(batch.count, taken + 64))
        var next = 0
        while rows.count < 64 {
            let old = cursor.row(of: former)
            if let old, leaving.contains(old) {
                cursor.advance(in: former)
                steps += 1
                continue
            }
            // The batch may go on.
            if next == arriving.count, taken + next < batch.count { break }
            let new = next < arriving.count ? arriving[next] : nil
            guard let row = old ?? new else { break }
            steps += Self.comparisonSteps
            if let new, old.map({ isBefore(new, $0) }) ?? true {
                rows.append(new)
                next += 1
            } else {
                rows.append(row)
                cursor.advance(in: former)
            }
        }
        taken += next
        sorted.append(contentsOf: rows[...])
    }

    private func end() {
        for row in gone { sorted.remove(row, by: isBefore) }
        for row in arrivals { sorted.insert(row, by: isBefore) }
        following = nil
        order = make(sorted)
        sorted = PreparedRows()
        arrivals = []
        gone = []
        hold = nil
    }

    private func follow(_ change: SetChange<DocumentRow>) {
        for row in change.removed where arrivals.remove(row) == nil { gone.insert(row) }
        for row in change.inserted { arrivals.insert(row) }
    }
}
