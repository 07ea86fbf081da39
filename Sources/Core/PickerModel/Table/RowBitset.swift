// A set of rows as bits: the result of a search or a filter.
//
// A value: copies share their words until one is changed, so equal queries can share a result.

/// A set of rows below a bound, 64 to a word.
package struct RowBitset: Equatable, Sendable {
    package static let bitsPerWord = 64

    /// Bits from `bound` on are 0.
    private(set) var words: [UInt64]
    /// All rows are below it.
    package private(set) var bound: Int
    /// The number of rows.
    package private(set) var count: Int

    /// The number of words.
    package var wordCount: Int { words.count }

    /// No rows, with room for those below `bound`.
    package init(bound: Int = 0) {
        self.bound = bound
        words = Array(repeating: 0, count: Self.words(for: bound))
        count = 0
    }

    private static func words(for bound: Int) -> Int { (bound + bitsPerWord - 1) / bitsPerWord }

    package var isEmpty: Bool { count == 0 }

    /// - Complexity: O(1).
    package func contains(_ row: Int) -> Bool {
        precondition(row >= 0)
        return row < bound && words[row / 64] & 1 << UInt64(row % 64) != 0
    }

    /// Raises the bound; rows are kept.
    package mutating func grow(to bound: Int) {
        guard bound > self.bound else { return }
        let missing = Self.words(for: bound) - words.count
        if missing > 0 { words.append(contentsOf: repeatElement(0, count: missing)) }
        self.bound = bound
    }

    /// Makes room for rows below a bound, without raising it.
    package mutating func reserve(_ bound: Int) { words.reserveCapacity(Self.words(for: bound)) }

    /// - Returns: whether the row, which is below the bound, was not in the set.
    @discardableResult
    package mutating func insert(_ row: Int) -> Bool {
        precondition(row >= 0 && row < bound)
        let bit: UInt64 = 1 << UInt64(row % 64)
        if words[row / 64] & bit != 0 { return false }
        words[row / 64] |= bit
        count += 1
        return true
    }

    /// - Returns: whether the row was in the set.
    @discardableResult
    package mutating func remove(_ row: Int) -> Bool {
        guard contains(row) else { return false }
        words[row / 64] &= ~(1 << UInt64(row % 64))
        count -= 1
        return true
    }

    package mutating func removeAll() {
        for index in words.indices { words[index] = 0 }
        count = 0
    }

    // MARK: Algebra

    /// Keeps the rows that are in `other`, too.
    /// - Complexity: O(n) in the bound, as for all that follow.
    package mutating func formIntersection(_ other: RowBitset) {
        combine(with: other) { $0 & $1 }
    }

    /// Adds the rows of `other`, and raises the bound to its bound.
    package mutating func formUnion(_ other: RowBitset) {
        grow(to: other.bound)
        combine(with: other) { $0 | $1 }
    }

    /// Removes the rows of `other`.
    package mutating func subtract(_ other: RowBitset) {
        combine(with: other) { $0 & ~$1 }
    }

    private mutating func combine(
        with other: RowBitset, _ operation: (UInt64, UInt64) -> UInt64
    ) {
        var total = 0
        let common = Swift.min(words.count, other.words.count)
        for index in 0..<common {
            words[index] = operation(words[index], other.words[index])
            total += words[index].nonzeroBitCount
        }
        for index in common..<words.count {
            words[index] = operation(words[index], 0)
            total += words[index].nonzeroBitCount
        }
        count = total
    }

    // MARK: Words

    /// The rows of 64, beginning with 64 × `index`.
    subscript(word index: Int) -> UInt64 { index < words.count ? words[index] : 0 }

    /// Replaces 64 rows, all of which are below the bound.
    mutating func setWord(_ index: Int, _ word: UInt64) {
        count += word.nonzeroBitCount - words[index].nonzeroBitCount
        words[index] = word
    }

    /// Calls `body` with the words, the bits of some of which it may write; those from the bound on stay 0.
    @unsafe mutating func withMutableWords<Value>(
        _ range: Range<Int>, _ body: (UnsafeMutablePointer<UInt64>) -> Value
    ) -> Value? {
        precondition(range.lowerBound >= 0 && range.upperBound <= words.count)
        for index in range { count -= words[index].nonzeroBitCount }
        let value = unsafe words.withUnsafeMutableBufferPointer { words in
            unsafe words.baseAddress.map { unsafe body($0) }
        }
        for index in range { count += words[index].nonzeroBitCount }
        return value
    }

    /// In debug builds, traps if the count is wrong, or a row is not below the bound.
    package func checkInvariants() {
        #if DEBUG
        precondition(words.count == Self.words(for: bound), "\(words.count) words for \(bound)")
        let total = words.reduce(0) { $0 + $1.nonzeroBitCount }
        precondition(total == count, "\(total) rows, not \(count)")
        if bound % 64 != 0, let last = words.last {
            precondition(last >> UInt64(bound % 64) == 0, "a row is not below \(bound)")
        }
        #endif
    }
}

extension RowBitset: Sequence {
    /// The rows, ascending.
    package struct Iterator: IteratorProtocol {
        private let words: [UInt64]
        private var index = -1
        private var rest: UInt64 = 0

        fileprivate init(_ words: [UInt64]) {
            self.words = words
        }

        package mutating func next() -> Int? {
            while rest == 0 {
                index += 1
                if index >= words.count { return nil }
                rest = words[index]
            }
            defer { rest &= rest - 1 }
            return index * 64 + rest.trailingZeroBitCount
        }
    }

    package func makeIterator() -> Iterator { Iterator(words) }

    package var underestimatedCount: Int { count }
}
