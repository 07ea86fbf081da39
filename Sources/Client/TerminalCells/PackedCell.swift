// The cells of a grid, as they are stored: twelve bytes each, without a reference, so that a grid is made, copied
// and compared as one block of memory.

/// What a cell shows: a scalar, a cluster of several, or the second half of a wide one.
struct Glyph: Hashable {
    /// How far terminals agree on the columns that a cluster takes.
    enum Certainty: UInt32, Comparable {
        /// All take as many.
        case sure
        /// Some take two columns instead of one, by their settings.
        case ambiguous
        /// Anything from nothing to several columns.
        case disputed

        static func < (left: Certainty, right: Certainty) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    private var bits: UInt32

    private static let clusterBit: UInt32 = 1 << 31
    private static let wideBit: UInt32 = 1 << 30
    private static let numberBits: UInt32 = (1 << 28) - 1

    private init(bits: UInt32) { self.bits = bits }

    /// The second half of a wide one.
    static let tail = Glyph(bits: 0)
    static let blank = Glyph(" ", isWide: false, .sure)
    /// What is under an image, in no grid but those that a `FrameWriter` compares: it is like nothing else, and never drawn.
    static let covered = Glyph(bits: 1 << 27)

    init(_ scalar: Unicode.Scalar, isWide: Bool, _ certainty: Certainty) {
        bits = scalar.value | certainty.rawValue << 28 | (isWide ? Self.wideBit : 0)
    }

    /// A printable byte of ASCII.
    init(ascii byte: UInt8) { bits = UInt32(byte) }

    /// A cluster of several scalars, with its number in the grid.
    init(cluster number: Int, isWide: Bool) {
        bits =
            UInt32(truncatingIfNeeded: number) & Self.numberBits | Self.clusterBit
            | Certainty.disputed.rawValue << 28 | (isWide ? Self.wideBit : 0)
    }

    /// The columns that it takes; 0 for a second half.
    var width: Int { self == .tail ? 0 : isWide ? 2 : 1 }
    var isWide: Bool { bits & Self.wideBit != 0 }
    var certainty: Certainty { Certainty(rawValue: bits >> 28 & 3) ?? .disputed }
    /// That of a cluster of one scalar of ASCII.
    var ascii: UInt8? { bits > 0 && bits < 0x80 ? UInt8(bits) : nil }
    /// The number of a cluster of several scalars.
    var cluster: Int? { bits & Self.clusterBit == 0 ? nil : Int(bits & Self.numberBits) }
    /// The scalar of a cluster of one.
    var scalar: Unicode.Scalar { Unicode.Scalar(bits & 0x1F_FFFF) ?? " " }
}

/// A cell of a grid.
struct PackedCell: Hashable {
    var glyph: Glyph
    var style: PackedStyle

    static let blank = PackedCell(glyph: .blank, style: .plain)
}

/// How a cell is drawn, in eight bytes.
struct PackedStyle: Hashable {
    /// A color in 26 bits, the kind of color in the upper two, and above them the attributes.
    private var front: UInt32
    private var back: UInt32

    static let plain = PackedStyle(.plain)

    static let bold: UInt32 = 1 << 26
    static let dim: UInt32 = 1 << 27
    static let italic: UInt32 = 1 << 28
    static let underlined: UInt32 = 1 << 29
    static let reversed: UInt32 = 1 << 30
    static let struckOut: UInt32 = 1 << 31
    /// The attributes that can be seen on a blank.
    private static let seenOnBlanks = underlined | reversed | struckOut
    private static let colorBits: UInt32 = (1 << 26) - 1

    init(_ style: CellStyle) {
        front = Self.pack(style.foreground)
        back = Self.pack(style.background)
        if style.isBold { front |= Self.bold }
        if style.isDim { front |= Self.dim }
        if style.isItalic { front |= Self.italic }
        if style.isUnderlined { front |= Self.underlined }
        if style.isReversed { front |= Self.reversed }
        if style.isStruckOut { front |= Self.struckOut }
    }

    var style: CellStyle {
        CellStyle(
            foreground: foreground, background: background, isBold: has(Self.bold),
            isDim: has(Self.dim), isItalic: has(Self.italic),
            isUnderlined: has(Self.underlined), isReversed: has(Self.reversed),
            isStruckOut: has(Self.struckOut))
    }

    var foreground: TerminalColor {
        get { Self.unpack(front) }
        set { front = front & ~Self.colorBits | Self.pack(newValue) }
    }

    var background: TerminalColor {
        get { Self.unpack(back) }
        set { back = Self.pack(newValue) }
    }

    /// The attributes, without the colors.
    var attributes: UInt32 {
        get { front & ~Self.colorBits }
        set { front = front & Self.colorBits | newValue & ~Self.colorBits }
    }

    func has(_ attribute: UInt32) -> Bool { front & attribute != 0 }

    var hasColor: Bool { front & Self.colorBits != 0 || back != 0 }

    /// Without what can't be seen on a blank: two blanks look the same if these are equal.
    var onBlank: PackedStyle {
        var seen = self
        if front & Self.seenOnBlanks == 0 { seen.front = 0 }
        return seen
    }

    private static func pack(_ color: TerminalColor) -> UInt32 {
        switch color {
        case .standard: 0
        case .indexed(let index): 1 << 24 | UInt32(index)
        case .rgb(let red, let green, let blue):
            2 << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        }
    }

    private static func unpack(_ bits: UInt32) -> TerminalColor {
        switch bits >> 24 & 3 {
        case 0: .standard
        case 1: .indexed(UInt8(truncatingIfNeeded: bits))
        default:
            .rgb(
                UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
                UInt8(truncatingIfNeeded: bits))
        }
    }
}
