/// Rows in an order, put together a few at a time, for a sorted set to begin with.
///
/// They are in chunks from the start, so that a set of any size begins without copying them.
package struct PreparedRows<Element> {
    /// The most rows of a chunk.
    package static var mostInChunk: Int { ChunkCapacity.rows }
    /// The rows of a chunk that leaves room for some more.
    package static var usualInChunk: Int { ChunkCapacity.fill }

    // Inlinable: code that is not compiled for the type of the rows takes twice as long for an edit.
    @usableFromInline var parts: [[Element]] = []
    @usableFromInline var size = 0

    /// The rows. None is empty.
    @inlinable package var chunks: [[Element]] { parts }
    @inlinable package var count: Int { size }

    /// No rows.
    package init() {}

    package init(_ rows: [Element]) {
        append(contentsOf: rows[...])
    }

    /// The rows of chunks of which none is empty or too large, so many in all. They are shared, not copied.
    /// - Complexity: O(1).
    package init(chunks: [[Element]], count: Int) {
        parts = count == 0 ? [] : chunks
        size = count
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
            if parts.last.map({ $0.count >= ChunkCapacity.fill }) ?? true {
                parts.append([])
                parts[parts.count - 1].reserveCapacity(ChunkCapacity.fill)
            }
            let last = parts.count - 1
            let part = rest.prefix(ChunkCapacity.fill - parts[last].count)
            parts[last].append(contentsOf: part)
            rest = rest.dropFirst(part.count)
        }
        size += rows.count
    }

    /// Inserts a row in the order of a total comparison.
    /// - Complexity: O(log n) comparisons.
    @inlinable
    package mutating func insert(
        _ row: Element, by precedes: (Element, Element) -> Bool
    ) {
        size += 1
        guard !parts.isEmpty else {
            parts = [[row]]
            return
        }
        let chunk = min(chunk(of: row, by: precedes), parts.count - 1)
        let place = Self.place(of: row, in: parts[chunk], by: precedes)
        parts[chunk].insert(row, at: place)
        guard parts[chunk].count > ChunkCapacity.rows else { return }
        let half = parts[chunk].count / 2
        parts.insert(Array(parts[chunk][half...]), at: chunk + 1)
        parts[chunk].removeSubrange(half...)
    }

    /// Removes a row, which is there, in the order of a total comparison.
    /// - Complexity: O(log n) comparisons.
    @inlinable
    package mutating func remove(_ row: Element, by precedes: (Element, Element) -> Bool) {
        let chunk = chunk(of: row, by: precedes)
        let place = Self.place(of: row, in: parts[chunk], by: precedes)
        size -= 1
        parts[chunk].remove(at: place)
        if parts[chunk].isEmpty { parts.remove(at: chunk) }
    }

    /// The first chunk whose last row does not come before a row; the number of chunks if there is none.
    @inlinable
    func chunk(of row: Element, by precedes: (Element, Element) -> Bool) -> Int {
        var low = 0
        var high = parts.count
        while low < high {
            let middle = (low + high) / 2
            if let last = parts[middle].last, precedes(last, row) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    @inlinable
    static func place(
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
