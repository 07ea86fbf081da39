/// A PNG that a program made, chunk by chunk. What it shows is not looked at.
struct ThumbnailImage {
    /// The chunks between the header and the end, without texts.
    private let header: ArraySlice<UInt8>
    private let rest: [ArraySlice<UInt8>]

    /// The most bytes of one.
    static let mostBytes = 8 << 20
    private static let mostChunks = 4096
    private static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
    /// Those that a thumbnail gets anew, and those that say what is nobody's business.
    private static let dropped: Set<String> = ["tEXt", "zTXt", "iTXt", "eXIf", "tIME"]

    /// Nil for what is no whole PNG, or has more pixels a side.
    init?(_ bytes: [UInt8], atMost pixels: Int) {
        guard bytes.count <= Self.mostBytes, bytes.starts(with: Self.signature) else { return nil }
        var chunks: [ArraySlice<UInt8>] = []
        var place = Self.signature.count
        var last = ""
        while last != "IEND" {
            guard bytes.count - place >= 12, chunks.count < Self.mostChunks else { return nil }
            let length = Self.number(bytes, place)
            guard length <= bytes.count - place - 12 else { return nil }
            let chunk = bytes[place..<place + 12 + length]
            guard
                CRC32.sum(chunk.dropFirst(4).dropLast(4))
                    == UInt32(Self.number(bytes, place + 8 + length))
            else { return nil }
            last = String(decoding: chunk.dropFirst(4).prefix(4), as: UTF8.self)
            if !Self.dropped.contains(last) { chunks.append(chunk) }
            place += chunk.count
        }
        guard let header = chunks.first, header.count == 25,
            header.dropFirst(4).starts(with: Array("IHDR".utf8)), chunks.count >= 3
        else { return nil }
        let width = Self.number(bytes, header.startIndex + 8)
        let height = Self.number(bytes, header.startIndex + 12)
        guard 1...pixels ~= width, 1...pixels ~= height else { return nil }
        self.header = header
        rest = Array(chunks.dropFirst())
    }

    private init(header: [UInt8], rest: [[UInt8]]) {
        self.header = header[...]
        self.rest = rest.map { $0[...] }
    }

    /// One pixel that can be seen through.
    static let empty = ThumbnailImage(
        header: chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0]),
        rest: [
            // A block of five bytes that is not compressed, and its sum.
            chunk("IDAT", [0x78, 0x01, 1, 5, 0, 0xFA, 0xFF, 0, 0, 0, 0, 0, 0, 5, 0, 1]),
            chunk("IEND", []),
        ])

    /// The file with these texts before the image.
    func bytes(with texts: [(key: String, text: String)]) -> [UInt8] {
        var bytes = Self.signature + header
        for (key, text) in texts {
            bytes += Self.chunk("tEXt", Array(key.utf8) + [0] + Array(text.utf8))
        }
        for chunk in rest { bytes += chunk }
        return bytes
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        (0..<4).reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
    }

    private static func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        let counted = Array(kind.utf8) + content
        return bigEndian(UInt32(content.count)) + counted + bigEndian(CRC32.sum(counted[...]))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    }
}

/// The check sum of PNG.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1
        }
    }

    static func sum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = table
        return ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}
