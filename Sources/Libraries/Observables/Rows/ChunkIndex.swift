// Where a row is among chunks. A Fenwick tree over the chunks' summaries answers, in a number of
// steps logarithmic in the number of chunks: how many rows and marked rows lie before a chunk, and
// which chunk holds the k-th row or the k-th marked one. Chunks that are split or joined make it be
// built anew, which costs one step for each chunk and happens once in some hundred insertions.

/// How many rows there are, and how many of them are marked.
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

    /// The chunk that holds `row`, or the last one if it is the count of all, and what is before.
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

/// How many rows a chunk holds at most: few in the project's own tests, so that
/// small ones reach splits.
@usableFromInline
enum ChunkCapacity {
    @usableFromInline static var rows: Int {
        TestSettings.choose(inTests: 8, otherwise: 256)
    }

    /// How many rows a chunk is given when it is made, leaving room for some more.
    @usableFromInline static var fill: Int { rows / 4 * 3 }
}
