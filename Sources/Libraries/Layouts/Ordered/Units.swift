// Lengths as whole numbers of 1/64 px, the grain in which browsers lay out pages as well.
//
// Sums of whole numbers are the same in every order. A line found by adding up a tree's blocks is where
// a plain pass from the first item puts it, to the bit. Lengths are rounded down: what fits into a line
// before rounding fits after it, since a sum of rounded widths is whole and not above the sum.
//
// A million items of 1e7 px, with as much between them, are 1.3e15 units: below 2^53, so turning units into
// px is exact too.

/// Conversions between px and 1/64 px, and what lengths are held to.
enum Units {
    /// How many units there are in a px.
    static let perPixel = 64.0
    /// The greatest width, height, spacing or inset, in px.
    static let length = 1e7

    /// Whole units, for a length that has been checked: what is not negative is rounded down by cutting it
    /// off, without a call of the C library's.
    static func floor(_ pixels: Double) -> Int { Int(pixels * perPixel) }

    /// Exact, for all that a layout adds up.
    static func pixels(_ units: Int) -> Double { Double(units) / perPixel }

    /// Whether a layout takes this length. A value that is no number is none.
    static func isLength(_ pixels: Double) -> Bool { pixels >= 0 && pixels <= length }

    static func check(_ pixels: Double, _ name: @autoclosure () -> String) throws(LayoutError) {
        guard isLength(pixels) else {
            throw .outOfRange(name: name(), value: pixels, allowed: "from 0 to 1e7 px")
        }
    }

    static func check(_ size: Size, _ name: @autoclosure () -> String) throws(LayoutError) {
        guard isLength(size.width) else {
            throw .outOfRange(
                name: "\(name()).width", value: size.width, allowed: "from 0 to 1e7 px")
        }
        guard isLength(size.height) else {
            throw .outOfRange(
                name: "\(name()).height", value: size.height, allowed: "from 0 to 1e7 px")
        }
    }

    static func check(_ sizes: [Size?]) throws(LayoutError) {
        for index in sizes.indices {
            if let size = sizes[index] { try check(size, "sizes[\(index)]") }
        }
    }

    static func check(_ insets: Insets) throws(LayoutError) {
        try check(insets.top, "insets.top")
        try check(insets.left, "insets.left")
        try check(insets.bottom, "insets.bottom")
        try check(insets.right, "insets.right")
    }
}

/// The window of an ordered layout, and what its insets leave of it, in units.
struct ContentArea {
    var bounds: Rect
    var insets: Insets
    /// From the left edge of the bounds to where lines begin.
    var left: Int { Units.floor(insets.left) }
    /// From the upper edge of the bounds to where the first line begins.
    var top: Int { Units.floor(insets.top) }
    /// The length of a line; 0 if the insets leave nothing.
    var width: Int {
        max(0, Units.floor(bounds.size.width) - left - Units.floor(insets.right))
    }

    /// The frame, in px, of what is at these units from where the first line begins.
    func frame(x: Int, y: Int, width: Int, height: Int) -> Rect {
        Rect(
            x: bounds.minX + Units.pixels(left + x), y: bounds.minY + Units.pixels(top + y),
            width: Units.pixels(width), height: Units.pixels(height))
    }

    /// The size of the union of the bounds and of frames that end at these units.
    func content(width: Int, height: Int) -> Size {
        Size(
            width: max(bounds.size.width, Units.pixels(left + width)),
            height: max(bounds.size.height, Units.pixels(top + height)))
    }

    /// How many units below the first line's upper edge this `y` is; not rounded, not limited.
    func units(y: Double) -> Double {
        (y - bounds.minY) * Units.perPixel - Double(top)
    }
}
