// Decompression (RFC 1950 and 1951), as far as somebody asks for bytes: a short stream that would become long takes no
// more memory and time than that. The checksum at its end is left out, because the chunks of a PNG have their own.

/// The bytes of a zlib stream, piece by piece.
struct Inflate {
    private enum State {
        /// Before a block.
        case between
        /// In a block without compression, with so many bytes left.
        case stored(Int)
        case coded
        case ended
    }

    private static let windowSize = 1 << 15
    /// The least of the lengths of each symbol from 257 on, and the bits that are added to it.
    private static let lengths: [(Int, Int)] = [
        (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1),
        (17, 1), (19, 2), (23, 2), (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4),
        (83, 4), (99, 4), (115, 4), (131, 5), (163, 5), (195, 5), (227, 5), (258, 0),
    ]
    private static let distances: [(Int, Int)] = (0..<30).map { symbol in
        if symbol < 4 { return (symbol + 1, 0) }
        let bits = symbol / 2 - 1
        return ((2 + symbol % 2) << bits + 1, bits)
    }

    private var bits: BitReader
    private var state = State.between
    private var isLastBlock = false
    private var literals: HuffmanCode
    private var places: HuffmanCode
    /// The last bytes, to which later ones refer, and the number of all.
    private var window = [UInt8](repeating: 0, count: windowSize)
    private var count = 0
    /// What is still to be copied of a reference.
    private var copied = 0
    private var distance = 0

    /// - Parameters:
    ///   - bytes: What the stream is part of.
    ///   - ranges: Where it is.
    /// - Throws: if it is no such stream.
    init(_ bytes: [UInt8], _ ranges: [Range<Int>]) throws(ImageFault) {
        bits = BitReader(bytes, ranges)
        literals = try HuffmanCode(lengths: [])
        places = literals
        let method = try bits.take(8)
        let flags = try bits.take(8)
        guard method & 15 == 8, method >> 4 <= 7, (method << 8 | flags) % 31 == 0, flags & 32 == 0
        else { throw .isDamaged }
    }

    /// Reads as many bytes as there is room.
    /// - Throws: if there are fewer, or the stream is none.
    mutating func read(into buffer: inout [UInt8]) throws(ImageFault) {
        var filled = 0
        while filled < buffer.count {
            if copied > 0 {
                let part = min(copied, buffer.count - filled)
                for _ in 0..<part {
                    let byte = window[(count - distance) & (Self.windowSize - 1)]
                    keep(byte)
                    buffer[filled] = byte
                    filled += 1
                }
                copied -= part
                continue
            }
            switch state {
            case .between: try beginBlock()
            case .ended: throw .isCut
            case .stored(0): endBlock()
            case .stored(let left):
                let byte = UInt8(try bits.take(8))
                keep(byte)
                buffer[filled] = byte
                filled += 1
                state = .stored(left - 1)
            case .coded:
                let symbol = try bits.symbol(of: literals)
                if symbol < 256 {
                    let byte = UInt8(symbol)
                    keep(byte)
                    buffer[filled] = byte
                    filled += 1
                } else if symbol == 256 {
                    endBlock()
                } else {
                    try beginCopy(symbol)
                }
            }
        }
    }

    private mutating func keep(_ byte: UInt8) {
        window[count & (Self.windowSize - 1)] = byte
        count += 1
    }

    private mutating func beginCopy(_ symbol: Int) throws(ImageFault) {
        guard symbol - 257 < Self.lengths.count else { throw .isDamaged }
        let (length, lengthBits) = Self.lengths[symbol - 257]
        let more = try bits.take(lengthBits)
        let place = try bits.symbol(of: places)
        guard place < Self.distances.count else { throw .isDamaged }
        let (least, distanceBits) = Self.distances[place]
        distance = least + (try bits.take(distanceBits))
        guard distance <= count else { throw .isDamaged }
        copied = length + more
    }

    // MARK: Blocks

    private mutating func endBlock() { state = isLastBlock ? .ended : .between }

    private mutating func beginBlock() throws(ImageFault) {
        isLastBlock = try bits.take(1) == 1
        switch try bits.take(2) {
        case 0:
            bits.skipToByte()
            let length = try bits.take(16)
            guard try bits.take(16) == ~length & 0xFFFF else { throw .isDamaged }
            state = .stored(length)
        case 1:
            literals = try HuffmanCode(
                lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
            places = try HuffmanCode(lengths: Array(repeating: 5, count: 32))
            state = .coded
        case 2:
            try readCodes()
            state = .coded
        default: throw .isDamaged
        }
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private mutating func readCodes() throws(ImageFault) {
        let literalCount = try bits.take(5) + 257
        let placeCount = try bits.take(5) + 1
        guard literalCount <= 286, placeCount <= 30 else { throw .isDamaged }
        var lengths = [UInt8](repeating: 0, count: 19)
        for place in Self.order.prefix(try bits.take(4) + 4) {
            lengths[place] = UInt8(try bits.take(3))
        }
        let code = try HuffmanCode(lengths: lengths)
        lengths = []
        while lengths.count < literalCount + placeCount {
            let symbol = try bits.symbol(of: code)
            switch symbol {
            case 16:
                guard let last = lengths.last else { throw .isDamaged }
                lengths += Array(repeating: last, count: 3 + (try bits.take(2)))
            case 17: lengths += Array(repeating: 0, count: 3 + (try bits.take(3)))
            case 18: lengths += Array(repeating: 0, count: 11 + (try bits.take(7)))
            default: lengths.append(UInt8(symbol))
            }
        }
        // A block that can't end is none.
        guard lengths.count == literalCount + placeCount, lengths[256] > 0 else {
            throw .isDamaged
        }
        literals = try HuffmanCode(lengths: Array(lengths[..<literalCount]))
        places = try HuffmanCode(lengths: Array(lengths[literalCount...]))
    }
}
