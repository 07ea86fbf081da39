/// The pixels of a sixel image, as a terminal reads it.
struct SixelPicture {
    private(set) var width = 0
    private(set) var height = 0
    /// Red, green and blue of each pixel, up to 255; nil where none is set.
    private(set) var colors: [[Int]?] = []

    /// Nil for data that no terminal has to understand.
    init?(_ data: [UInt8]) {
        var rest = data[...]
        func numbers(_ rest: inout ArraySlice<UInt8>) -> [Int] {
            let text = rest.prefix { (0x30...0x3B).contains($0) && $0 != 0x3A }
            rest = rest.dropFirst(text.count)
            return String(decoding: text, as: UTF8.self).split(separator: ";").map { Int($0) ?? -1 }
        }
        var palette: [Int: [Int]] = [:]
        var (color, column, band) = ([0], 0, 0)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                let size = numbers(&rest)
                guard size.count == 4, size[0] == 1, size[1] == 1 else { return nil }
                (width, height) = (size[2], size[3])
                colors = Array(repeating: nil, count: width * height)
            case UInt8(ascii: "#"):
                let parts = numbers(&rest)
                guard let number = parts.first, number < 256 else { return nil }
                if parts.count == 5 {
                    guard parts[1] == 2, parts[2...].allSatisfy({ 0...100 ~= $0 }) else {
                        return nil
                    }
                    palette[number] = parts[2...].map { ($0 * 255 + 50) / 100 }
                } else {
                    guard parts.count == 1, let known = palette[number] else { return nil }
                    color = known
                }
            case UInt8(ascii: "$"): column = 0
            case UInt8(ascii: "-"): (column, band) = (0, band + 6)
            case UInt8(ascii: "!"):
                guard let count = numbers(&rest).first, let sixel = rest.popFirst(),
                    put(sixel, color, column, band, count)
                else { return nil }
                column += count
            default:
                guard put(byte, color, column, band, 1) else { return nil }
                column += 1
            }
        }
    }

    private mutating func put(
        _ sixel: UInt8, _ color: [Int], _ column: Int, _ band: Int, _ count: Int
    ) -> Bool {
        guard (0x3F...0x7E).contains(sixel), color.count == 3, column + count <= width else {
            return false
        }
        for bit in 0..<6 where (sixel - 0x3F) >> UInt8(bit) & 1 == 1 {
            guard band + bit < height else { return false }
            for place in column..<column + count { colors[(band + bit) * width + place] = color }
        }
        return true
    }
}
