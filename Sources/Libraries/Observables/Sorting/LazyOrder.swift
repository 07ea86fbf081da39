// The order of rows by a comparator, sorted as far as requested.
//
// A part of the rows is found without sorting the rest: a sorted sample of the rows gives two bounds
// that almost certainly enclose the part; one pass over the rows counts those before the lower bound and
// collects those between the two; these are few, and are sorted (after Floyd and Rivest, Expected time
// bounds for selection, 1975). If the part lies outside the bounds, or is large, all rows are sorted.
//
// Rows are numbered in 32 bits: an order of more than 4,294,967,296 rows traps.

/// An order that is computed on request.
final class LazyOrder<Element>: RowOrder {
    private let rows: ChunkedRows<Element>
    private let order: RowComparator<Element>
    private let operations: LazyOrderOperations<Element>
    /// Marks of the participating rows, or `nil` if all participate; the mark of row 0 is at
    /// `markOffset`.
    private let marks: ChunkedMarks?
    private let markOffset: Int
    /// The number of marks before that of row 0.
    private let ranksBefore: Int

    /// The most recently requested part.
    private var selection: (range: Range<Int>, rows: [Int])?
    private var sorter: MergeSorter<Element>?
    private var sorted: [OrderEntry<Element>]?

    init(
        _ rows: ChunkedRows<Element>, by order: RowComparator<Element>,
        operations: LazyOrderOperations<Element>
    ) {
        self.rows = rows
        self.order = order
        self.operations = operations
        marks = nil
        markOffset = 0
        ranksBefore = 0
        super.init(count: rows.count)
    }

    private init(_ whole: LazyOrder, marked marks: ChunkedMarks, from offset: Int) {
        rows = whole.rows
        order = whole.order
        operations = whole.operations
        self.marks = marks
        markOffset = offset
        ranksBefore = marks.rank(of: offset)
        super.init(count: marks.rank(of: offset + whole.rows.count) - ranksBefore)
    }

    override func origins(in range: Range<Int>) -> [Int] {
        if range.isEmpty { return [] }
        if let sorted { return ranks(operations.origins(sorted, range)) }
        if range.count * 8 < count {
            let known = selection?.range ?? 0..<0
            if known.lowerBound > range.lowerBound || known.upperBound < range.upperBound {
                selection = operations.select(rows, marks, markOffset, count, range, order)
            }
            if let selection {
                let start = selection.range.lowerBound
                return ranks(
                    Array(
                        selection.rows[
                            (range.lowerBound - start)..<(range.upperBound - start)]))
            }
        }
        return ranks(operations.origins(entries, range))
    }

    /// The numbers of rows among the participating ones.
    private func ranks(_ rows: [Int]) -> [Int] {
        guard let marks else { return rows }
        return rows.map { marks.rank(of: $0 + markOffset) - ranksBefore }
    }

    private var entries: [OrderEntry<Element>] {
        while !advance(budget: .max) {}
        return sorted ?? []
    }

    /// All rows, in order. Only for an order without marks.
    var sortedRows: ChunkedRows<Element> { operations.rows(entries) }

    override func advance(budget: Int) -> Bool {
        if sorted != nil { return true }
        if sorter == nil {
            sorter = MergeSorter(operations.entries(rows, marks, markOffset))
        }
        guard operations.advance(&sorter, budget, order) else { return false }
        sorted = sorter?.entries
        sorter = nil
        selection = nil
        return true
    }

    override func subset(marked marks: ChunkedMarks, from offset: Int) -> RowOrder {
        guard let own = self.marks else {
            if marks.rank(of: offset + count) - marks.rank(of: offset) == count { return self }
            return LazyOrder(self, marked: marks, from: offset)
        }
        var bits = [Bool](repeating: false, count: rows.count)
        for rank in 0..<count where marks[offset + rank] {
            bits[own.row(ofMark: ranksBefore + rank) - markOffset] = true
        }
        return LazyOrder(self, marked: ChunkedMarks(bits), from: 0)
    }
}
