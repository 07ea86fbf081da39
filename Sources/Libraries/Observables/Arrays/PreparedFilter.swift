// The start of a filter, computed in steps.
//
// A filter calls its predicate for every row when its first observer connects. Of very many rows this takes
// longer than a thread with other work may be blocked. A `PreparedFilter` tests a few rows at a time, while the
// array keeps changing, and the filter then begins with its marks. It tests up to 64 rows by one call, so that a
// predicate may look up bits.

/// Which rows of an array a filter keeps, found in steps.
///
/// It follows the array from the first step until the filter begins.
@usableFromInline
package final class PreparedFilter<Element> {
    /// Whether each of up to 64 elements matches; the first is the lowest bit. The bits of others are ignored.
    package typealias BlockPredicate = (borrowing Span<Element>) -> UInt64

    /// The number of rows tested so far.
    package private(set) var stepsTaken = 0
    /// Whether all rows have been tested.
    package private(set) var isDone = false

    private let array: ObservableArray<Element>
    private let matches: BlockPredicate
    private let holds: (Element) -> Bool
    private var following: Connection?
    /// The marks of the first rows, but for those in `tail`, which come after them.
    private var marks = ChunkedMarks(chunks: [])
    private var tail: [MarkChunk] = []
    /// The number of rows tested.
    private var end = 0

    /// Does nothing yet: the first step begins the work. `predicate` tests the elements that arrive meanwhile, and
    /// `matches`, which need not know these yet, all others.
    package init(
        of array: ObservableArray<Element>, _ predicate: @escaping (Element) -> Bool,
        matches: @escaping BlockPredicate
    ) {
        self.array = array
        self.matches = matches
        holds = predicate
    }

    /// The marks of rows that are known without a test: ascending, each once. The array must not change before
    /// the filter begins.
    /// - Complexity: O(k) for k rows, plus O(n / 64) for n rows of the array.
    package init(of array: ObservableArray<Element>, keeping rows: [Int]) {
        self.array = array
        matches = { _ in 0 }
        holds = { _ in false }
        isDone = true
        var next = 0
        for range in ChunkCapacity.split(array.count, most: ChunkCapacity.marks) {
            var words = [UInt64](repeating: 0, count: (range.count + 63) / 64)
            while next < rows.count, rows[next] < range.upperBound {
                let place = rows[next] - range.lowerBound
                words[place >> 6] |= 1 << UInt64(place & 63)
                next += 1
            }
            tail.append(MarkChunk(words, count: range.count))
        }
        end = array.count
    }

    /// Tests about `budget` rows.
    /// - Returns: whether all rows have been tested.
    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        if following == nil {
            following = array.changes.connect { [unowned self] change in follow(change) }
        }
        let node = array.node
        let size = ChunkCapacity.fill(ChunkCapacity.marks)
        var left = max(1, budget)
        while end < node.count, left > 0 {
            let count = min(node.count - end, size)
            let rows = node.rows(in: end..<(end + count))
            tail.append(test(rows.span))
            end += count
            left -= count
            stepsTaken += count
        }
        isDone = end == node.count
        return isDone
    }

    private func test(_ rows: borrowing Span<Element>) -> MarkChunk {
        var words: [UInt64] = []
        words.reserveCapacity((rows.count + 63) / 64)
        var start = 0
        while start < rows.count {
            let next = min(rows.count, start + 64)
            let known: UInt64 = .max >> UInt64(64 - (next - start))
            words.append(matches(rows.extracting(start..<next)) & known)
            start = next
        }
        return MarkChunk(words, count: rows.count)
    }

    /// The marks of all rows, once; nil if they are not those of `count` rows.
    func takeMarks(of count: Int) -> ChunkedMarks? {
        guard isDone, end == count else { return nil }
        following = nil
        join()
        defer {
            marks = ChunkedMarks(chunks: [])
            end = -1
        }
        return marks
    }

    private func join() {
        if tail.isEmpty { return }
        marks = ChunkedMarks(chunks: (marks.count > 0 ? marks.chunks : []) + tail)
        tail = []
    }

    // MARK: Changes

    private func follow(_ change: ArrayChange<Element>) {
        join()
        for modification in change.modifications { follow(modification) }
    }

    private func follow(_ modification: ArrayModification<Element>) {
        // Rows that have not been tested are tested in their new places. Once all have been, there is no such row.
        let bound = isDone ? .max : end
        switch modification {
        case .insert(let new, let row):
            guard row < bound else { return }
            marks.insert(holds(new), at: row)
        case .remove(_, let row):
            guard row < bound else { return }
            marks.remove(at: row)
        case .replace(_, let row, let new):
            guard row < bound else { return }
            marks.set(holds(new), at: row)
        case .replaceRange(let old, let row, let new):
            guard row < bound else { return }
            if row + old.count <= bound {
                marks.replaceSubrange(row..<(row + old.count), with: new.map(holds))
            } else {
                marks.replaceSubrange(row..<end, with: [])
            }
        }
        end = marks.count
    }
}

extension ObservableArray {
    /// The elements for which `predicate` holds, in their order. If the filter has been prepared when its first
    /// observer connects, it begins with the marks found, and calls no predicate then.
    ///
    /// - Complexity: as for `filter(_:)`; O(*n* / 64) for a prepared start.
    @inlinable
    package func filter(
        prepared: PreparedFilter<Element>?, _ predicate: @escaping (Element) -> Bool
    ) -> ObservableArray<Element> {
        filter(prepared: prepared, predicate, with: FilterOperations())
    }

    @usableFromInline
    func filter(
        prepared: PreparedFilter<Element>?, _ predicate: @escaping (Element) -> Bool,
        with operations: FilterOperations<Element>
    ) -> ObservableArray<Element> {
        let node = FilterNode(
            node, where: Observable.constant(RowPredicate(predicate)).node, operations: operations)
        node.prepared = prepared
        return ObservableArray(node)
    }
}
