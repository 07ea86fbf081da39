// Most rows of an array keep their successor in a change. Scanning the old and the new array side by
// side pairs these rows without hashing: at a difference, the row of one side is searched a few rows
// ahead in the other, and skipped rows are left to be paired by other means. If that fails too often,
// because a long block of rows was inserted or removed, the scan continues from the ends.

/// Pairs rows of an old and a new array that have the same order.
@usableFromInline
struct RowAlignment {
    /// The number of rows searched ahead.
    @usableFromInline static var reach: Int { 8 }

    @usableFromInline var pairing = RowPairing()
    /// Rows that were not paired, ascending.
    @usableFromInline var oldRows: [Int] = []
    @usableFromInline var newRows: [Int] = []
    @usableFromInline let oldCount: Int
    @usableFromInline let newCount: Int

    @usableFromInline
    init(oldCount: Int, newCount: Int) {
        self.oldCount = oldCount
        self.newCount = newCount
    }

    /// - Parameter isSame: Whether an old and a new row have the same identity.
    @inlinable
    mutating func align(by isSame: (Int, Int) -> Bool) {
        var old = 0
        var new = 0
        var failures = 0
        while old < oldCount, new < newCount {
            var run = 0
            while old + run < oldCount, new + run < newCount, isSame(old + run, new + run) {
                run += 1
            }
            pairing.pairRun(old, new, count: run)
            old += run
            new += run
            guard old < oldCount, new < newCount else { break }
            if let skip = skip(old, new, isSame) {
                leaveOver(old..<(old + skip.old), new..<(new + skip.new))
                old += skip.old
                new += skip.new
            } else {
                failures += 1
                if failures > 64 + old / 16 { break }
                leaveOver(old..<(old + 1), new..<(new + 1))
                old += 1
                new += 1
            }
        }
        var suffix = 0
        while oldCount - suffix > old, newCount - suffix > new,
            isSame(oldCount - suffix - 1, newCount - suffix - 1)
        { suffix += 1 }
        leaveOver(old..<(oldCount - suffix), new..<(newCount - suffix))
        pairing.pairRun(oldCount - suffix, newCount - suffix, count: suffix)
    }

    /// The number of rows to skip on each side so that the next two are the same.
    @inlinable
    func skip(
        _ old: Int, _ new: Int, _ isSame: (Int, Int) -> Bool
    ) -> (old: Int, new: Int)? {
        for distance in 1...Self.reach {
            if old + distance < oldCount, isSame(old + distance, new) { return (distance, 0) }
            if new + distance < newCount, isSame(old, new + distance) { return (0, distance) }
        }
        return nil
    }

    @usableFromInline
    mutating func leaveOver(_ old: Range<Int>, _ new: Range<Int>) {
        oldRows.append(contentsOf: old)
        newRows.append(contentsOf: new)
    }

    /// The change from the old rows to the new ones that keeps the paired rows.
    func change<Element>(from old: [Element], to new: [Element]) -> ArrayChange<Element> {
        var change = ArrayChange<Element>(initialCount: old.count)
        var oldEnd = 0
        var newEnd = 0
        func replace(before run: (from: Int, to: Int)) {
            if let modification = ArrayModification(
                replacing: Array(old[oldEnd..<run.from]), at: newEnd,
                with: Array(new[newEnd..<run.to]))
            {
                change.add(modification)
            }
        }
        for run in pairing.pairs {
            replace(before: (run.from, run.to))
            oldEnd = run.from + run.weight
            newEnd = run.to + run.weight
        }
        replace(before: (old.count, new.count))
        return change
    }

    /// Pairs the rows that a difference keeps.
    mutating func pair<Element>(along difference: CollectionDifference<Element>) {
        var leaves = [Bool](repeating: false, count: oldCount)
        var arrives = [Bool](repeating: false, count: newCount)
        for change in difference {
            switch change {
            case .remove(let offset, _, _): leaves[offset] = true
            case .insert(let offset, _, _): arrives[offset] = true
            }
        }
        var new = 0
        for old in 0..<oldCount where !leaves[old] {
            while arrives[new] { new += 1 }
            pairing.pair(old, new)
            new += 1
        }
    }
}
