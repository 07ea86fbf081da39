// The comparison of two long arrays of rows, in slices.
//
// An equal row has not changed, and what remains of a list keeps its order when documents change. So the rows that both
// arrays have are passed over in step, by their bits, and no key of them is read. What is left are the rows that have
// come, gone, changed or moved: only these are compared by keys.

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

    /// Does nothing yet: the first slice begins the work. No array has a row twice; the indices of all rows are below
    /// `rowEnd`, and the rows remain readable meanwhile.
    package init(from old: [ShownRow], to new: [ShownRow], rowEnd: Int, mostDiffering: Int) {
        self.old = old
        self.new = new
        self.mostDiffering = mostDiffering
        inOld = RowBitset(bound: rowEnd + 1)
        inNew = RowBitset(bound: rowEnd + 1)
    }

    /// The bit of a row: 0 for the offer of a new document; nil for one that equals no other.
    private static func bit(_ row: ShownRow) -> Int? {
        row.item.map { item in item.row.map { $0.index + 1 } ?? 0 }
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
}
