/// Marks as bits in words. Bits beyond the count are zero.
struct MarkChunk {
    private(set) var words: [UInt64]
    private(set) var count: Int
    private(set) var marked = 0

    init(_ marks: ArraySlice<Bool>) {
        count = marks.count
        words = []
        words.reserveCapacity(marks.count / 64 + 1)
        for (offset, mark) in marks.enumerated() {
            if offset & 63 == 0 { words.append(0) }
            if mark {
                words[offset >> 6] |= 1 << UInt64(offset & 63)
                marked += 1
            }
        }
    }

    /// Marks in words, whose bits beyond the count are zero.
    init(_ words: [UInt64], count: Int) {
        self.words = words
        self.count = count
        marked = words.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    var summary: ChunkSummary { ChunkSummary(rows: count, marks: marked) }

    var marks: [Bool] { (0..<count).map { self[$0] } }

    subscript(row: Int) -> Bool {
        words[row >> 6] >> UInt64(row & 63) & 1 == 1
    }

    func rank(of row: Int) -> Int {
        var rank = 0
        for word in 0..<(row >> 6) { rank += words[word].nonzeroBitCount }
        let rest = UInt64(row & 63)
        if rest > 0 { rank += (words[row >> 6] & (1 << rest - 1)).nonzeroBitCount }
        return rank
    }

    func row(ofMark mark: Int) -> Int {
        var rest = mark
        for (offset, bits) in words.enumerated() {
            let inside = bits.nonzeroBitCount
            guard rest >= inside else {
                var bits = bits
                for _ in 0..<rest { bits &= bits - 1 }
                return offset << 6 + bits.trailingZeroBitCount
            }
            rest -= inside
        }
        stop("A chunk has fewer marks than its summary says.")
    }

    func appendMarkedRows(to rows: inout [Int], skipping: Int, limit: Int, base: Int) {
        var skipping = skipping
        for (offset, bits) in words.enumerated() {
            let inside = bits.nonzeroBitCount
            if skipping >= inside {
                skipping -= inside
                continue
            }
            var bits = bits
            while bits != 0 {
                if skipping > 0 {
                    skipping -= 1
                } else {
                    if rows.count == limit { return }
                    rows.append(base + offset << 6 + bits.trailingZeroBitCount)
                }
                bits &= bits - 1
            }
        }
    }

    /// Copies the marks of `range` to `target`, starting at bit `start`. The target bits must be clear.
    func copyBits(_ range: Range<Int>, to target: inout [UInt64], at start: Int) {
        var row = range.lowerBound
        var bit = start
        while row < range.upperBound {
            // The number of bits left in both words.
            let count = min(range.upperBound - row, 64 - row & 63, 64 - bit & 63)
            let bits = words[row >> 6] >> UInt64(row & 63) & (.max >> UInt64(64 - count))
            target[bit >> 6] |= bits << UInt64(bit & 63)
            row += count
            bit += count
        }
    }

    mutating func insert(_ mark: Bool, at row: Int) {
        if count & 63 == 0 { words.append(0) }
        let target = row >> 6
        var word = words.count - 1
        while word > target {
            words[word] = words[word] << 1 | words[word - 1] >> 63
            word -= 1
        }
        let below: UInt64 = 1 << UInt64(row & 63) - 1
        let bits = words[target]
        words[target] =
            bits & below | (bits & ~below) << 1 | (mark ? 1 << UInt64(row & 63) : 0)
        count += 1
        marked += mark ? 1 : 0
    }

    mutating func remove(at row: Int) -> Bool {
        let mark = self[row]
        let target = row >> 6
        let below: UInt64 = 1 << UInt64(row & 63) - 1
        let bits = words[target]
        words[target] = bits & below | bits >> 1 & ~below
        var word = target
        while word + 1 < words.count {
            words[word] |= words[word + 1] << 63
            words[word + 1] >>= 1
            word += 1
        }
        count -= 1
        if count & 63 == 0 { words.removeLast() }
        marked -= mark ? 1 : 0
        return mark
    }

    mutating func set(_ mark: Bool, at row: Int) -> Bool {
        let old = self[row]
        guard old != mark else { return old }
        words[row >> 6] ^= 1 << UInt64(row & 63)
        marked += mark ? 1 : -1
        return old
    }

    /// Clears the marks whose element in `stays`, from `start` on, is `false`, and returns the index
    /// after the last one used.
    mutating func keep(_ stays: [Bool], from start: Int) -> Int {
        var next = start
        for word in words.indices {
            var rest = words[word]
            while rest != 0 {
                if !stays[next] {
                    words[word] &= ~(rest & (~rest &+ 1))
                    marked -= 1
                }
                next += 1
                rest &= rest - 1
            }
        }
        return next
    }
}
