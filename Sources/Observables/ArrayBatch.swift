// What a view of rows has to do for a change: which rows to delete, insert, move and reload.
//
// Deleted rows and the origins of moves are indices in the old array, inserted rows and the targets
// of moves are indices in the new one, as UICollectionView's batch updates have it. Rows that stay
// where they are relative to each other are not moved; the largest such group, a longest increasing
// subsequence, is found, so that no batch with fewer moves exists for the same pairing of rows. Rows
// of one identity that occur several times are paired in their order.

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
    /// - Parameters:
    ///   - old: The rows before.
    ///   - new: The rows after.
    ///   - key: What identifies a row.
    ///   - contentsEqual: Whether two rows of the same identity look the same: the others are
    ///     reported as updated.
    /// - Complexity: O(*n*) to find where the arrays begin and cease to differ; between, for *m*
    ///   rows, O(*m*) hashings and O(*m* log *m*) comparisons of integers.
    @inlinable
    public init<Element, Key: Hashable>(
        from old: [Element], to new: [Element], identifiedBy key: (Element) -> Key,
        contentsEqual: (Element, Element) -> Bool
    ) {
        var updated: [(from: Int, to: Int)] = []
        let shorter = min(old.count, new.count)
        var prefix = 0
        while prefix < shorter, key(old[prefix]) == key(new[prefix]) {
            if !contentsEqual(old[prefix], new[prefix]) { updated.append((prefix, prefix)) }
            prefix += 1
        }
        var suffix = 0
        while suffix < shorter - prefix,
            key(old[old.count - 1 - suffix]) == key(new[new.count - 1 - suffix])
        { suffix += 1 }

        // Pair the rows between: for each key the old rows in a chain, the first at its head.
        let oldEnd = old.count - suffix
        let newEnd = new.count - suffix
        var heads: [Key: Int] = [:]
        heads.reserveCapacity(oldEnd - prefix)
        var chain = [Int](repeating: -1, count: oldEnd - prefix)
        var row = oldEnd - 1
        while row >= prefix {
            if let next = heads.updateValue(row, forKey: key(old[row])) {
                chain[row - prefix] = next
            }
            row -= 1
        }
        var pairing = RowPairing()
        var isPaired = [Bool](repeating: false, count: oldEnd - prefix)
        var inserted: [Int] = []
        for row in prefix..<newEnd {
            let key = key(new[row])
            guard let origin = heads[key], origin >= 0 else {
                inserted.append(row)
                continue
            }
            heads[key] = chain[origin - prefix]
            isPaired[origin - prefix] = true
            pairing.pair(origin, row)
            if !contentsEqual(old[origin], new[row]) { updated.append((origin, row)) }
        }
        for offset in 0..<suffix {
            let from = oldEnd + offset
            let to = newEnd + offset
            if !contentsEqual(old[from], new[to]) { updated.append((from, to)) }
        }
        self.init(
            deleted: isPaired.indices.filter { !isPaired[$0] }.map { $0 + prefix },
            inserted: inserted, moved: pairing.moved, updated: updated)
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
