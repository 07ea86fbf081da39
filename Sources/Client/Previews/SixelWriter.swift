// Sixels: bands of six rows, in which each character is a column of six pixels of one color. A band is written once for
// each color in it.

/// Writes the data of a sixel image.
package struct SixelWriter {
    /// The most bytes of an image: a terminal is to have taken them before the next key waits.
    package static let mostBytes = 64 << 10
    /// Terminals have at least as many colors.
    package static let mostColors = 256

    private let image: PixelImage
    /// Red, green and blue of the colors, and the number of each pixel; -1 for transparent ones.
    private let colors: [[Int]]
    private let numbers: [Int]
    private var output: [UInt8] = []

    /// The data; nil if there would be too many.
    package static func data(of image: PixelImage, mostColors: Int = mostColors) -> [UInt8]? {
        var writer = SixelWriter(image, mostColors)
        return writer.write() ? writer.output : nil
    }

    private init(_ image: PixelImage, _ most: Int) {
        self.image = image
        // With two bits for each part there are 64 colors.
        let found =
            [8, 6, 5, 4, 3].lazy.compactMap { Self.colors(of: image, bits: $0, most) }.first
            ?? Self.colors(of: image, bits: 2, .max)
        (colors, numbers) = found ?? ([], [])
    }

    /// Colors that agree in the upper bits of their parts become one: their average.
    /// - Returns: nil if there are too many.
    private static func colors(
        of image: PixelImage, bits: Int, _ most: Int
    ) -> (colors: [[Int]], numbers: [Int])? {
        var known: [Int: Int] = [:]
        var sums: [[Int]] = []
        var numbers: [Int] = []
        numbers.reserveCapacity(image.width * image.height)
        for row in 0..<image.height {
            for column in 0..<image.width {
                guard let color = image.color(column, row) else {
                    numbers.append(-1)
                    continue
                }
                let parts = [Int(color.red), Int(color.green), Int(color.blue)]
                let key = parts.reduce(0) { $0 << bits | $1 >> (8 - bits) }
                let number = known[key] ?? sums.count
                if number == sums.count {
                    if number == most { return nil }
                    known[key] = number
                    sums.append([0, 0, 0, 0])
                }
                for channel in 0..<3 { sums[number][channel] += parts[channel] }
                sums[number][3] += 1
                numbers.append(number)
            }
        }
        return (sums.map { sum in (0..<3).map { (sum[$0] + sum[3] / 2) / sum[3] } }, numbers)
    }

    /// - Returns: false if it would be too long.
    private mutating func write() -> Bool {
        add("\"1;1;\(image.width);\(image.height)")
        for (number, color) in colors.enumerated() {
            // Parts are hundredths.
            let parts = color.map { "\(($0 * 100 + 127) / 255)" }.joined(separator: ";")
            add("#\(number);2;\(parts)")
        }
        var masks = [UInt8](repeating: 0, count: colors.count * image.width)
        for band in stride(from: 0, to: image.height, by: 6) {
            if band > 0 { add("-") }
            write(band, &masks)
            if output.count > Self.mostBytes { return false }
        }
        return true
    }

    private mutating func write(_ band: Int, _ masks: inout [UInt8]) {
        var used = [Bool](repeating: false, count: colors.count)
        for row in band..<min(band + 6, image.height) {
            for column in 0..<image.width {
                let number = numbers[row * image.width + column]
                if number < 0 { continue }
                used[number] = true
                masks[number * image.width + column] |= 1 << UInt8(row - band)
            }
        }
        var isFirst = true
        for number in colors.indices where used[number] {
            add(isFirst ? "#\(number)" : "$#\(number)")
            isFirst = false
            let line = number * image.width..<(number + 1) * image.width
            write(masks[line])
            for place in line { masks[place] = 0 }
        }
    }

    /// Writes the columns of a color: several that are equal as one. What is empty at the end is left out.
    private mutating func write(_ masks: ArraySlice<UInt8>) {
        var rest = masks
        while let mask = rest.first {
            let next = rest.firstIndex { $0 != mask } ?? rest.endIndex
            let count = next - rest.startIndex
            rest = rest[next...]
            if rest.isEmpty, mask == 0 { return }
            if count > 3 {
                add("!\(count)")
                output.append(0x3F + mask)
            } else {
                output += Array(repeating: 0x3F + mask, count: count)
            }
        }
    }

    private mutating func add(_ text: String) { output += text.utf8 }
}
