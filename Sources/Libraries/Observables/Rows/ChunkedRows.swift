// A list of rows in chunks. An insertion or removal shifts the rows of one chunk, not of the list; the
// k-th row is found by a search among chunks. There is always at least one chunk, and only the sole
// chunk may be empty; none exceeds `ChunkCapacity.rows`.
//
// Everything is inlinable so that `RowOperations` can be specialized for one element type.

/// A list with insertion, removal and access in O(log *n*), plus the size of a chunk.
@usableFromInline
struct ChunkedRows<Element> {
    /// The position of a row: its chunk, and its index there.
    @usableFromInline
    struct Place {
        @usableFromInline var chunk: Int
        @usableFromInline var offset: Int

        @inlinable
        init(chunk: Int, offset: Int) {
            self.chunk = chunk
            self.offset = offset
        }
    }

    @usableFromInline var chunks: [[Element]]
    @usableFromInline var index: ChunkIndex
    /// The last row of each chunk, contiguously: a search among chunks reads nothing else.
    @usableFromInline var lasts: [Element]

    @inlinable
    init(_ elements: [Element] = []) {
        chunks = Self.split(elements)
        index = ChunkIndex(chunks.map { ChunkSummary(rows: $0.count) })
        lasts = chunks.compactMap(\.last)
    }

    /// The rows of chunks, of which none is empty and none too large.
    /// - Complexity: O(c) for c chunks, which are shared.
    @inlinable
    init(chunks: [[Element]]) {
        self.chunks = chunks.isEmpty ? [[]] : chunks
        var summaries: [ChunkSummary] = []
        var lasts: [Element] = []
        summaries.reserveCapacity(self.chunks.count)
        lasts.reserveCapacity(self.chunks.count)
        for chunk in self.chunks {
            summaries.append(ChunkSummary(rows: chunk.count))
            if let last = chunk.last { lasts.append(last) }
        }
        index = ChunkIndex(summaries)
        self.lasts = lasts
    }

    @inlinable
    var count: Int { index.total.rows }

    @inlinable
    static func split(_ elements: [Element]) -> [[Element]] {
        if elements.count <= ChunkCapacity.rows { return [elements] }
        return ChunkCapacity.split(elements.count).map { Array(elements[$0]) }
    }

    @inlinable
    mutating func rebuildIndex() {
        index = ChunkIndex(chunks.map { ChunkSummary(rows: $0.count) })
        lasts.removeAll(keepingCapacity: true)
        for chunk in chunks {
            if let last = chunk.last { lasts.append(last) }
        }
    }

    @inlinable
    mutating func noteLast(of chunk: Int) {
        if let last = chunks[chunk].last {
            if chunk < lasts.count { lasts[chunk] = last } else { lasts.append(last) }
        } else {
            lasts.removeAll()  // only a lone chunk is ever empty
        }
    }

    // MARK: - Reading

    @inlinable
    subscript(row: Int) -> Element {
        require(row >= 0 && row < count, "Row \(row) is not one of \(count).")
        let place = index.chunk(holdingRow: row)
        return chunks[place.chunk][row - place.before.rows]
    }

    @inlinable
    func elements(in range: Range<Int>) -> [Element] {
        require(
            range.lowerBound >= 0 && range.upperBound <= count,
            "Rows \(range) are not all among \(count).")
        if range.isEmpty { return [] }
        var place = index.chunk(holdingRow: range.lowerBound)
        var result: [Element] = []
        result.reserveCapacity(range.count)
        var offset = range.lowerBound - place.before.rows
        while result.count < range.count {
            let chunk = chunks[place.chunk]
            let end = min(chunk.count, offset + range.count - result.count)
            result.append(contentsOf: chunk[offset..<end])
            offset = 0
            place.chunk += 1
        }
        return result
    }

    @inlinable
    var all: [Element] { elements(in: 0..<count) }

