/// The bits of several ranges of bytes, one after the other, from the lowest of each byte on.
struct BitReader {
    private let bytes: [UInt8]
    private let ranges: [Range<Int>]
    /// The range that is read, and the next byte of it.
    private var range = 0
    private var place: Int
    private var bits: UInt64 = 0
    private var count = 0

    init(_ bytes: [UInt8], _ ranges: [Range<Int>]) {
        self.bytes = bytes
        self.ranges = ranges
        place = ranges.first?.lowerBound ?? 0
    }

    /// A number of so many bits, 16 at most.
    mutating func take(_ length: Int) throws(ImageFault) -> Int {
        if count < length {
            fill()
            guard count >= length else { throw .isCut }
        }
        let value = Int(bits & (1 << UInt64(length) - 1))
        drop(length)
        return value
    }

    /// The next symbol of a code.
    mutating func symbol(of code: HuffmanCode) throws(ImageFault) -> Int {
        if count < HuffmanCode.longest { fill() }
        // Behind the end there are zeros, which are not taken.
        guard let (symbol, length) = code.decode(bits) else { throw .isDamaged }
        guard length <= count else { throw .isCut }
        drop(length)
        return symbol
    }

    /// Leaves the rest of a byte out.
    mutating func skipToByte() { drop(count % 8) }

    private mutating func drop(_ length: Int) {
        bits >>= UInt64(length)
        count -= length
    }

    private mutating func fill() {
        while count <= 56, range < ranges.count {
            bits |= UInt64(bytes[place]) << UInt64(count)
            count += 8
            place += 1
            if place == ranges[range].upperBound {
                range += 1
                if range < ranges.count { place = ranges[range].lowerBound }
            }
        }
    }
}
