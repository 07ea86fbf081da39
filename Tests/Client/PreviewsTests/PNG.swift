/// A PNG, made by hand.
struct PNG {
    var bytes: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]

    init() {}

    /// One of 8-bit colors, and alpha if there are four bytes a pixel, without compression or filters.
    init(width: Int, height: Int, _ pixels: [UInt8]) {
        let rowBytes = height == 0 ? 0 : pixels.count / height
        addHeader(width: width, height: height, color: rowBytes == 4 * width ? 6 : 2)
        var raw: [UInt8] = []
        for row in 0..<height { raw += [0] + pixels[row * rowBytes..<(row + 1) * rowBytes] }
        add("IDAT", Self.stored(raw))
        add("IEND", [])
    }

    mutating func addHeader(
        width: Int, height: Int, depth: UInt8 = 8, color: UInt8 = 2, isInterlaced: Bool = false
    ) {
        add(
            "IHDR",
            Self.number(width) + Self.number(height) + [depth, color, 0, 0, isInterlaced ? 1 : 0])
    }

    mutating func add(_ kind: String, _ content: [UInt8]) {
        let named = Array(kind.utf8) + content
        bytes += Self.number(content.count) + named + Self.number(Int(Self.checksum(named)))
    }

    /// A zlib stream of blocks that are not compressed.
    static func stored(_ raw: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, through: max(0, raw.count - 1), by: 65535) {
            let part = raw[start..<min(raw.count, start + 65535)]
            let (low, high) = (UInt8(part.count & 255), UInt8(part.count >> 8))
            stream += [part.endIndex == raw.count ? 1 : 0, low, high, ~low, ~high] + part
        }
        return stream
    }

    /// The same file with right checksums.
    static func mended(_ file: [UInt8]) -> [UInt8] {
        var (bytes, place) = (file, 8)
        while place + 12 <= bytes.count {
            let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count - place - 12 else { break }
            let end = place + 8 + length
            let checksum = Self.number(Int(Self.checksum(Array(bytes[place + 4..<end]))))
            bytes.replaceSubrange(end..<end + 4, with: checksum)
            place = end + 4
        }
        return bytes
    }

    private static func number(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var value: UInt32 = ~0
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~value
    }
}
