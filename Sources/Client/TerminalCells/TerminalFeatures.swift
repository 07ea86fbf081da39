/// What a terminal can do.
package struct TerminalFeatures: Hashable, Sendable {
    /// Whether there are colors. Without them, bold, underlined and reversed text stays.
    package var hasColor: Bool
    /// Whether colors may be of any red, green and blue. Otherwise they are the nearest of the 256.
    package var hasTrueColor: Bool
    /// Whether it can be told to show nothing until a frame is complete (mode 2026).
    package var hasSynchronizedOutput: Bool

    package init(
        hasColor: Bool = true, hasTrueColor: Bool = false, hasSynchronizedOutput: Bool = false
    ) {
        self.hasColor = hasColor
        self.hasTrueColor = hasTrueColor
        self.hasSynchronizedOutput = hasSynchronizedOutput
    }

    /// A style as this terminal can draw it.
    func drawn(_ style: PackedStyle) -> PackedStyle {
        if (hasColor && hasTrueColor) || !style.hasColor { return style }
        var drawn = style
        drawn.foreground = self.drawn(style.foreground)
        drawn.background = self.drawn(style.background)
        return drawn
    }

    private func drawn(_ color: TerminalColor) -> TerminalColor {
        guard hasColor else { return .standard }
        guard !hasTrueColor, case .rgb(let red, let green, let blue) = color else { return color }
        return .indexed(Self.nearest(Int(red), Int(green), Int(blue)))
    }

    /// The nearest color of the 6 × 6 × 6 and the 24 gray ones, which are the same on all terminals.
    private static func nearest(_ red: Int, _ green: Int, _ blue: Int) -> UInt8 {
        let levels = [0, 95, 135, 175, 215, 255]
        func level(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
        func distance(_ otherRed: Int, _ otherGreen: Int, _ otherBlue: Int) -> Int {
            let difference = (red - otherRed, green - otherGreen, blue - otherBlue)
            return difference.0 * difference.0 + difference.1 * difference.1
                + difference.2 * difference.2
        }
        let (redLevel, greenLevel, blueLevel) = (level(red), level(green), level(blue))
        let step = max(0, min(23, ((red + green + blue) / 3 - 3) / 10))
        let gray = 8 + 10 * step
        let isGrayNearer =
            distance(gray, gray, gray)
            < distance(levels[redLevel], levels[greenLevel], levels[blueLevel])
        return UInt8(
            isGrayNearer ? 232 + step : 16 + 36 * redLevel + 6 * greenLevel + blueLevel)
    }
}
