// The taps of an array's elements, in the array's order. The weight of a tap is the number of rows it
// contributes to the operator's result: 1 or 0 in a filter, the inner array's count in a flattened
// array. A tap points to its chunk and the chunk knows its ordinal, so the index of a tap, and the
// number of rows before it, follow from a search of one chunk and a sum over the chunk index.
//
// There is always at least one chunk, and only the sole chunk may be empty; none exceeds
// `ChunkCapacity.rows`.

/// A list of weighted taps: insertion, removal, search by tap and by weight in O(log *n*), plus the size
/// of a chunk.
struct ElementTapList<Element, Field: ChangeEmitting> {
    typealias Entry = ElementTap<Element, Field>
    typealias Chunk = ElementTapChunk<Element, Field>

    private(set) var chunks: [Chunk]
    private(set) var index: ChunkIndex

    init(_ taps: [Entry] = [], weights: [Int] = []) {
        chunks = Self.split(taps, weights)
        index = ChunkIndex([])
        rebuildIndex()
    }

    var count: Int { index.total.rows }

    var weight: Int { index.total.marks }

    private static func split(_ taps: [Entry], _ weights: [Int]) -> [Chunk] {
        ChunkCapacity.split(taps.count).map { Chunk(taps[$0], weights[$0]) }
    }

    private mutating func rebuildIndex() {
        for (ordinal, chunk) in chunks.enumerated() { chunk.ordinal = ordinal }
        index = ChunkIndex(chunks.map(\.summary))
    }

    // MARK: - Reading

    func taps(in range: Range<Int>) -> [Entry] {
        require(
            range.lowerBound >= 0 && range.upperBound <= count,
            "Elements \(range) are not all among \(count).")
        guard !range.isEmpty else { return [] }
        let place = index.chunk(holdingRow: range.lowerBound)
        var result: [Entry] = []
        result.reserveCapacity(range.count)
        var chunk = place.chunk
        var offset = range.lowerBound - place.before.rows
        while result.count < range.count {
            let end = min(chunks[chunk].taps.count, offset + range.count - result.count)
            result.append(contentsOf: chunks[chunk].taps[offset..<end])
            chunk += 1
            offset = 0
        }
        return result
    }

    /// The number of rows of the taps before `position`, which may be the count.
    func weight(before position: Int) -> Int {
        let place = index.chunk(holdingRow: position)
        let inside = chunks[place.chunk].weights[..<(position - place.before.rows)]
        return place.before.marks + inside.reduce(0, +)
    }

    /// The index of a tap, and the number of rows before it.
    func place(of tap: Entry) -> (position: Int, weight: Int) {
        guard let chunk = tap.chunk else {
            stop("A tap that is in no list was looked up.")
        }
        let offset = chunk.position(of: tap)
        let before = index.sum(before: chunk.ordinal)
        return (
            before.rows + offset, before.marks + chunk.weights[..<offset].reduce(0, +)
        )
    }

    /// Calls `body` with the taps of `rows`, each with the affected part of its own rows.
    func forEach(inRows rows: Range<Int>, _ body: (Entry, Range<Int>) -> Void) {
        guard !rows.isEmpty else { return }
        let place = index.chunk(holdingMark: rows.lowerBound)
        var start = place.before.marks
        var chunk = place.chunk
        while start < rows.upperBound, chunk < chunks.count {
            for (tap, weight) in zip(chunks[chunk].taps, chunks[chunk].weights) {
                let lower = max(rows.lowerBound, start)
                let upper = min(rows.upperBound, start + weight)
                if lower < upper { body(tap, (lower - start)..<(upper - start)) }
                start += weight
                if start >= rows.upperBound { return }
            }
            chunk += 1
        }
    }

    // MARK: - Writing

    mutating func setWeight(_ weight: Int, of tap: Entry) {
        guard let chunk = tap.chunk else {
            stop("The weight of a tap that is in no list was set.")
        }
        let offset = chunk.position(of: tap)
        let delta = weight - chunk.weights[offset]
        guard delta != 0 else { return }
        chunk.weights[offset] = weight
        index.add(ChunkSummary(marks: delta), to: chunk.ordinal)
    }

    mutating func replaceSubrange(
        _ range: Range<Int>, with taps: [Entry], weights: [Int]
    ) {
        require(
            range.lowerBound >= 0 && range.upperBound <= count,
            "Elements \(range) are not all among \(count).")
        defer { checkInvariants() }
        let first = index.chunk(holdingRow: range.lowerBound)
        var last = first
        if range.count > 1 { last = index.chunk(holdingRow: range.upperBound - 1) }
        let chunk = chunks[first.chunk]
        let size = chunk.taps.count + taps.count - range.count
        let isSmall = size < ChunkCapacity.rows / 4 && chunks.count > 1
        if first.chunk == last.chunk, size <= ChunkCapacity.rows, !isSmall {
            let start = range.lowerBound - first.before.rows
            let inside = start..<(start + range.count)
            let loss = chunk.weights[inside].reduce(0, +)
            chunk.replace(inside, with: taps, weights)
            let delta = ChunkSummary(
                rows: taps.count - range.count, marks: weights.reduce(0, +) - loss)
            index.add(delta, to: first.chunk)
            return
        }
        replaceChunks(range, first: first, last: last, with: taps, weights)
    }

    /// Splits the chunks of `range` anew, together with a neighbour if little is left of them.
    private mutating func replaceChunks(
        _ range: Range<Int>, first: (chunk: Int, before: ChunkSummary),
        last: (chunk: Int, before: ChunkSummary), with taps: [Entry], _ weights: [Int]
    ) {
        let head = range.lowerBound - first.before.rows
        let tail = range.upperBound - last.before.rows
        var lower = first.chunk
        var upper = last.chunk
        var newTaps = Array(chunks[lower].taps[..<head])
        var newWeights = Array(chunks[lower].weights[..<head])
        newTaps += taps
        newWeights += weights
        newTaps += chunks[upper].taps[tail...]
        newWeights += chunks[upper].weights[tail...]
        if newTaps.count < ChunkCapacity.rows / 4 {
            if lower > 0 {
                lower -= 1
                newTaps = chunks[lower].taps + newTaps
                newWeights = chunks[lower].weights + newWeights
            } else if upper + 1 < chunks.count {
                upper += 1
                newTaps += chunks[upper].taps
                newWeights += chunks[upper].weights
            }
        }
        chunks.replaceSubrange(lower...upper, with: Self.split(newTaps, newWeights))
        rebuildIndex()
    }

    /// Traps unless the chunks and their sums are consistent. Only the project's own tests run this
    /// check.
    func checkInvariants() {
        guard TestSettings.areOn, SelfChecks.areMade else { return }
        index.checkInvariants(of: chunks.map(\.summary), most: ChunkCapacity.rows)
        for (ordinal, chunk) in chunks.enumerated() {
            require(chunk.ordinal == ordinal, "a chunk has another's ordinal")
            require(chunk.taps.count == chunk.weights.count, "a weight is missing")
            require(chunk.taps.allSatisfy { $0.chunk === chunk }, "a tap is astray")
        }
    }
}
