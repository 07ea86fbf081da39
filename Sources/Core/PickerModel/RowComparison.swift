// The comparison of two long arrays of rows, in slices.
//
// An equal row has not changed, and what remains of a list keeps its order when documents change. So the rows that both
// arrays have are passed over in step, by their bits, and no key of them is read. What is left are the rows that have
// come, gone, changed or moved: only these are compared by keys.

package import Observables

/// Finds the rows that only one of two arrays has, in slices.
package final class RowComparison: SlicedWork {
    /// The number of rows that one step passes over.
    private static let rowsPerStep = 4

    package private(set) var stepsTaken = 0
    /// Whether the comparison is over.
    package private(set) var isDone = false
    /// The result; nil if too many rows differ, or rows that both arrays have changed places.
    package var difference: RowDifference? { isDone && isKnown ? found : nil }

    private let old: [ShownRow]
    private let new: [ShownRow]
    private let mostDiffering: Int
    private var isKnown = true
    private var found = RowDifference()
    private var inOld: RowBitset
    private var inNew: RowBitset
    private var noted = 0
    private var nextOld = 0
    private var nextNew = 0

    /// Does nothing yet: the first slice begins the work. No array has a row twice; they are rows of `table`, and remain
    /// readable meanwhile.
    package init(
        from old: [ShownRow], to new: [ShownRow], of table: DocumentTable, mostDiffering: Int
    ) {
        self.old = old
        self.new = new
        self.mostDiffering = mostDiffering
        inOld = RowBitset(bound: table.rowEnd + 1)
        inNew = RowBitset(bound: table.rowEnd + 1)
    }

    /// The bit of a row: 0 for the offer of a new document; nil for one that equals no other.
    private static func bit(_ row: ShownRow) -> Int? {
        guard case .item(let item) = row else { return nil }
        return item.row.map { $0.index + 1 } ?? 0
    }

    package func advance(budget: Int) -> Bool {
        var left = budget.multipliedReportingOverflow(by: Self.rowsPerStep).partialValue
        if left <= 0 { left = .max }
        let before = left
        note(&left)
        if noted == max(old.count, new.count) { walk(&left) }
        stepsTaken += (before - left) / Self.rowsPerStep + 1
        return isDone
    }

    private func note(_ left: inout Int) {
        let end = max(old.count, new.count)
        while left > 0, noted < end {
            if noted < old.count, let bit = Self.bit(old[noted]) { inOld.insert(bit) }
            if noted < new.count, let bit = Self.bit(new[noted]) { inNew.insert(bit) }
            noted += 1
            left -= 1
        }
    }

    private func walk(_ left: inout Int) {
        while left > 0, !isDone {
            left -= 1
            if nextOld < old.count, !(Self.bit(old[nextOld]).map { inNew.contains($0) } ?? false) {
                found.removed.append(.init(index: nextOld, common: found.common))
                nextOld += 1
            } else if nextNew < new.count,
                !(Self.bit(new[nextNew]).map { inOld.contains($0) } ?? false)
            {
                found.inserted.append(.init(index: nextNew, common: found.common))
                nextNew += 1
            } else if nextOld < old.count, nextNew < new.count, old[nextOld] == new[nextNew] {
                found.common += 1
                nextOld += 1
                nextNew += 1
            } else {
                isKnown = nextOld == old.count && nextNew == new.count
                isDone = true
            }
            if found.removed.count + found.inserted.count > mostDiffering {
                isKnown = false
                isDone = true
            }
        }
    }
}

/// The rows that only one of two arrays has.
package struct RowDifference {
    package struct Place {
        /// The index in its array.
        package let index: Int
        /// The number of rows before it that both arrays have.
        package let common: Int
    }

    package fileprivate(set) var removed: [Place] = []
    package fileprivate(set) var inserted: [Place] = []
    /// The number of rows that both arrays have.
    package fileprivate(set) var common = 0

    /// The difference as operations, as of `ArrayBatch`: a row in both arrays is not moved.
    /// - Complexity: O(k log k) for k rows that differ.
    package func operations<Key: Hashable>(
        from old: [ShownRow], to new: [ShownRow], identifiedBy key: (ShownRow) -> Key
    ) -> RowOperations {
        var result = RowOperations()
        var departed: [Key: Int] = [:]
        var arrived: [Int] = []
        var nextOld = 0
        var nextNew = 0
        while nextOld < removed.count || nextNew < inserted.count {
            // Those between the same two rows that both arrays have.
            let place = min(
                nextOld < removed.count ? removed[nextOld].common : .max,
                nextNew < inserted.count ? inserted[nextNew].common : .max)
            let oldRows = removed[nextOld...].prefix { $0.common == place }.map(\.index)
            let newRows = inserted[nextNew...].prefix { $0.common == place }.map(\.index)
            nextOld += oldRows.count
            nextNew += newRows.count
            let batch = ArrayBatch(
                from: oldRows.map { old[$0] }, to: newRows.map { new[$0] }, identifiedBy: key)
            for index in batch.deleted { departed[key(old[oldRows[index]])] = oldRows[index] }
            arrived += batch.inserted.map { newRows[$0] }
            result.moved += batch.moved.map { (oldRows[$0.from], newRows[$0.to]) }
            result.updated += batch.updated.map { (oldRows[$0.from], newRows[$0.to]) }
        }
        // A row that went from one such place to another has moved past rows that stay.
        for index in arrived {
            if let from = departed.removeValue(forKey: key(new[index])) {
                result.moved.append((from, index))
                result.updated.append((from, index))
            } else {
                result.inserted.append(index)
            }
        }
        result.deleted = departed.values.sorted()
        result.moved.sort { $0.to < $1.to }
        result.updated.sort { $0.to < $1.to }
        return result
    }
}

/// The operations that make one array of rows another: as those of `ArrayBatch`.
package struct RowOperations {
    package var deleted: [Int] = []
    package var inserted: [Int] = []
    package var moved: [(from: Int, to: Int)] = []
    /// Rows of the same key that are not equal.
    package var updated: [(from: Int, to: Int)] = []

    package init() {}

    package init(_ batch: ArrayBatch) {
        deleted = batch.deleted
        inserted = batch.inserted
        moved = batch.moved
        updated = batch.updated
    }
}
