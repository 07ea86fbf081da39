/// A code of symbols by bits, in which shorter ones come first, and those of a length in the order of symbols (RFC 1951).
struct HuffmanCode {
    /// The most bits of a symbol.
    static let longest = 15
    /// Symbols of at most as many bits are found in one step.
    private static let quick = 10

    /// By the next bits: the symbol, and in the lower four bits its length; 0 for longer ones and those that do not exist.
    private var table = [UInt16](repeating: 0, count: 1 << quick)
    /// The number of symbols by length, and the symbols in order of their codes.
    private var counts = [Int](repeating: 0, count: longest + 1)
    private var symbols: [UInt16] = []

    /// - Parameter lengths: The bits of each symbol; 0 for those that do not occur.
    /// - Throws: if codes are ambiguous, or bits may have no meaning; but there may be one symbol, or none.
    init(lengths: [UInt8]) throws(ImageFault) {
        for length in lengths where length > 0 { counts[Int(length)] += 1 }
        let used = counts.reduce(0, +)
        var left = 1
        var first = [Int](repeating: 0, count: Self.longest + 1)
        var starts = first
        for length in 1...Self.longest {
            left = left << 1 - counts[length]
            if left < 0 { throw .isDamaged }
            first[length] = (first[length - 1] + counts[length - 1]) << 1
            starts[length] = starts[length - 1] + counts[length - 1]
        }
        if left > 0, used > 1 { throw .isDamaged }
        symbols = Array(repeating: 0, count: used)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            let length = Int(length)
            symbols[starts[length]] = UInt16(symbol)
            starts[length] += 1
            if length <= Self.quick { fill(symbol, length, code: first[length]) }
            first[length] += 1
        }
    }

    private mutating func fill(_ symbol: Int, _ length: Int, code: Int) {
        // Codes are sent from their highest bit on.
        let start = (0..<length).reduce(0) { $0 | (code >> $1 & 1) << (length - 1 - $1) }
        for place in stride(from: start, to: table.count, by: 1 << length) {
            table[place] = UInt16(symbol << 4 | length)
        }
    }

    /// The symbol at the start of bits, and its length; nil if there is none.
    func decode(_ bits: UInt64) -> (symbol: Int, length: Int)? {
        let entry = table[Int(bits & UInt64(table.count - 1))]
        if entry != 0 { return (Int(entry >> 4), Int(entry & 15)) }
        var (code, first, start) = (0, 0, 0)
        for length in 1...Self.longest {
            code = code << 1 | Int(bits >> UInt64(length - 1) & 1)
            first <<= 1
            let count = counts[length]
            if code - first < count { return (Int(symbols[start + code - first]), length) }
            start += count
            first += count
        }
        return nil
    }
}
