// A PNG as it is in a file (RFC 2083): its header, colors, and where its compressed rows are.
//
// It comes from anywhere. What it says of its size is checked before anything is allocated for that, and all checksums
// are, so that one that was damaged or not wholly written is told apart.

/// The parts of a PNG.
package struct PNGFile {
    /// Limits: longer files, and larger images, are not decoded.
    package static let mostBytes = 8 << 20
    package static let mostPixels = 16 << 20
    package static let longestSide = 32_768
    static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]

    enum Color: UInt8 {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAndAlpha = 4
        case rgba = 6

        var channels: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAndAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }

        /// The bits that a channel may have.
        fileprivate var depths: [UInt8] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .rgb, .grayAndAlpha, .rgba: [8, 16]
            }
        }
    }

    let bytes: [UInt8]
    package private(set) var width = 0
    package private(set) var height = 0
    /// The bits of a channel.
    private(set) var depth = 8
    private(set) var color = Color.gray
    private(set) var isInterlaced = false
    /// Red, green and blue of each color.
    private(set) var palette: ArraySlice<UInt8> = []
    /// The alpha of the first colors of the palette, or the one color that is transparent.
    private(set) var transparency: ArraySlice<UInt8> = []
    /// Where the compressed rows are, one part after the other.
    private(set) var data: [Range<Int>] = []

    /// - Complexity: O(n), for the checksums.
    package init(_ bytes: [UInt8]) throws(ImageFault) {
        guard bytes.count <= Self.mostBytes else {
            throw ImageFault("it has more than \(Self.mostBytes >> 20) MiB")
        }
        guard bytes.starts(with: Self.signature) else { throw ImageFault("it is no PNG") }
        self.bytes = bytes
        var place = Self.signature.count
        while try !readChunk(at: &place) {}
        if data.isEmpty || (color == .palette && palette.isEmpty) { throw .isDamaged }
    }

    /// - Returns: whether it was the last one.
    private mutating func readChunk(at place: inout Int) throws(ImageFault) -> Bool {
        guard bytes.count - place >= 12 else { throw .isCut }
        let length = number(at: place)
        let isFirst = place == Self.signature.count
        guard length <= bytes.count - place - 12 else { throw .isCut }
        let content = place + 8..<place + 8 + length
        let checksum = Checksum32.of(bytes[place + 4..<content.upperBound])
        guard Int(checksum) == number(at: content.upperBound) else { throw .isDamaged }
        let kind = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
        guard isFirst == (kind == "IHDR") else { throw .isDamaged }
        switch kind {
        case "IHDR": try readHeader(content)
        case "PLTE":
            guard length % 3 == 0, 3...768 ~= length else { throw .isDamaged }
            palette = bytes[content]
        case "tRNS": transparency = bytes[content]
        case "IDAT": if length > 0 { data.append(content) }
        case "IEND": return true
        // Others are of no importance if their name says so.
        default:
            if bytes[place + 4] & 0x20 == 0 { throw ImageFault("it has parts that are unknown") }
        }
        place = content.upperBound + 4
        return false
    }

    private mutating func readHeader(_ content: Range<Int>) throws(ImageFault) {
        guard content.count == 13 else { throw .isDamaged }
        let start = content.lowerBound
        width = number(at: start)
        height = number(at: start + 4)
        guard width > 0, height > 0, let color = Color(rawValue: bytes[start + 9]),
            color.depths.contains(bytes[start + 8]), bytes[start + 10] == 0,
            bytes[start + 11] == 0, bytes[start + 12] <= 1
        else { throw .isDamaged }
        guard width <= Self.longestSide, height <= Self.longestSide,
            width * height <= Self.mostPixels
        else {
            throw ImageFault(
                "\(width) × \(height) pixels are more than \(Self.mostPixels >> 20) Mi")
        }
        depth = Int(bytes[start + 8])
        self.color = color
        isInterlaced = bytes[start + 12] == 1
    }

    private func number(at place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
