// Bottom-up merge sort (Knuth, The Art of Computer Programming, volume 3, 5.2.4), which can be
// interrupted after any number of rows. It is stable: rows that tie keep their order.
//
// The rows are divided into a power of two of blocks, which are sorted by insertion. As soon as two
// adjacent runs have the same number of blocks they are merged, like the carry of a binary counter; so
// most rows to merge were touched recently and are still in the processor's cache. The runs of one level
// lie in one buffer, those of the next in the other.

/// A row that is being sorted.
@usableFromInline
struct OrderEntry<Element> {
    @usableFromInline var element: Element
    /// Its old position.
    @usableFromInline var origin: UInt32

    @inlinable
    init(_ element: Element, _ origin: UInt32) {
        self.element = element
        self.origin = origin
    }
}

/// Sorts entries in steps.
///
/// - Complexity: O(*n* log *n*) comparisons, one for each entry and level and up to 3.5 more in its
///   block; memory for twice the entries.
@usableFromInline
struct MergeSorter<Element> {
    @usableFromInline typealias Entry = OrderEntry<Element>

    /// The maximum number of rows in a block.
    @usableFromInline static var blockSize: Int { 8 }

    /// Runs of 1, 4, 16 … blocks.
    @usableFromInline var even: [Entry]
    /// Runs of 2, 8, 32 … blocks.
    @usableFromInline var odd: [Entry] = []
    /// The number of blocks is two to the power of this.
    @usableFromInline let levels: Int
    /// The number of sorted blocks.
    @usableFromInline var sortedBlocks = 0
    /// The size of the last runs among the sorted blocks, as a power of two of blocks.
    @usableFromInline var level = 0
    /// The runs that are being merged.
    @usableFromInline var pair: RunPair?
    @usableFromInline var isDone: Bool

    @inlinable
    init(_ entries: [Entry]) {
        even = entries
        var levels = 0
        while entries.count > Self.blockSize << levels { levels += 1 }
        self.levels = levels
        isDone = entries.count <= 1
    }

    /// The entries in order. Valid once done.
    @inlinable
    var entries: [Entry] { level & 1 == 0 ? even : odd }

    /// Processes about `budget` entries.
    ///
    /// - Returns: Whether all entries are sorted.
    @inlinable
    mutating func advance(budget: Int, by order: RowComparator<Element>) -> Bool {
        if sortedBlocks == 0, !isDone {
            if isDescending(by: order) {
                even.reverse()
                isDone = true
            } else if levels > 0 {
                odd = even
            }
        }
        var rest = budget
        while rest > 0, !isDone {
            if pair == nil {
                sortBlock(by: order)
                rest -= Self.blockSize
            } else {
                merge(&rest, by: order)
            }
        }
        return isDone
    }

    /// Whether each entry precedes the one before it. Stops at the first that does not.
    @inlinable
    func isDescending(by order: RowComparator<Element>) -> Bool {
        for index in even.indices.dropFirst()
        where !order.precedes(even[index].element, even[index - 1].element) {
            return false
        }
        return true
    }

    /// The index of a block's first entry.
    @inlinable
    func bound(_ block: Int) -> Int { (block * even.count) >> levels }

    @inlinable
    mutating func sortBlock(by order: RowComparator<Element>) {
        let start = bound(sortedBlocks)
        let end = bound(sortedBlocks + 1)
        var entries = even.mutableSpan
        var index = start + 1
        while index < end {
            let entry = entries[index]
            var hole = index
            while hole > start, order.precedes(entry.element, entries[hole - 1].element) {
                entries[hole] = entries[hole - 1]
                hole -= 1
            }
            entries[hole] = entry
            index += 1
        }
        sortedBlocks += 1
        level = 0
        beginMerging()
    }

    /// Starts to merge the last two runs of this level, if they are adjacent.
    @inlinable
    mutating func beginMerging() {
        isDone = level == levels
        guard !isDone, sortedBlocks >> level & 1 == 0 else {
            pair = nil
            return
        }
        let blocks = 1 << level
        pair = RunPair(
            start: bound(sortedBlocks - 2 * blocks), middle: bound(sortedBlocks - blocks),
            end: bound(sortedBlocks))
    }

    @inlinable
    mutating func merge(_ rest: inout Int, by order: RowComparator<Element>) {
        guard var merging = pair else { return }
        let before = merging.taken
        if level & 1 == 0 {
            Self.merge(&merging, of: even, into: &odd, budget: rest, by: order)
        } else {
            Self.merge(&merging, of: odd, into: &even, budget: rest, by: order)
        }
        rest -= merging.taken - before
        if merging.isMerged {
            level += 1
            beginMerging()
        } else {
            pair = merging
        }
    }

    @inlinable
    static func merge(
        _ pair: inout RunPair, of source: [Entry], into target: inout [Entry], budget: Int,
        by order: RowComparator<Element>
    ) {
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                // Both hold all rows, so neither is empty, and a pair lies within each.
                guard let source = source.baseAddress, let target = target.baseAddress else {
                    return
                }
                unsafe pair.merge(source, target, budget: budget, by: order)
            }
        }
    }
}
