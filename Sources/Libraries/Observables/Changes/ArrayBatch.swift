// The updates of a table view for a change: the rows to delete, insert, move and reload.
//
// Deleted rows and the origins of moves are indices in the old array, inserted rows and the targets of
// moves are indices in the new one, as in UICollectionView's batch updates. Rows that keep their
// relative order are not moved; the largest such group, a longest increasing subsequence, is found, so
// no batch has fewer moves for the same pairing of rows. Which of several rows of one identity are
// paired is unspecified.

/// The difference between two arrays as row operations.
public struct ArrayBatch {
    /// Indices of deleted rows in the old array, ascending.
    public let deleted: [Int]
    /// Indices of inserted rows in the new array, ascending.
    public let inserted: [Int]
    /// Moved rows, as indices in the old and in the new array, ascending by the latter. Rows that only
    /// shift because of others are not included.
    public let moved: [(from: Int, to: Int)]
    /// Rows of the same identity but different content, moved or not, as indices in the old and in the
    /// new array, ascending by the latter.
    public let updated: [(from: Int, to: Int)]

    /// Whether the batch has no operations.
    public var isEmpty: Bool {
        deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }
}

extension ArrayBatch {
    /// The difference between two arrays whose rows are identified by keys.
    ///
    /// As many rows with equal keys are paired as both arrays contain.
    ///
    /// - Parameters:
    ///   - old: The rows before.
    ///   - new: The rows after.
    ///   - key: Returns the identity of a row.
    ///   - contentsEqual: Whether two rows of the same identity look the same: others are reported as updated.
    /// - Complexity: O(*n*) comparisons of keys; for the *m* rows without a partner nearby, O(*m*)
    ///   hashings; and, for *r* runs of rows that stayed together, O(*r* log *r*) comparisons of
    ///   integers.
    @inlinable
    public init<Element, Key: Hashable>(
        from old: [Element], to new: [Element], identifiedBy key: (Element) -> Key,
        contentsEqual: (Element, Element) -> Bool
    ) {
        var alignment = RowAlignment(oldCount: old.count, newCount: new.count)
        alignment.align { key(old[$0]) == key(new[$1]) }

        // Pair the remaining rows: for each key, the old rows form a linked list, with the first as its
        // head.
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
        self.deleted = deleted
        self.inserted = inserted
        self.moved = alignment.pairing.moved
        self.updated = updated
    }

    /// The difference between two arrays whose rows are identified by keys, and are updated if they are
    /// not equal.
    @inlinable
    public init<Element: Equatable, Key: Hashable>(
        from old: [Element], to new: [Element], identifiedBy key: (Element) -> Key
    ) {
        self.init(from: old, to: new, identifiedBy: key, contentsEqual: ==)
    }
}

extension ArrayBatch: Equatable {
    /// Whether both have the same operations.
    public static func == (left: ArrayBatch, right: ArrayBatch) -> Bool {
        left.deleted == right.deleted && left.inserted == right.inserted
            && left.moved.elementsEqual(right.moved, by: ==)
            && left.updated.elementsEqual(right.updated, by: ==)
    }
}

extension ArrayBatch: Sendable {}
