// The marked rows of a list, as bits in chunks. A mark lies at the position of its row and stores no
// index, so inserting or removing rows changes no other mark; a row's rank among the marked ones is the
// sum before its chunk plus a count of bits inside it. As in `ChunkedRows`, only the sole chunk may be
// empty.

/// A list of marks that can be ranked and selected in O(log *n*), plus the size of a chunk.
@usableFromInline
struct ChunkedMarks {
    private(set) var chunks: [MarkChunk]
    private(set) var index: ChunkIndex

    init(_ marks: [Bool] = []) {
        chunks = Self.split(marks)
        index = ChunkIndex(chunks.map(\.summary))
    }

    /// The marks of chunks, of which none is empty and none too large.
    init(chunks: [MarkChunk]) {
        self.chunks = chunks.isEmpty ? [MarkChunk([], count: 0)] : chunks
        index = ChunkIndex(self.chunks.map(\.summary))
    }

    var count: Int { index.total.rows }

    @usableFromInline var markedCount: Int { index.total.marks }

    private static func split(_ marks: [Bool]) -> [MarkChunk] {
        ChunkCapacity.split(marks.count, most: ChunkCapacity.marks).map { MarkChunk(marks[$0]) }
    }

    private mutating func rebuildIndex() {
        index = ChunkIndex(chunks.map(\.summary))
    }

    // MARK: - Reading

    subscript(row: Int) -> Bool {
        let place = index.chunk(holdingRow: row)
        return chunks[place.chunk][row - place.before.rows]
    }

    /// The number of marked rows before `row`, which may be the count.
    @usableFromInline
    func rank(of row: Int) -> Int {
        let place = index.chunk(holdingRow: row)
        return place.before.marks + chunks[place.chunk].rank(of: row - place.before.rows)
    }

    /// The marked row with rank `mark`, which must exist.
    @usableFromInline
    func row(ofMark mark: Int) -> Int {
        require(mark >= 0 && mark < markedCount, "Mark \(mark) is not one of \(markedCount).")
        let place = index.chunk(holdingMark: mark)
        return place.before.rows + chunks[place.chunk].row(ofMark: mark - place.before.marks)
    }

    /// The marked rows with ranks in `range`.
    func rows(ofMarks range: Range<Int>) -> [Int] {
        guard !range.isEmpty else { return [] }
        var result: [Int] = []
        result.reserveCapacity(range.count)
        var place = index.chunk(holdingMark: range.lowerBound)
        var skipped = range.lowerBound - place.before.marks
        while result.count < range.count {
            chunks[place.chunk].appendMarkedRows(
                to: &result, skipping: skipped, limit: range.count, base: place.before.rows)
            place.before.rows += chunks[place.chunk].count
            place.chunk += 1
            skipped = 0
        }
        return result
    }

    /// The marks in a range as bits: the first is the lowest bit of the first word. Bits beyond the
    /// range are zero.
    @usableFromInline
    func words(in range: Range<Int>) -> [UInt64] {
        var result = [UInt64](repeating: 0, count: (range.count + 63) / 64)
        guard !range.isEmpty else { return result }
        let place = index.chunk(holdingRow: range.lowerBound)
        var chunk = place.chunk
        var offset = range.lowerBound - place.before.rows
        var copied = 0
        while copied < range.count {
            let count = min(chunks[chunk].count - offset, range.count - copied)
            chunks[chunk].copyBits(offset..<(offset + count), to: &result, at: copied)
            copied += count
            chunk += 1
            offset = 0
        }
        return result
    }

    @usableFromInline
    func marks(in range: Range<Int>) -> [Bool] {
        let words = words(in: range)
        return (0..<range.count).map { row in
            let word = words[row >> 6]
            return word >> UInt64(row & 63) & 1 == 1
        }
    }

    // MARK: - Writing

