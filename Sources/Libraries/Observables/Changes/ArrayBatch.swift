// What a view of rows has to do for a change: which rows to delete, insert, move and reload.
//
// Deleted rows and the origins of moves are indices in the old array, inserted rows and the targets
// of moves are indices in the new one, as UICollectionView's batch updates have it. Rows that stay
// where they are relative to each other are not moved; the largest such group, a longest increasing
// subsequence, is found, so that no batch with fewer moves exists for the same pairing of rows. Which
// of several rows of one identity are paired is not specified.

/// The difference between two arrays in terms of rows.
public struct ArrayBatch {
    /// Indices of deleted rows in the old array, ascending.
    public let deleted: [Int]
    /// Indices of inserted rows in the new array, ascending.
    public let inserted: [Int]
    /// Rows that moved: from an index in the old array to one in the new array, ascending in the
    /// latter. Rows that are only pushed aside by others are not among them.
    public let moved: [(from: Int, to: Int)]
    /// Rows of the same identity but other content, moved or not: the index in the old array and
    /// that in the new one, ascending in the latter.
    public let updated: [(from: Int, to: Int)]

    @usableFromInline
    init(
        deleted: [Int], inserted: [Int], moved: [(from: Int, to: Int)],
        updated: [(from: Int, to: Int)]
    ) {
        self.deleted = deleted
        self.inserted = inserted
        self.moved = moved
        self.updated = updated
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool {
        deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// The difference between two arrays whose rows are the same if their keys are equal.
    ///
    /// Of rows with equal keys as many are paired as both arrays have of them.
    ///
    /// - Parameters:
    ///   - old: The rows before.
    ///   - new: The rows after.
    ///   - key: What identifies a row.
    ///   - contentsEqual: Whether two rows of the same identity look the same: the others are
    ///     reported as updated.
    /// - Complexity: O(*n*) comparisons of keys; for the *m* rows that have no partner near by,
    ///   O(*m*) hashings; and, for *r* runs of rows that stayed together, O(*r* log *r*) comparisons
    ///   of integers.
    @inlinable
    public init<Element, Key: Hashable>(
        from old: [Element], to new: [Element], identifiedBy key: (Element) -> Key,
        contentsEqual: (Element, Element) -> Bool
    ) {
        var alignment = RowAlignment(oldCount: old.count, newCount: new.count)
        alignment.align { key(old[$0]) == key(new[$1]) }

        // Pair what is left over: for each key the old rows in a chain, the first at its head.
        var heads: [Key: Int] = [:]
        heads.reserveCapacity(alignment.oldRows.count)
        var chain = [Int](repeating: -1, count: alignment.oldRows.count)
        for index in alignment.oldRows.indices.reversed() {
            if let next = heads.updateValue(index, forKey: key(old[alignment.oldRows[index]])) {
                chain[index] = next
            }
        }
        var isPaired = [Bool](repeating: false, count: alignment.oldRows.count)
        var inserted: [Int] = []
        for row in alignment.newRows {
            let key = key(new[row])
            guard let index = heads[key], index >= 0 else {
                inserted.append(row)
                continue
            }
            heads[key] = chain[index]
            isPaired[index] = true
            alignment.pairing.pair(alignment.oldRows[index], row)
        }

        var updated: [(from: Int, to: Int)] = []
        alignment.pairing.sortByTarget()
        for run in alignment.pairing.pairs {
            for offset in 0..<run.weight
            where !contentsEqual(old[run.from + offset], new[run.to + offset]) {
                updated.append((run.from + offset, run.to + offset))
            }
        }
        var deleted: [Int] = []
        for (index, row) in alignment.oldRows.enumerated() where !isPaired[index] {
            deleted.append(row)
        }
        self.init(
            deleted: deleted, inserted: inserted, moved: alignment.pairing.moved,
            updated: updated)
    }

    /// The difference between two arrays whose rows are the same if their keys are equal, and are
    /// updated if they are not equal as a whole.
    @inlinable
    public init<Element: Equatable, Key: Hashable>(
        from old: [Element], to new: [Element], identifiedBy key: (Element) -> Key
    ) {
        self.init(from: old, to: new, identifiedBy: key, contentsEqual: ==)
    }
}

extension ArrayBatch: Equatable {
    /// Whether both say the same.
    public static func == (left: ArrayBatch, right: ArrayBatch) -> Bool {
        left.deleted == right.deleted && left.inserted == right.inserted
            && left.moved.elementsEqual(right.moved, by: ==)
            && left.updated.elementsEqual(right.updated, by: ==)
    }
}

extension ArrayBatch: Sendable {}