    /// The first row for which `predicate` holds, in a list in which it holds for all later rows, too;
    /// the end if there is none.
    @inlinable
    func partitioningPlace(where predicate: (Element) -> Bool) -> Place {
        // Find the first chunk whose last row satisfies the predicate.
        var low = 0
        var high = chunks.count - 1
        while low < high {
            let middle = (low + high) / 2
            if predicate(lasts[middle]) { high = middle } else { low = middle + 1 }
        }
        let chunk = chunks[low]
        var lower = 0
        var upper = chunk.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if predicate(chunk[middle]) { upper = middle } else { lower = middle + 1 }
        }
        return Place(chunk: low, offset: lower)
    }

    /// The number of that row, or the count if there is none.
    @inlinable
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        row(at: partitioningPlace(where: predicate))
    }

    /// The row number of a position.
    @inlinable
    func row(at place: Place) -> Int {
        index.sum(before: place.chunk).rows + place.offset
    }

    @inlinable
    func place(ofRow row: Int) -> Place {
        let found = index.chunk(holdingRow: row)
        return Place(chunk: found.chunk, offset: row - found.before.rows)
    }

    // MARK: - Writing

    @inlinable
    mutating func insert(_ element: Element, at row: Int) {
        require(row >= 0 && row <= count, "Row \(row) is not within \(count) or its end.")
        insert(element, at: place(ofRow: row))
    }

    @inlinable
    mutating func insert(_ element: Element, at place: Place) {
        defer { checkInvariants() }
        chunks[place.chunk].insert(element, at: place.offset)
        let size = chunks[place.chunk].count
        guard size > ChunkCapacity.rows else {
            if place.offset == size - 1 { noteLast(of: place.chunk) }
            index.add(ChunkSummary(rows: 1), to: place.chunk)
            return
        }
        let upper = Array(chunks[place.chunk][(size / 2)...])
        chunks[place.chunk].removeSubrange((size / 2)...)
        chunks.insert(upper, at: place.chunk + 1)
        rebuildIndex()
    }

    @discardableResult
    @inlinable
    mutating func remove(at row: Int) -> Element {
        require(row >= 0 && row < count, "Row \(row) is not one of \(count).")
        return remove(at: place(ofRow: row))
    }

    @discardableResult
    @inlinable
    mutating func remove(at place: Place) -> Element {
        defer { checkInvariants() }
        let element = chunks[place.chunk].remove(at: place.offset)
        if place.offset == chunks[place.chunk].count { noteLast(of: place.chunk) }
        index.add(ChunkSummary(rows: -1), to: place.chunk)
        joinIfSmall(place.chunk)
        return element
    }

    @inlinable
    mutating func joinIfSmall(_ chunk: Int) {
        let size = chunks[chunk].count
        guard size < ChunkCapacity.rows / 4, chunks.count > 1 else { return }
        // An empty chunk may have left `lasts` short; both branches below rebuild it.
        let left = chunk > 0 ? chunk - 1 : chunk
        if chunks[left].count + chunks[left + 1].count <= ChunkCapacity.fill {
            chunks[left].append(contentsOf: chunks[left + 1])
            chunks.remove(at: left + 1)
            rebuildIndex()
        } else if size == 0 {
            chunks.remove(at: chunk)
            rebuildIndex()
        }
    }

    @inlinable
    mutating func replace(at row: Int, with element: Element) {
        require(row >= 0 && row < count, "Row \(row) is not one of \(count).")
        let place = place(ofRow: row)
        chunks[place.chunk][place.offset] = element
        if place.offset == chunks[place.chunk].count - 1 { noteLast(of: place.chunk) }
    }

    @inlinable
    mutating func replaceSubrange(_ range: Range<Int>, with elements: [Element]) {
        require(
            range.lowerBound >= 0 && range.upperBound <= count,
            "Rows \(range) are not all among \(count).")
        switch (range.count, elements.count) {
        case (0, 0): return
        case (0, 1): insert(elements[0], at: range.lowerBound)
        case (1, 0): remove(at: range.lowerBound)
        case (1, 1): replace(at: range.lowerBound, with: elements[0])
        default: replaceChunks(range, with: elements)
        }
    }

    /// Splits the chunks of `range` anew. Adjacent small ones are not joined: the new pieces are small
    /// only if the whole is.
    @inlinable
    mutating func replaceChunks(_ range: Range<Int>, with elements: [Element]) {
        defer { checkInvariants() }
        let first = index.chunk(holdingRow: range.lowerBound)
        let last = index.chunk(holdingRow: max(range.lowerBound, range.upperBound - 1))
        let end = last.before.rows + chunks[last.chunk].count
        var content = Array(chunks[first.chunk].prefix(range.lowerBound - first.before.rows))
        content.append(contentsOf: elements)
        content.append(contentsOf: chunks[last.chunk].suffix(end - range.upperBound))
        let pieces = content.isEmpty ? [] : Self.split(content)
        chunks.replaceSubrange(first.chunk...last.chunk, with: pieces)
        if chunks.isEmpty { chunks = [[]] }
        rebuildIndex()
    }
}
