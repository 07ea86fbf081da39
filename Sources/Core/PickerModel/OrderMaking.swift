// A sort in slices.
//
// Sorting very many documents takes longer than the loop may be blocked. So the documents of the start are
// sorted a few at a time, while the set keeps changing. Documents that arrive meanwhile are sorted next and
// merged; when few are left, the last step inserts them and removes those that are gone. The resulting order is
// that of the set at that moment, and follows the set from then on.

internal import Observables

/// Sorts the documents of a set, in slices.
package final class OrderMaking: SlicedWork {
    /// The number of arrivals that the last step inserts.
    private static let fewArrivals = 256
    /// The cost of comparing two documents.
    private static let comparisonSteps = 4

    /// The order, once it is complete.
    package private(set) var order: DocumentOrder?
    package private(set) var stepsTaken = 0

    private let documents: ObservableSet<DocumentRow>
    private let bits: () -> RowBitset
    private let table: DocumentTable
    private let sortOrder: SortOrder
    private let rank: ((DocumentRow) -> UInt64)?
    private let make: ([DocumentRow]) -> DocumentOrder
    private var following: Connection?
    /// Keeps the documents of the start readable.
    private var hold: RowHold?

    /// The sort of the documents of the start, or of those that arrived later.
    private var batch: RowOrdering?
    /// The sorted batch, while it is merged.
    private var batchRows: [DocumentRow]?
    /// The documents sorted so far, into which the sorted batch is merged, and the progress of that merge.
    private var sorted: [DocumentRow] = []
    private var merged: [DocumentRow] = []
    private var nextSorted = 0
    /// The documents inserted and removed since the start.
    private var arrivals: Set<DocumentRow> = []
    private var gone: Set<DocumentRow> = []

    /// Does nothing yet: the first slice begins the work.
    init(
        of documents: ObservableSet<DocumentRow>, bits: @escaping () -> RowBitset,
        in table: DocumentTable, by sortOrder: SortOrder, rank: ((DocumentRow) -> UInt64)?,
        _ make: @escaping ([DocumentRow]) -> DocumentOrder
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
                guard isSorted else { return false }
                let rows = batchRows ?? batch.rows
                batchRows = rows
                guard merge(rows, &steps, budget) else { return false }
                self.batch = nil
                batchRows = nil
            }
            if arrivals.count <= Self.fewArrivals {
                end()
                return true
            }
            var bits = RowBitset(bound: table.rowEnd)
            for row in arrivals { bits.insert(row.index) }
            steps += arrivals.count
            arrivals = []
            batch = RowOrdering(bits, of: table, by: sortOrder, rank: rank)
        }
        return false
    }

    private func isBefore(_ left: DocumentRow, _ right: DocumentRow) -> Bool {
        table.compare(left, right, by: sortOrder, rank: rank) < 0
    }

    /// Merges the sorted batch with the documents sorted before.
    private func merge(_ batch: [DocumentRow], _ steps: inout Int, _ budget: Int) -> Bool {
        if sorted.isEmpty {
            sorted = batch
            return true
        }
        let total = sorted.count + batch.count
        merged.reserveCapacity(total)
        while merged.count < total {
            if steps >= budget { return false }
            steps += 1
            let next = merged.count - nextSorted
            let row = next < batch.count ? batch[next] : nil
            if nextSorted < sorted.count {
                steps += Self.comparisonSteps
                if row.map({ isBefore(sorted[nextSorted], $0) }) ?? true {
                    merged.append(sorted[nextSorted])
                    nextSorted += 1
                    continue
                }
            }
            if let row { merged.append(row) }
        }
        sorted = merged
        merged = []
        nextSorted = 0
        return true
    }

    private func end() {
        let late = arrivals.sorted(by: isBefore)
        if !gone.isEmpty { sorted.removeAll { gone.contains($0) } }
        if !late.isEmpty {
            var rows: [DocumentRow] = []
            rows.reserveCapacity(sorted.count + late.count)
            var taken = 0
            for row in late {
                let place = insertionIndex(of: row, from: taken)
                rows.append(contentsOf: sorted[taken..<place])
                rows.append(row)
                taken = place
            }
            rows.append(contentsOf: sorted[taken...])
            sorted = rows
        }
        following = nil
        order = make(sorted)
        sorted = []
        arrivals = []
        gone = []
        hold = nil
    }

    /// The number of rows that come before a document: at least `low`.
    private func insertionIndex(of row: DocumentRow, from low: Int) -> Int {
        var low = low
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(sorted[middle], row) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func follow(_ change: SetChange<DocumentRow>) {
        for row in change.removed where arrivals.remove(row) == nil { gone.insert(row) }
        for row in change.inserted { arrivals.insert(row) }
    }
}
