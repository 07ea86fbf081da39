/// The rows of a PNG, decoded one by one: red, green, blue and alpha of each pixel, with eight bits each.
struct PNGRows {
    private let file: PNGFile
    private var stream: Inflate
    /// The bytes from a sample to the same one of the pixel before; at least one.
    private let step: Int
    /// The kind of filter, and the bytes of the row.
    private var row: [UInt8]
    /// The row above, likewise.
    private var above: [UInt8]

    init(_ file: PNGFile) throws(ImageFault) {
        if file.isInterlaced { throw ImageFault("it is interlaced") }
        self.file = file
        let bits = file.color.channels * file.depth
        step = max(1, bits / 8)
        row = Array(repeating: 0, count: (file.width * bits + 7) / 8 + 1)
        above = row
        stream = try Inflate(file.bytes, file.data)
    }

    /// Decodes the next row into four bytes a pixel.
    mutating func next(into pixels: inout [UInt8]) throws(ImageFault) {
        swap(&row, &above)
        try stream.read(into: &row)
        try unfilter()
        switch file.color {
        case .gray, .grayAndAlpha: expandGray(into: &pixels)
        case .palette: expandPalette(into: &pixels)
        case .rgb, .rgba: expandColors(into: &pixels)
        }
    }

    /// Adds what each byte was predicted from: what is left of it, above, and both.
    private mutating func unfilter() throws(ImageFault) {
        let bytes = 1..<row.count
        switch row[0] {
        case 0: break
        case 1: for place in bytes.dropFirst(step) { row[place] &+= row[place - step] }
        case 2: for place in bytes { row[place] &+= above[place] }
        case 3:
            for place in bytes {
                let left = place > step ? Int(row[place - step]) : 0
                row[place] &+= UInt8((left + Int(above[place])) / 2)
            }
        case 4:
            for place in bytes {
                let isFirst = place <= step
                row[place] &+= Self.nearest(
                    left: isFirst ? 0 : row[place - step], above: above[place],
                    diagonal: isFirst ? 0 : above[place - step])
            }
        default: throw .isDamaged
        }
    }

    /// The one of the three that is nearest to left + above - diagonal.
    private static func nearest(left: UInt8, above: UInt8, diagonal: UInt8) -> UInt8 {
        let toLeft = abs(Int(above) - Int(diagonal))
        let toAbove = abs(Int(left) - Int(diagonal))
        let toDiagonal = abs(Int(left) + Int(above) - 2 * Int(diagonal))
        if toLeft <= toAbove, toLeft <= toDiagonal { return left }
        return toAbove <= toDiagonal ? above : diagonal
    }

    // MARK: Samples

    /// A sample as it is stored.
    private func sample(_ index: Int) -> Int {
        switch file.depth {
        case 8: return Int(row[1 + index])
        case 16: return Int(row[1 + 2 * index]) << 8 | Int(row[2 + 2 * index])
        case let depth:
            let bit = index * depth
            return Int(row[1 + bit / 8]) >> (8 - depth - bit % 8) & (1 << depth - 1)
        }
    }

    /// A sample with eight bits.
    private func byte(_ sample: Int) -> UInt8 {
        file.depth == 16 ? UInt8(sample >> 8) : UInt8(sample * 255 / (1 << file.depth - 1))
    }

    /// The one color that is transparent.
    private var transparentColor: [Int]? {
        let key = Array(file.transparency)
        guard key.count == 2 * file.color.channels else { return nil }
        return (0..<file.color.channels).map { Int(key[2 * $0]) << 8 | Int(key[2 * $0 + 1]) }
    }

    private func expandGray(into pixels: inout [UInt8]) {
        let hasAlpha = file.color == .grayAndAlpha
        let transparent = hasAlpha ? nil : transparentColor?[0]
        for column in 0..<file.width {
            let value = sample(hasAlpha ? 2 * column : column)
            let gray = byte(value)
            let alpha = hasAlpha ? byte(sample(2 * column + 1)) : value == transparent ? 0 : 255
            for channel in 0..<3 { pixels[4 * column + channel] = gray }
            pixels[4 * column + 3] = alpha
        }
    }

    /// A number without a color is black.
    private func expandPalette(into pixels: inout [UInt8]) {
        let (palette, transparency) = (file.palette, file.transparency)
        for column in 0..<file.width {
            let index = sample(column)
            let isThere = 3 * index + 2 < palette.count
            for channel in 0..<3 {
                pixels[4 * column + channel] =
                    isThere ? palette[palette.startIndex + 3 * index + channel] : 0
            }
            pixels[4 * column + 3] =
                index < transparency.count ? transparency[transparency.startIndex + index] : 255
        }
    }

    private func expandColors(into pixels: inout [UInt8]) {
        let channels = file.color.channels
        let transparent = channels == 3 ? transparentColor : nil
        for column in 0..<file.width {
            let first = column * channels
            for channel in 0..<channels {
                pixels[4 * column + channel] = byte(sample(first + channel))
            }
            if channels == 4 { continue }
            let isTransparent =
                transparent.map { key in (0..<3).allSatisfy { key[$0] == sample(first + $0) } }
                ?? false
            pixels[4 * column + 3] = isTransparent ? 0 : 255
        }
    }
}