    /// Inserts a mark.
    /// - Returns: The number of marked rows before it, if it is set.
    @discardableResult
    @usableFromInline
    mutating func insert(_ mark: Bool, at row: Int) -> Int? {
        require(row >= 0 && row <= count, "Row \(row) is not within \(count) or its end.")
        defer { checkInvariants() }
        let place = index.chunk(holdingRow: row)
        let offset = row - place.before.rows
        let rank = mark ? place.before.marks + chunks[place.chunk].rank(of: offset) : nil
        chunks[place.chunk].insert(mark, at: offset)
        guard chunks[place.chunk].count > ChunkCapacity.marks else {
            index.add(ChunkSummary(rows: 1, marks: mark ? 1 : 0), to: place.chunk)
            return rank
        }
        let all = chunks[place.chunk].marks
        chunks[place.chunk] = MarkChunk(all[..<(all.count / 2)])
        chunks.insert(MarkChunk(all[(all.count / 2)...]), at: place.chunk + 1)
        rebuildIndex()
        return rank
    }

    /// Removes the mark of a row.
    /// - Returns: The number of marked rows before it, if it was set.
    @discardableResult
    @usableFromInline
    mutating func remove(at row: Int) -> Int? {
        require(row >= 0 && row < count, "Row \(row) is not one of \(count).")
        defer { checkInvariants() }
        let place = index.chunk(holdingRow: row)
        let offset = row - place.before.rows
        let isMarked = chunks[place.chunk][offset]
        let rank = isMarked ? place.before.marks + chunks[place.chunk].rank(of: offset) : nil
        _ = chunks[place.chunk].remove(at: offset)
        index.add(ChunkSummary(rows: -1, marks: isMarked ? -1 : 0), to: place.chunk)
        joinIfSmall(place.chunk)
        return rank
    }

    private mutating func joinIfSmall(_ chunk: Int) {
        let size = chunks[chunk].count
        guard size < ChunkCapacity.marks / 4, chunks.count > 1 else { return }
        let left = chunk > 0 ? chunk - 1 : chunk
        if chunks[left].count + chunks[left + 1].count <= ChunkCapacity.fill(ChunkCapacity.marks) {
            chunks[left] = MarkChunk((chunks[left].marks + chunks[left + 1].marks)[...])
            chunks.remove(at: left + 1)
            rebuildIndex()
        } else if size == 0 {
            chunks.remove(at: chunk)
            rebuildIndex()
        }
    }

    /// Sets the mark of a row.
    /// - Returns: The old mark, and the number of marked rows before the row; 0 if neither mark is set.
    @discardableResult
    @usableFromInline
    mutating func set(_ mark: Bool, at row: Int) -> (old: Bool, rank: Int) {
        require(row >= 0 && row < count, "Row \(row) is not one of \(count).")
        let place = index.chunk(holdingRow: row)
        let offset = row - place.before.rows
        let old = chunks[place.chunk].set(mark, at: offset)
        if old != mark { index.add(ChunkSummary(marks: mark ? 1 : -1), to: place.chunk) }
        guard old || mark else { return (false, 0) }
        return (old, place.before.marks + chunks[place.chunk].rank(of: offset))
    }

    @usableFromInline
    mutating func replaceSubrange(_ range: Range<Int>, with marks: [Bool]) {
        require(
            range.lowerBound >= 0 && range.upperBound <= count,
            "Rows \(range) are not all among \(count).")
        defer { checkInvariants() }
        let first = index.chunk(holdingRow: range.lowerBound)
        let last = index.chunk(holdingRow: max(range.lowerBound, range.upperBound - 1))
        let end = last.before.rows + chunks[last.chunk].count
        var content = Array(
            chunks[first.chunk].marks.prefix(range.lowerBound - first.before.rows))
        content.append(contentsOf: marks)
        content.append(contentsOf: chunks[last.chunk].marks.suffix(end - range.upperBound))
        let pieces = content.isEmpty ? [] : Self.split(content)
        chunks.replaceSubrange(first.chunk...last.chunk, with: pieces)
        if chunks.isEmpty { chunks = [MarkChunk([])] }
        rebuildIndex()
    }

    /// Clears some marks: `stays` has one element per set mark, in order.
    mutating func keep(_ stays: [Bool]) {
        defer { checkInvariants() }
        var next = 0
        for chunk in chunks.indices {
            next = chunks[chunk].keep(stays, from: next)
        }
        rebuildIndex()
    }
}
