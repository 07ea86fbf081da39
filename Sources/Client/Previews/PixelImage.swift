/// An image of pixels with red, green, blue and alpha.
package struct PixelImage: Equatable, Sendable {
    package let width: Int
    package let height: Int
    /// Four bytes a pixel, row by row.
    package let pixels: [UInt8]

    /// A PNG as large as fits into so many pixels, but not larger than it is. Whatever its size, no more than a few of its
    /// rows are in memory.
    package init(_ file: PNGFile, fitting width: Int, _ height: Int) throws(ImageFault) {
        var rows = try PNGRows(file)
        let (width, height) = Self.fit(file.width, file.height, into: width, height)
        var scaling = BoxScaling(from: file.width, file.height, to: width, height)
        var row = [UInt8](repeating: 0, count: 4 * file.width)
        for _ in 0..<file.height {
            try rows.next(into: &row)
            scaling.add(row)
        }
        self.init(width: width, height: height, pixels: scaling.pixels)
    }

    package init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// This image, so many quarters as wide and high.
    package func scaled(quarters: Int) -> PixelImage {
        let (width, height) = (max(1, width * quarters / 4), max(1, height * quarters / 4))
        var scaling = BoxScaling(from: self.width, self.height, to: width, height)
        for row in 0..<self.height {
            scaling.add(Array(pixels[4 * row * self.width..<4 * (row + 1) * self.width]))
        }
        return PixelImage(width: width, height: height, pixels: scaling.pixels)
    }

    /// The greatest width and height of the same shape that fit, at most those given first, and at least one pixel each.
    package static func fit(
        _ width: Int, _ height: Int, into mostWidth: Int, _ mostHeight: Int
    ) -> (width: Int, height: Int) {
        let (most, mostRows) = (max(1, mostWidth), max(1, mostHeight))
        if width <= most, height <= mostRows { return (width, height) }
        // Whichever side is the tighter one.
        if width * mostRows >= height * most {
            return (most, max(1, min(mostRows, (height * most + width / 2) / width)))
        }
        return (max(1, min(most, (width * mostRows + height / 2) / height)), mostRows)
    }

    /// Red, green and blue of a pixel; nil if it is more transparent than not.
    package func color(_ column: Int, _ row: Int) -> (red: UInt8, green: UInt8, blue: UInt8)? {
        let place = 4 * (row * width + column)
        if pixels[place + 3] < 128 { return nil }
        return (pixels[place], pixels[place + 1], pixels[place + 2])
    }
}
