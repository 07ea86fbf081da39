internal import CDocumentKernels

/// Numbers of 64 bits, most of which have no more than 32: sizes, inodes. The upper halves are in a column beside, whose
/// pages take no memory as long as they are zeros.
struct WideColumn: ~Copyable {
    private var lower = PackedColumn<UInt32>()
    private var upper = PackedColumn<UInt32>()

    init() {}

    /// Makes room for so many numbers.
    /// - Returns: false, without effect on numbers, if the system has no memory for it.
    mutating func reserve(_ count: Int) -> Bool { lower.reserve(count) && upper.reserve(count) }

    /// As `PackedColumn.populate`, without the upper halves.
    mutating func populate(_ count: Int) { lower.populate(count) }

    /// The number of elements for which pages are mapped.
    var capacity: Int { min(lower.capacity, upper.capacity) }

    /// Sets the count, for which there must be room.
    mutating func resize(to count: Int) {
        lower.resize(to: count)
        upper.resize(to: count)
    }

    subscript(index: Int) -> UInt64 {
        @inline(__always) get { UInt64(upper[index]) << 32 | UInt64(lower[index]) }
        @inline(__always) set {
            lower[index] = UInt32(truncatingIfNeeded: newValue)
            upper.set(index, to: UInt32(truncatingIfNeeded: newValue >> 32))
        }
    }

    /// Lets the processor fetch a number that is read soon. Of the upper halves most are on one page of zeros.
    @inline(__always)
    func prefetch(_ index: Int) { lower.prefetch(index) }

    /// A bit for each of the 64 numbers from 64 × `block` on that is at most `bound` once the bits of `flip` in it are
    /// turned; none for those that are not there.
    func upTo(_ bound: UInt64, _ block: Int, _ flip: UInt64) -> UInt64 {
        let first = block * 64
        precondition(block >= 0 && first < lower.count)
        let count = min(64, lower.count - first)
        return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { words in
            for index in 0..<count { unsafe words[index] = self[first + index] }
            // As many words as were written.
            return unsafe names_words_up_to(
                words.baseAddress.unsafelyUnwrapped, count, flip, bound)
        }
    }
}
