extension ArrayChange {
    /// The change in terms of rows: which to delete, insert, move and reload.
    ///
    /// Only the rows that the change names are looked at; the runs between them are moved as a
    /// whole where that makes fewer moves than moving what was taken out and put in elsewhere.
    ///
    /// - Parameters:
    ///   - key: What identifies a row.
    ///   - contentsEqual: Whether two rows of the same identity look the same: the others are
    ///     reported as updated.
    /// - Returns: What to do to rows, in one step.
    /// - Complexity: O(*k* log *k*), *k* the number of rows that the change names.
    ///
    /// - Complexity: O(*k* log *k*) for a change of *k* elements, whatever the length of the array.
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
        // For each key the rows taken away, in a chain, the first at its head.
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
        // Of an array of unknown length, the rest is taken to be too long to move.
        pairing.pairRun(oldEnd, newEnd, count: finalCount.map { $0 - newEnd } ?? Int.max / 4)
        return ArrayBatch(
            deleted: old.indices.filter { !isPaired[$0] }.map { old[$0].row },
            inserted: inserted, moved: pairing.moved, updated: updated)
    }
}

extension ArrayChange where Element: Hashable {
    /// The change in terms of rows, those being the same that are equal. No row is reported as
    /// updated.
    ///
    /// - Complexity: O(*k* log *k*) for a change of *k* elements, whatever the length of the array.
    public func batched() -> ArrayBatch {
        batched(identifiedBy: { $0 }, contentsEqual: { _, _ in true })
    }
}

extension ArrayChange where Element: Equatable {
    /// The change in terms of rows, those being the same that have equal keys, and updated if they
    /// are not equal as a whole.
    public func batched<Key: Hashable>(identifiedBy key: (Element) -> Key) -> ArrayBatch {
        batched(identifiedBy: key, contentsEqual: ==)
    }
}
