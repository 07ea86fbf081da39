extension ArrayChange {
    /// The change as row operations: the rows to delete, insert, move and reload.
    ///
    /// Only the rows named by the change are inspected; the runs between them move as a whole if that
    /// takes fewer moves than moving the removed and inserted rows.
    ///
    /// - Parameters:
    ///   - key: Returns the identity of a row.
    ///   - contentsEqual: Whether two rows of the same identity look the same: others are reported as updated.
    /// - Returns: The row operations, for one batch update.
    /// - Complexity: O(*k* log *k*) for a change of *k* rows, whatever the length of the array.
    public func batched<Key: Hashable>(
        identifiedBy key: (Element) -> Key,
        contentsEqual: (Element, Element) -> Bool
    ) -> ArrayBatch {
        let modifications = modifications
        var old: [(row: Int, element: Element)] = []
        var growth = 0
        for modification in modifications {
            for (offset, element) in modification.oldElements.enumerated() {
                old.append((modification.startIndex - growth + offset, element))
            }
            growth += modification.deltaCount
        }
        // For each key, the removed rows form a linked list, with the first as its head.
        var heads: [Key: Int] = [:]
        var chain = [Int](repeating: -1, count: old.count)
        for index in old.indices.reversed() {
            if let next = heads.updateValue(index, forKey: key(old[index].element)) {
                chain[index] = next
            }
        }

        var pairing = RowPairing()
        var isPaired = [Bool](repeating: false, count: old.count)
        var inserted: [Int] = []
        var updated: [(from: Int, to: Int)] = []
        var oldEnd = 0
        var newEnd = 0
        for modification in modifications {
            let run = modification.startIndex - newEnd
            pairing.pairRun(oldEnd, newEnd, count: run)
            for (offset, element) in modification.newElements.enumerated() {
                let row = modification.startIndex + offset
                let key = key(element)
                guard let origin = heads[key], origin >= 0 else {
                    inserted.append(row)
                    continue
                }
                heads[key] = chain[origin]
                isPaired[origin] = true
                pairing.pair(old[origin].row, row)
                if !contentsEqual(old[origin].element, element) {
                    updated.append((old[origin].row, row))
                }
            }
            oldEnd += run + modification.inputCount
            newEnd = modification.outputRange.upperBound
        }
        // If the length of the array is unknown, the rest is assumed to be too long to move.
        pairing.pairRun(oldEnd, newEnd, count: finalCount.map { $0 - newEnd } ?? Int.max / 4)
        return ArrayBatch(
            deleted: old.indices.filter { !isPaired[$0] }.map { old[$0].row },
            inserted: inserted, moved: pairing.moved, updated: updated)
    }
}

extension ArrayChange where Element: Hashable {
    /// The change as row operations, identifying equal rows. No row is reported as updated.
    ///
    /// - Complexity: O(*k* log *k*) for a change of *k* elements, whatever the length of the array.
    public func batched() -> ArrayBatch {
        batched(identifiedBy: { $0 }, contentsEqual: { _, _ in true })
    }
}

extension ArrayChange where Element: Equatable {
    /// The change as row operations, with rows identified by keys, and updated if they are not equal.
    public func batched<Key: Hashable>(identifiedBy key: (Element) -> Key) -> ArrayBatch {
        batched(identifiedBy: key, contentsEqual: ==)
    }
}
