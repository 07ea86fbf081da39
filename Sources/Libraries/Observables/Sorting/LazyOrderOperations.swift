/// The inner loops of a lazy order, specialized for its element type.
@usableFromInline
struct LazyOrderOperations<Element> {
    @usableFromInline typealias Rows = ChunkedRows<Element>
    @usableFromInline typealias Comparator = RowComparator<Element>
    @usableFromInline typealias Selection = (range: Range<Int>, rows: [Int])

    /// The rows that belong at a range, and perhaps more around it. The arguments are the rows, their
    /// marks, the mark of the first row, the number of participating rows, the range and the comparator.
    /// `nil` if the sample's bounds missed them.
    @usableFromInline let select:
        (Rows, ChunkedMarks?, Int, Int, Range<Int>, Comparator) -> Selection?
    /// The participating rows in their old order.
    @usableFromInline let entries: (Rows, ChunkedMarks?, Int) -> [OrderEntry<Element>]
    /// The rows in order.
    @usableFromInline let rows: ([OrderEntry<Element>]) -> Rows
    /// The old positions of the rows at a range.
    @usableFromInline let origins: ([OrderEntry<Element>], Range<Int>) -> [Int]
    /// Sorts for a number of steps, and returns whether the order is complete.
    @usableFromInline let advance: (inout MergeSorter<Element>?, Int, Comparator) -> Bool

    @inlinable
    init() {
        select = Self.selectRows
        entries = { rows, marks, offset in
            var result: [OrderEntry<Element>] = []
            result.reserveCapacity(rows.count)
            Self.forEach(rows, marks, offset) { result.append(OrderEntry($0, UInt32($1))) }
            return result
        }
        rows = { entries in Rows(entries.map { $0.element }) }
        origins = { entries, range in entries[range].map { Int($0.origin) } }
        advance = { $0?.advance(budget: $1, by: $2) ?? true }
    }

    /// Calls `body` with each participating row and its number.
    @inlinable
    static func forEach(
        _ rows: Rows, _ marks: ChunkedMarks?, _ offset: Int, _ body: (Element, Int) -> Void
    ) {
        let words = marks?.words(in: offset..<(offset + rows.count))
        var first = 0
        for chunk in rows.chunks {
            let elements = chunk.span
            if let words {
                forEachMark(in: first..<(first + elements.count), of: words) { row in
                    body(elements[row - first], row)
                }
            } else {
                for index in elements.indices { body(elements[index], first + index) }
            }
            first += elements.count
        }
    }

    /// Calls `body` with each row whose bit is set.
    @inlinable
    static func forEachMark(
        in range: Range<Int>, of words: [UInt64], _ body: (Int) -> Void
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(range.upperBound, (start | 63) + 1)
            var bits = words[start >> 6] & (.max << UInt64(start & 63))
            bits &= .max >> UInt64(63 - (end - 1) & 63)
            while bits != 0 {
                body(start & ~63 + bits.trailingZeroBitCount)
                bits &= bits &- 1
            }
            start = end
        }
    }

    @usableFromInline static var sampleSize: Int { 1024 }

    @inlinable
    static func selectRows(
        _ rows: Rows, _ marks: ChunkedMarks?, _ offset: Int, _ count: Int, _ range: Range<Int>,
        _ order: Comparator
    ) -> Selection? {
        guard count >= 2 * sampleSize else { return nil }
        let sample = self.sample(rows, marks, offset, count).sorted(by: order.precedes)
        let lower = bound(sample.count, share: Double(range.lowerBound) / Double(count), side: -1)
        let upper = bound(sample.count, share: Double(range.upperBound) / Double(count), side: 1)
        var candidates: [OrderEntry<Element>] = []
        var before = 0
        if lower < 0, upper < sample.count {
            let last = sample[upper]
            forEach(rows, marks, offset) { element, row in
                if !order.precedes(last, element) {
                    candidates.append(OrderEntry(element, UInt32(row)))
                }
            }
        } else {
            forEach(rows, marks, offset) { element, row in
                if lower >= 0, order.precedes(element, sample[lower]) {
                    before += 1
                } else if upper >= sample.count || !order.precedes(sample[upper], element) {
                    candidates.append(OrderEntry(element, UInt32(row)))
                }
            }
        }
        let found = before..<(before + candidates.count)
        guard found.lowerBound <= range.lowerBound, range.upperBound <= found.upperBound else {
            return nil
        }
        var sorter = MergeSorter(candidates)
        while !sorter.advance(budget: .max, by: order) {}
        return (found, sorter.entries.map { Int($0.origin) })
    }

    /// A sample of the participating rows, spread over all of them.
    @inlinable
    static func sample(
        _ rows: Rows, _ marks: ChunkedMarks?, _ offset: Int, _ count: Int
    ) -> [Element] {
        let ranksBefore = marks?.rank(of: offset) ?? 0
        // Steps of the golden ratio spread evenly and do not resonate with patterns of the rows.
        var position = 0.5
        return (0..<sampleSize).map { _ in
            position += 0.618_033_988_749_894_9
            if position >= 1 { position -= 1 }
            let rank = min(count - 1, Int(position * Double(count)))
            return rows[marks.map { $0.row(ofMark: ranksBefore + rank) - offset } ?? rank]
        }
    }

    /// The index of the bound for a share of the rows in a sorted sample: four standard deviations to
    /// the side, and a little more.
    @inlinable
    static func bound(_ size: Int, share: Double, side: Double) -> Int {
        let expected = share * Double(size)
        let deviation = (expected * (1 - share)).squareRoot()
        return Int((expected + side * (4 * deviation + 4)).rounded(.down))
    }
}
