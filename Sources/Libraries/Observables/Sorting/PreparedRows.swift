/// Rows in an order, put together a few at a time, for a sorted set to begin with.
///
/// They are in chunks from the start, so that a set of any size begins without copying them.
package struct PreparedRows<Element> {
    /// The most rows of a chunk.
    package static var mostInChunk: Int { ChunkCapacity.rows }
    /// The rows of a chunk that leaves room for some more.
    package static var usualInChunk: Int { ChunkCapacity.fill }

    /// The rows. None is empty.
    package private(set) var chunks: [[Element]] = []
    package private(set) var count = 0

    /// No rows.
    package init() {}

    package init(_ rows: [Element]) {
        append(contentsOf: rows[...])
    }

    /// The rows of chunks of which none is empty or too large, so many in all. They are shared, not copied.
    /// - Complexity: O(1).
    package init(chunks: [[Element]], count: Int) {
        self.chunks = count == 0 ? [] : chunks
        self.count = count
        checkInvariants()
    }

    /// In debug builds, traps if a chunk is empty or too large, or the count is wrong.
    private func checkInvariants() {
        #if DEBUG
        let sizes = chunks.map(\.count)
        precondition(
            sizes.allSatisfy { (1...ChunkCapacity.rows).contains($0) },
            "a chunk has no rows, or too many")
        precondition(sizes.reduce(0, +) == count, "the chunks do not have \(count) rows")
        #endif
    }

    package var isEmpty: Bool { count == 0 }

    /// All rows.
    /// - Complexity: O(n).
    package var all: [Element] { Array(chunks.joined()) }

    /// Adds rows at the end.
    /// - Complexity: O(k) for k rows.
    package mutating func append(contentsOf rows: ArraySlice<Element>) {
        var rest = rows
        while !rest.isEmpty {
            if chunks.last.map({ $0.count >= ChunkCapacity.fill }) ?? true {
                chunks.append([])
                chunks[chunks.count - 1].reserveCapacity(ChunkCapacity.fill)
            }
            let last = chunks.count - 1
            let part = rest.prefix(ChunkCapacity.fill - chunks[last].count)
            chunks[last].append(contentsOf: part)
            rest = rest.dropFirst(part.count)
        }
        count += rows.count
    }

    /// Inserts a row in the order of a total comparison.
    /// - Complexity: O(log n) comparisons.
    package mutating func insert(
        _ row: Element, by precedes: (Element, Element) -> Bool
    ) {
        count += 1
        guard !chunks.isEmpty else {
            chunks = [[row]]
            return
        }
        let chunk = min(chunk(of: row, by: precedes), chunks.count - 1)
        let place = Self.place(of: row, in: chunks[chunk], by: precedes)
        chunks[chunk].insert(row, at: place)
        guard chunks[chunk].count > ChunkCapacity.rows else { return }
        let half = chunks[chunk].count / 2
        chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
        chunks[chunk].removeSubrange(half...)
    }

    /// Removes a row, which is there, in the order of a total comparison.
    /// - Complexity: O(log n) comparisons.
    package mutating func remove(_ row: Element, by precedes: (Element, Element) -> Bool) {
        let chunk = chunk(of: row, by: precedes)
        let place = Self.place(of: row, in: chunks[chunk], by: precedes)
        count -= 1
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// The first chunk whose last row does not come before a row; the number of chunks if there is none.
    private func chunk(of row: Element, by precedes: (Element, Element) -> Bool) -> Int {
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if let last = chunks[middle].last, precedes(last, row) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private static func place(
        of row: Element, in rows: [Element], by precedes: (Element, Element) -> Bool
    ) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(rows[middle], row) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
