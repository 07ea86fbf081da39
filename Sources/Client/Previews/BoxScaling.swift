// An image is made smaller by averages: each pixel of the result is that of all that lie under it, with the parts of those
// at its edges. Transparent pixels count as little as can be seen of them.
//
// Lengths are counted in units so small that they are whole numbers: a column of the original is as many units wide as
// the result has columns, and one of the result as the original has columns.

/// The averages of rows that come one by one.
struct BoxScaling {
    private let width: Int
    private let height: Int
    private let newWidth: Int
    private let newHeight: Int
    /// Sums of colors times alpha, and of alpha: of the last row, and of a row of the result.
    private var row: [UInt64]
    private var sums: [UInt64]
    /// The units that are missing in that.
    private var missing: Int
    private(set) var pixels: [UInt8] = []

    /// To a size that is not greater.
    init(from width: Int, _ height: Int, to newWidth: Int, _ newHeight: Int) {
        (self.width, self.height) = (width, height)
        (self.newWidth, self.newHeight) = (newWidth, newHeight)
        row = Array(repeating: 0, count: 4 * newWidth)
        sums = row
        missing = height
        pixels.reserveCapacity(4 * newWidth * newHeight)
    }

    /// Adds the next row, with four bytes a pixel.
    mutating func add(_ pixels: [UInt8]) {
        sum(pixels)
        var units = newHeight
        while units > 0, self.pixels.count < 4 * newWidth * newHeight {
            let part = min(units, missing)
            for place in sums.indices { sums[place] += row[place] * UInt64(part) }
            units -= part
            missing -= part
            if missing == 0 { endRow() }
        }
    }

    private mutating func sum(_ pixels: [UInt8]) {
        for place in row.indices { row[place] = 0 }
        var (target, missing) = (0, width)
        for column in 0..<width {
            let alpha = UInt64(pixels[4 * column + 3])
            let red = UInt64(pixels[4 * column]) * alpha
            let green = UInt64(pixels[4 * column + 1]) * alpha
            let blue = UInt64(pixels[4 * column + 2]) * alpha
            var units = newWidth
            while units > 0 {
                let part = UInt64(min(units, missing))
                row[target] += red * part
                row[target + 1] += green * part
                row[target + 2] += blue * part
                row[target + 3] += alpha * part
                units -= Int(part)
                missing -= Int(part)
                if missing == 0 { (target, missing) = (target + 4, width) }
            }
        }
    }

    private mutating func endRow() {
        let area = UInt64(width * height)
        for column in 0..<newWidth {
            let alpha = sums[4 * column + 3]
            for channel in 0..<3 {
                let sum = sums[4 * column + channel]
                pixels.append(alpha == 0 ? 0 : UInt8((sum + alpha / 2) / alpha))
            }
            pixels.append(UInt8((alpha + area / 2) / area))
        }
        for place in sums.indices { sums[place] = 0 }
        missing = height
    }
}
