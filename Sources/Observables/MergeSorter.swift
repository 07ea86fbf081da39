// Merge sort from the bottom up (Knuth, The Art of Computer Programming, volume 3, 5.2.4), which can
// be interrupted after any number of rows. It is stable: rows that tie remain as they were. Each
// merging step stores its result without a branch that depends on the comparison, as such a branch
// is mispredicted every other time.

/// A row on its way to another place.
@usableFromInline
struct OrderEntry<Element> {
    @usableFromInline var element: Element
    /// Where it was.
    @usableFromInline var origin: UInt32

    @inlinable
    init(_ element: Element, _ origin: UInt32) {
        self.element = element
        self.origin = origin
    }
}

/// Sorts entries in steps.
///
/// - Complexity: O(*n* log *n*) comparisons, at most *n* ⌈log₂ *n*⌉; room for twice the entries.
@usableFromInline
struct MergeSorter<Element> {
    /// How many rows are put in order by insertion before merging begins.
    @usableFromInline static var blockSize: Int { 8 }

    @usableFromInline var source: [OrderEntry<Element>]
    @usableFromInline var target: [OrderEntry<Element>] = []
    /// How long the sorted runs in `source` are; 0 before the first pass.
    @usableFromInline var width = 0
    /// Where the block or the pair of runs begins that is being worked on.
    @usableFromInline var start = 0
    @usableFromInline var cursor = Cursor()

    /// How far the two runs of a pair have been taken, and where the next entry goes.
    @usableFromInline
    struct Cursor {
        @usableFromInline var left = 0
        @usableFromInline var right = 0
        @usableFromInline var next = 0

        @inlinable
        init() {}
    }

    @inlinable
    init(_ entries: [OrderEntry<Element>]) {
        source = entries
    }

    @inlinable
    var isDone: Bool { width >= source.count }

    /// The entries in order. To be asked when done.
    @inlinable
    var entries: [OrderEntry<Element>] { source }

    /// Handles about `budget` entries and says whether all is done.
    @inlinable
    mutating func advance(budget: Int, by order: RowComparator<Element>) -> Bool {
        var rest = budget
        if width == 0 {
            if isDone { return true }
            if start == 0, isDescending(by: order) {
                source.reverse()
                width = source.count
                return true
            }
            sortBlocks(&rest, by: order)
        }
        while rest > 0, width > 0, !isDone { mergePass(&rest, by: order) }
        return width > 0 && isDone
    }

    /// Whether each entry precedes the one before it. Ends at the first that does not.
    @inlinable
    func isDescending(by order: RowComparator<Element>) -> Bool {
        for index in source.indices.dropFirst()
        where !order.precedes(source[index].element, source[index - 1].element) {
            return false
        }
        return true
    }

    @inlinable
    mutating func sortBlocks(_ rest: inout Int, by order: RowComparator<Element>) {
        let count = source.count
        var start = start
        var entries = source.mutableSpan
        while start < count, rest > 0 {
            let end = min(start + Self.blockSize, count)
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
            rest -= end - start
            start = end
        }
        self.start = start
        guard start >= count else { return }
        width = Self.blockSize
        beginPair(at: 0)
    }

    @inlinable
    mutating func beginPair(at position: Int) {
        start = position
        cursor.left = position
        cursor.right = min(position + width, source.count)
        cursor.next = position
    }

    /// Goes on with a pass over all pairs of runs, and ends it if the budget allows.
    @inlinable
    mutating func mergePass(_ rest: inout Int, by order: RowComparator<Element>) {
        let count = source.count
        if target.count != count { target = source }
        while start < count, rest > 0 {
            let middle = min(start + width, count)
            let end = min(start + 2 * width, count)
            let before = cursor.next
            let limit = end - before <= rest ? end : before + rest
            Self.merge(source, into: &target, &cursor, middle, end, until: limit, by: order)
            rest -= cursor.next - before
            if cursor.next == end { beginPair(at: end) }
        }
        guard start >= count else { return }
        swap(&source, &target)
        width *= 2
        beginPair(at: 0)
    }

    @inlinable
    static func merge(
        _ source: [OrderEntry<Element>], into target: inout [OrderEntry<Element>],
        _ cursor: inout Cursor, _ middle: Int, _ end: Int, until limit: Int,
        by order: RowComparator<Element>
    ) {
        let entries = source.span
        var merged = target.mutableSpan
        var left = cursor.left
        var right = cursor.right
        var next = cursor.next
        while next < limit, left < middle, right < end {
            let takesRight = order.precedes(entries[right].element, entries[left].element)
            merged[next] = entries[takesRight ? right : left]
            right += takesRight ? 1 : 0
            left += takesRight ? 0 : 1
            next += 1
        }
        while next < limit, left < middle {
            merged[next] = entries[left]
            left += 1
            next += 1
        }
        while next < limit {
            merged[next] = entries[right]
            right += 1
            next += 1
        }
        cursor.left = left
        cursor.right = right
        cursor.next = next
    }
}
