/// A color of a terminal.
package enum TerminalColor: Hashable, Sendable {
    /// That of the terminal's own settings.
    case standard
    /// One of the 256.
    case indexed(UInt8)
    /// For terminals with true color.
    case rgb(UInt8, UInt8, UInt8)
}

/// How a cell is drawn.
package struct CellStyle: Hashable, Sendable {
    package var foreground: TerminalColor
    package var background: TerminalColor
    package var isBold: Bool
    package var isDim: Bool
    package var isItalic: Bool
    package var isUnderlined: Bool
    package var isReversed: Bool
    package var isStruckOut: Bool

    package init(
        foreground: TerminalColor = .standard, background: TerminalColor = .standard,
        isBold: Bool = false, isDim: Bool = false, isItalic: Bool = false,
        isUnderlined: Bool = false, isReversed: Bool = false, isStruckOut: Bool = false
    ) {
        self.foreground = foreground
        self.background = background
        self.isBold = isBold
        self.isDim = isDim
        self.isItalic = isItalic
        self.isUnderlined = isUnderlined
        self.isReversed = isReversed
        self.isStruckOut = isStruckOut
    }

    package static let plain = CellStyle()
}
