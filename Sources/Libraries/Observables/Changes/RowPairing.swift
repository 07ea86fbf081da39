// The pairs of old and new rows of the same identity, and the pairs that need not move. Pairs are in
// ascending order of the new row; the largest group that need not move is a longest subsequence in which
// the old rows ascend, too. A pair may have a weight: a run of rows known to be unchanged counts by its
// length, and moves, if necessary, as single rows.

/// The pairs of rows of an old and a new array.
@usableFromInline
struct RowPairing {
    @usableFromInline
    struct Pair {
        @usableFromInline var from: Int
        @usableFromInline var to: Int
        @usableFromInline var weight: Int
    }

    @usableFromInline private(set) var pairs: [Pair] = []
    private var isWeighted = false

    @usableFromInline
    init() {}

    @usableFromInline
    mutating func pair(_ old: Int, _ new: Int) {
        pairs.append(Pair(from: old, to: new, weight: 1))
    }

    /// Sorts the pairs by the new row, unless they are already.
    @usableFromInline
    mutating func sortByTarget() {
        pairs.sort { $0.to < $1.to }
    }

    /// Pairs a run of consecutive rows, if it is not empty.
    @usableFromInline
    mutating func pairRun(_ old: Int, _ new: Int, count: Int) {
        guard count > 0 else { return }
        pairs.append(Pair(from: old, to: new, weight: count))
        isWeighted = true
    }

    @usableFromInline
    var moved: [(from: Int, to: Int)] {
        let stays = isWeighted ? heaviestAscending() : longestAscending()
        var result: [(from: Int, to: Int)] = []
        for (pair, stays) in zip(pairs, stays) where !stays {
            for offset in 0..<pair.weight { result.append((pair.from + offset, pair.to + offset)) }
        }
        return result
    }

    /// The pairs of a longest subsequence in which the old rows ascend.
    private func longestAscending() -> [Bool] {
        // `ends[k]` is the pair with the lowest old row that ends an ascending sequence of k + 1.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: pairs.count)
        for index in pairs.indices {
            let from = pairs[index].from
            var lower = 0
            var upper = ends.count
            if let last = ends.last, pairs[last].from < from { lower = upper }
            while lower < upper {
                let middle = (lower + upper) / 2
                if pairs[ends[middle]].from < from { lower = middle + 1 } else { upper = middle }
            }
            previous[index] = lower > 0 ? ends[lower - 1] : -1
            if lower == ends.count { ends.append(index) } else { ends[lower] = index }
        }
        return marks(endingAt: ends.last ?? -1, previous)
    }

    /// The pairs of an ascending subsequence of the greatest weight.
    private func heaviestAscending() -> [Bool] {
        let order = pairs.indices.sorted { pairs[$0].from < pairs[$1].from }
        var rank = [Int](repeating: 0, count: pairs.count)
        for (position, index) in order.enumerated() { rank[index] = position + 1 }
        // A Fenwick tree of maxima: for each prefix of old rows, the last pair of the heaviest sequence.
        var tree = [Int](repeating: -1, count: pairs.count + 1)
        var weights = [Int](repeating: 0, count: pairs.count)
        var previous = [Int](repeating: -1, count: pairs.count)
        var heaviest = -1
        for index in pairs.indices {
            var best = -1
            var position = rank[index] - 1
            while position > 0 {
                let candidate = tree[position]
                if candidate >= 0, best < 0 || weights[candidate] > weights[best] {
                    best = candidate
                }
                position -= position & -position
            }
            previous[index] = best
            weights[index] = pairs[index].weight + (best < 0 ? 0 : weights[best])
            position = rank[index]
            while position < tree.count {
                if tree[position] < 0 || weights[tree[position]] < weights[index] {
                    tree[position] = index
                }
                position += position & -position
            }
            if heaviest < 0 || weights[index] > weights[heaviest] { heaviest = index }
        }
        return marks(endingAt: heaviest, previous)
    }

    private func marks(endingAt last: Int, _ previous: [Int]) -> [Bool] {
        var stays = [Bool](repeating: false, count: pairs.count)
        var index = last
        while index >= 0 {
            stays[index] = true
            index = previous[index]
        }
        return stays
    }
}
