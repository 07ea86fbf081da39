/// What a terminal can do.
package struct TerminalFeatures: Hashable, Sendable {
    /// Whether there are colors. Without them, bold, underlined and reversed text stays.
    package var hasColor: Bool
    /// Whether colors may be of any red, green and blue. Otherwise they are the nearest of the 256.
    package var hasTrueColor: Bool
    /// Whether there are 256 colors. Otherwise they are the nearest of the 16.
    package var hasManyColors: Bool
    /// Whether it can be told to show nothing until a frame is complete (mode 2026).
    package var hasSynchronizedOutput: Bool
    /// How it shows images, as far as it has said.
    package private(set) var images = Images.none
    /// The pixels of its cells, if known.
    package var cell: CellPixels?
    /// Whether it reads files where this program does.
    package var readsFiles = false

    /// How a terminal shows images.
    package enum Images: Hashable, Sendable { case none, sixel, kitty }

    package init(
        hasColor: Bool = true, hasTrueColor: Bool = false, hasManyColors: Bool = true,
        hasSynchronizedOutput: Bool = false, images: Images = .none, cell: CellPixels? = nil,
        readsFiles: Bool = false
    ) {
        self.hasColor = hasColor
        self.hasTrueColor = hasTrueColor
        self.hasManyColors = hasManyColors
        self.hasSynchronizedOutput = hasSynchronizedOutput
        self.images = images
        self.cell = cell
        self.readsFiles = readsFiles
    }

    /// Takes what the terminal says.
    package mutating func learn(_ report: TerminalReport) {
        switch report {
        case .kittyGraphics(let hasThem): if hasThem { images = .kitty }
        case .attributes(let numbers):
            if images == .none, numbers.contains(4) { images = .sixel }
        case .cellSize(let size): cell = size
        }
    }

    /// A style as this terminal can draw it.
    func drawn(_ style: PackedStyle) -> PackedStyle {
        if (hasColor && hasManyColors && hasTrueColor) || !style.hasColor { return style }
        var drawn = style
        drawn.foreground = self.drawn(style.foreground)
        drawn.background = self.drawn(style.background)
        return drawn
    }

    private func drawn(_ color: TerminalColor) -> TerminalColor {
        guard hasColor else { return .standard }
        switch color {
        case .rgb(let red, let green, let blue):
            let (red, green, blue) = (Int(red), Int(green), Int(blue))
            if !hasManyColors { return .indexed(Self.nearestOfFew(red, green, blue)) }
            return hasTrueColor ? color : .indexed(Self.nearest(red, green, blue))
        case .indexed(let index) where !hasManyColors && index >= 16:
            let (red, green, blue) = Self.parts(of: Int(index))
            return .indexed(Self.nearestOfFew(red, green, blue))
        case .indexed, .standard: return color
        }
    }

    /// The nearest of the first 16, as most terminals have them.
    private static func nearestOfFew(_ red: Int, _ green: Int, _ blue: Int) -> UInt8 {
        if max(red, green, blue) - min(red, green, blue) < 32 {
            let gray = (red + green + blue) / 3
            return gray < 64 ? 0 : gray < 160 ? 8 : gray < 224 ? 7 : 15
        }
        // A part that is less than half of the greatest one is not in the color.
        let greatest = max(red, green, blue)
        let color =
            (red * 2 > greatest ? 1 : 0) + (green * 2 > greatest ? 2 : 0)
            + (blue * 2 > greatest ? 4 : 0)
        return UInt8(greatest >= 192 ? color + 8 : color)
    }

    /// One of the 6 × 6 × 6 and the 24 gray colors.
    private static func parts(of index: Int) -> (Int, Int, Int) {
        if index >= 232 {
            let gray = 8 + 10 * (index - 232)
            return (gray, gray, gray)
        }
        let levels = [0, 95, 135, 175, 215, 255]
        let place = index - 16
        return (levels[place / 36], levels[place / 6 % 6], levels[place % 6])
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
