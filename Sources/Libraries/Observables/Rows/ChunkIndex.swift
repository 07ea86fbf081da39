// An index of chunks. A Fenwick tree over the chunks' summaries answers, in steps logarithmic in the
// number of chunks, how many rows and marked rows precede a chunk, and which chunk holds the k-th row or
// the k-th marked row. Splitting or joining chunks rebuilds the tree, at one step per chunk, once in
// several hundred insertions.

/// The number of rows, and of marked rows.
@usableFromInline
struct ChunkSummary: Equatable {
    @usableFromInline var rows: Int
    @usableFromInline var marks: Int

    @inlinable
    init(rows: Int = 0, marks: Int = 0) {
        self.rows = rows
        self.marks = marks
    }

    @inlinable
    static func + (left: Self, right: Self) -> Self {
        Self(rows: left.rows + right.rows, marks: left.marks + right.marks)
    }
}

/// Sums of chunk summaries that can be searched.
@usableFromInline
struct ChunkIndex {
    /// `tree[i]` is the sum of the `i & -i` chunks that end before chunk `i`.
    private var tree: [ChunkSummary]
    @usableFromInline private(set) var total = ChunkSummary()
    private let topStep: Int

    @usableFromInline
    init(_ summaries: [ChunkSummary]) {
        tree = [ChunkSummary()] + summaries
        for summary in summaries { total = total + summary }
        for index in tree.indices.dropFirst() {
            let parent = index + (index & -index)
            if parent < tree.count { tree[parent] = tree[parent] + tree[index] }
        }
        var step = 1
        while step * 2 < tree.count { step *= 2 }
        topStep = step
    }

    var chunkCount: Int { tree.count - 1 }

    @usableFromInline
    mutating func add(_ delta: ChunkSummary, to chunk: Int) {
        total = total + delta
        var index = chunk + 1
        while index < tree.count {
            tree[index] = tree[index] + delta
            index += index & -index
        }
    }

    /// The sum of the first `chunk` chunks.
    @usableFromInline
    func sum(before chunk: Int) -> ChunkSummary {
        var sum = ChunkSummary()
        var index = chunk
        while index > 0 {
            sum = sum + tree[index]
            index -= index & -index
        }
        return sum
    }

    /// The chunk that holds `row`, or the last chunk if `row` is the total count, and the sum before it.
    @usableFromInline
    func chunk(holdingRow row: Int) -> (chunk: Int, before: ChunkSummary) {
        search { $0.rows <= row }
    }

    /// The chunk that holds the marked row with `mark` marked ones before it.
    func chunk(holdingMark mark: Int) -> (chunk: Int, before: ChunkSummary) {
        search { $0.marks <= mark }
    }

    private func search(
        _ isBefore: (ChunkSummary) -> Bool
    ) -> (chunk: Int, before: ChunkSummary) {
        var index = 0
        var sum = ChunkSummary()
        var step = topStep
        while step > 0 {
            if index + step < tree.count {
                let next = sum + tree[index + step]
                if isBefore(next) {
                    index += step
                    sum = next
                }
            }
            step /= 2
        }
        if index == chunkCount, index > 0 {
            return (index - 1, self.sum(before: index - 1))
        }
        return (index, sum)
    }
}

/// The maximum number of rows in a chunk: few in the project's own tests, so that small tests reach
/// splits.
@usableFromInline
enum ChunkCapacity {
    @usableFromInline static var rows: Int {
        TestSettings.choose(inTests: 8, otherwise: 256)
    }

    /// The most marks in a chunk. They are bits: to move those of a whole chunk takes no longer than to move the rows
    /// of one, and the fewer chunks there are, the less memory a search for one reads.
    static var marks: Int {
        TestSettings.choose(inTests: 8, otherwise: 2048)
    }

    /// The number of rows in a new chunk, which leaves room for some more.
    @usableFromInline static var fill: Int { fill(rows) }

    /// The same for chunks of at most `most`.
    @usableFromInline
    static func fill(_ most: Int) -> Int { most / 4 * 3 }

    /// The ranges of `count` rows in new chunks, all of about the same size: none is nearly empty.
    @usableFromInline
    static func split(_ count: Int) -> [Range<Int>] { split(count, most: rows) }

    /// The same for chunks of at most `most`.
    static func split(_ count: Int, most: Int) -> [Range<Int>] {
        let chunks = count <= most ? 1 : (count + fill(most) - 1) / fill(most)
        return (0..<chunks).map { chunk in
            let lower = count * chunk / chunks
            return lower..<(count * (chunk + 1) / chunks)
        }
    }
}

extension ChunkIndex {
    /// Traps unless the index is that of chunks with these summaries: at least one, only the sole one empty, and none
    /// of more than `most` rows.
    func checkInvariants(of summaries: [ChunkSummary], most: Int) {
        require(!summaries.isEmpty && summaries.count == chunkCount, "chunks are miscounted")
        var sum = ChunkSummary()
        for (offset, summary) in summaries.enumerated() {
            require(summaries.count == 1 || summary.rows > 0, "a chunk is empty")
            require(summary.rows <= most, "a chunk is too large")
            require(self.sum(before: offset) == sum, "the index misstates a sum")
            sum = sum + summary
        }
        require(total == sum, "the index misstates the total")
    }
}
