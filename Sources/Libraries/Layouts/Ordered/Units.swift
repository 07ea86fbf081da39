// Lengths as integers of 1/64 px, the resolution in which browsers lay out pages, too.
//
// Sums of integers are the same in every order. So a line found by summing a tree's blocks is, to the
// bit, where a linear pass from the first item puts it. Lengths are rounded down: items that fit into a
// line before rounding fit after it, since a sum of rounded widths is an integer not above the sum.
//
// A million items of 1e7 px, with equal gaps, are 1.3e15 units: below 2^53, so the conversion of units
// to px is exact, too.

/// Conversions between px and 1/64 px, and the limit of lengths.
enum Units {
    /// The number of units in a px.
    static let perPixel = 64.0
    /// The greatest width, height, spacing or inset, in px.
    static let length = 1e7

    /// The units of a valid length. Lengths are not negative, so truncation rounds them down without a
    /// call of the C library.
    static func floor(_ pixels: Double) -> Int { Int(pixels * perPixel) }

    /// The px of a number of units; exact for all sums of a layout.
    static func pixels(_ units: Int) -> Double { Double(units) / perPixel }

    /// Checks that a layout accepts this length. NaN is refused.
    static func check(_ pixels: Double, _ name: @autoclosure () -> String) throws(LayoutError) {
        guard pixels >= 0 && pixels <= length else {
            throw .outOfRange(name: name(), value: pixels, allowed: "from 0 to 1e7 px")
        }
    }

    static func check(_ size: Size, _ name: @autoclosure () -> String) throws(LayoutError) {
        try check(size.width, "\(name()).width")
        try check(size.height, "\(name()).height")
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

/// The window of an ordered layout, and its content area inside the insets, in units.
struct ContentArea {
    var bounds: Rect
    var insets: Insets
    /// The distance from the left edge of the bounds to the start of lines.
    var left: Int { Units.floor(insets.left) }
    /// The distance from the upper edge of the bounds to the first line.
    var top: Int { Units.floor(insets.top) }
    /// The length of a line; 0 if the insets leave nothing.
    var width: Int {
        max(0, Units.floor(bounds.size.width) - left - Units.floor(insets.right))
    }

    /// The frame, in px, of a rectangle in units relative to the start of the first line.
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

    /// The distance of `y` below the first line's upper edge in units; not rounded or clamped.
    func units(y: Double) -> Double {
        (y - bounds.minY) * Units.perPixel - Double(top)
    }
}
