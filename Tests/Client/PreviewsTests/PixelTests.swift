import Previews
import TerminalCells
import TestSupport
import Testing

@Suite("Pixels, drawn")
struct PixelTests {
    private func image(
        _ width: Int, _ height: Int, colors: Int = .max, using random: inout SeededRandom
    ) -> PixelImage {
        let palette = (0..<min(colors, width * height)).map { _ in
            (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
                + [random.chance(0.8) ? 255 : 0]
        }
        let pixels = (0..<width * height).flatMap { _ in
            palette.randomElement(using: &random) ?? [0, 0, 0, 0]
        }
        return PixelImage(width: width, height: height, pixels: pixels)
    }

    @Test("A smaller image has the averages of what is under its pixels")
    func scaling() throws {
        try withSeed { random in
            for _ in 0..<testRounds(40) {
                let width = Int.random(in: 1...30, using: &random)
                let height = Int.random(in: 1...30, using: &random)
                let original = image(width, height, using: &random)
                let most = Int.random(in: 1...width, using: &random)
                let png = PNG(width: width, height: height, original.pixels)
                let scaled = try PixelImage(
                    try PNGFile(png.bytes), fitting: most, Int.random(in: 1...40, using: &random))
                let expected = Self.average(original, scaled.width, scaled.height)
                for place in expected.indices {
                    let isSeen = scaled.pixels[place | 3] > 0
                    let found = Double(scaled.pixels[place])
                    #expect(!isSeen || abs(found - expected[place]) < 1.01)
                }
            }
        }
    }

    /// Sums over everything, in fractions.
    private static func average(_ image: PixelImage, _ width: Int, _ height: Int) -> [Double] {
        func shares(_ place: Int, _ count: Int, of all: Int) -> [(Int, Double)] {
            let size = Double(all) / Double(count)
            let (start, end) = (Double(place) * size, Double(place + 1) * size)
            return (0..<all).compactMap { index in
                let share = min(end, Double(index + 1)) - max(start, Double(index))
                return share > 1e-9 ? (index, share) : nil
            }
        }
        var result: [Double] = []
        for row in 0..<height {
            for column in 0..<width {
                var sums = [0.0, 0, 0, 0, 0]
                for (y, high) in shares(row, height, of: image.height) {
                    for (x, wide) in shares(column, width, of: image.width) {
                        let place = 4 * (y * image.width + x)
                        let pixel = (0..<4).map { Double(image.pixels[place + $0]) }
                        let weight = high * wide
                        for channel in 0..<3 { sums[channel] += pixel[channel] * pixel[3] * weight }
                        sums[3] += pixel[3] * weight
                        sums[4] += weight
                    }
                }
                for channel in 0..<3 { result.append(sums[3] > 0 ? sums[channel] / sums[3] : 0) }
                result.append(sums[3] / sums[4])
            }
        }
        return result
    }

    @Test(
        "An image keeps its shape, and grows no larger than it is",
        arguments: [
            (10, 10, 20, 20, 10, 10), (100, 50, 10, 10, 10, 5), (50, 100, 10, 10, 5, 10),
            (1000, 1, 10, 10, 10, 1), (1, 1000, 10, 10, 1, 10), (3, 3, 0, 0, 1, 1),
            (100, 100, 50, 200, 50, 50), (30, 10, 20, 20, 20, 7), (10, 30, 20, 20, 7, 20),
        ])
    func shapes(width: Int, height: Int, most: Int, mostRows: Int, newWidth: Int, newHeight: Int) {
        let found = PixelImage.fit(width, height, into: most, mostRows)
        #expect(found.width == newWidth && found.height == newHeight)
    }

    @Test("Half cells have the colors of the pixels, and nothing where these are transparent")
    func blocks() {
        withSeed { random in
            for _ in 0..<testRounds(40) {
                let image = image(
                    Int.random(in: 1...12, using: &random), Int.random(in: 1...12, using: &random),
                    colors: Int.random(in: 1...6, using: &random), using: &random)
                let lines = BlockPicture.lines(of: image)
                #expect(lines.count == (image.height + 1) / 2)
                for (row, line) in lines.enumerated() {
                    let cells = line.runs.flatMap { run in run.text.map { ($0, run.style) } }
                    #expect(cells.count == image.width)
                    for (column, (character, style)) in cells.enumerated() {
                        let seen = Self.seen(character, style)
                        #expect(seen.upper == Self.color(image, column, 2 * row))
                        #expect(seen.lower == Self.color(image, column, 2 * row + 1))
                    }
                }
            }
        }
    }

    private static func color(_ image: PixelImage, _ column: Int, _ row: Int) -> TerminalColor {
        guard row < image.height, let color = image.color(column, row) else { return .standard }
        return .rgb(color.red, color.green, color.blue)
    }

    private static func seen(
        _ character: Character, _ style: CellStyle
    ) -> (upper: TerminalColor, lower: TerminalColor) {
        switch character {
        case "▀": (style.foreground, style.background)
        case "▄": (style.background, style.foreground)
        default: (style.background, style.background)
        }
    }

    @Test("Sixels have the colors of the pixels, as far as a hundredth can tell")
    func sixels() throws {
        try withSeed { random in
            for _ in 0..<testRounds(40) {
                let image = image(
                    Int.random(in: 1...40, using: &random), Int.random(in: 1...40, using: &random),
                    colors: Int.random(in: 1...200, using: &random), using: &random)
                let data = try #require(SixelWriter.data(of: image))
                let picture = try #require(SixelPicture(data))
                #expect(picture.width == image.width && picture.height == image.height)
                for row in 0..<image.height {
                    for column in 0..<image.width {
                        let found = picture.colors[row * image.width + column]
                        let expected = image.color(column, row).map {
                            [$0.red, $0.green, $0.blue].map { Int($0) }
                        }
                        #expect((found == nil) == (expected == nil))
                        let differences = zip(found ?? [], expected ?? []).map { abs($0 - $1) }
                        #expect(differences.allSatisfy { $0 <= 2 })
                    }
                }
            }
        }
    }

    @Test("Too many colors become their averages; too long an image is none")
    func longSixels() throws {
        try withSeed { random in
            let coarse = image(100, 60, using: &random)
            let data = try #require(SixelWriter.data(of: coarse, mostColors: 64))
            let picture = try #require(SixelPicture(data))
            #expect(Set(picture.colors.compactMap { $0 }).count <= 64)
            let large = image(600, 600, using: &random)
            #expect(SixelWriter.data(of: large) == nil)
            let plain = PixelImage(
                width: 600, height: 600, pixels: [UInt8](repeating: 255, count: 4 * 360_000))
            #expect(try #require(SixelWriter.data(of: plain)).count < 2000)
        }
    }
}
