// The output of a command that writes for a terminal, as lines of styled text.
//
// Colors and attributes are kept; whatever else a terminal would obey is dropped. Nobody is to be trusted here: the
// command prints what is in files.

/// Text with sequences for colors, read piece by piece.
package struct AnsiText: Sendable {
    private enum State {
        case text
        case escape
        /// After ESC and a byte that wants one more.
        case escapeMore
        case sequence
        case string
        case stringEscape
    }

    /// The most lines; the rest is dropped.
    package static let mostLines = 2000
    /// The most columns of a line; the rest is dropped.
    package static let mostColumns = 4096
    /// Colors of 16 bytes each way and all attributes take fewer.
    private static let longestSequence = 128

    /// Whether something was dropped because there was too much of it.
    package private(set) var wasCut = false

    private var state = State.text
    private var utf8 = UTF8Reader()
    private var sequence: [UInt8] = []
    private var style = CellStyle.plain
    private var ended: [StyledText] = []
    private var line = StyledText()
    /// What follows in the line, in the style that is set.
    private var run = ""
    private var column = 0
    /// The scalars of the line, of which many may take no column.
    private var scalars = 0

    package init() {}

    /// The lines so far, the last of which may not have ended.
    package var lines: [StyledText] {
        var last = line
        last.append(content: run, style: style)
        return last.isEmpty || ended.count == Self.mostLines ? ended : ended + [last]
    }

    package mutating func take(_ bytes: [UInt8]) {
        for byte in bytes { take(byte) }
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .text: takeText(byte)
        case .escape: takeAfterEscape(byte)
        case .escapeMore: state = .text
        case .sequence: takeInSequence(byte)
        case .string:
            if byte == 0x07 { state = .text }
            if byte == 0x1B { state = .stringEscape }
        case .stringEscape:
            state = .escape
            if byte == UInt8(ascii: "\\") { state = .text } else { take(byte) }
        }
    }

    private mutating func takeAfterEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "["):
            sequence = []
            state = .sequence
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
            UInt8(ascii: "_"):
            state = .string
        case 0x20...0x2F: state = .escapeMore
        case 0x1B: break
        default: state = .text
        }
    }

    private mutating func takeInSequence(_ byte: UInt8) {
        switch byte {
        case 0x20...0x3F:
            // One that is too long is remembered as such until it ends.
            if sequence.count <= Self.longestSequence { sequence.append(byte) }
        case 0x40...0x7E:
            state = .text
            guard byte == UInt8(ascii: "m"), sequence.count <= Self.longestSequence else { return }
            endRun()
            StyleReader.change(&style, by: sequence)
        case 0x1B: state = .escape
        default:
            state = .text
            take(byte)
        }
    }

    private mutating func takeText(_ byte: UInt8) {
        switch utf8.take(byte) {
        case .incomplete: break
        case .invalid: append("\u{FFFD}")
        case .cut:
            append("\u{FFFD}")
            takeText(byte)
        case .scalar("\u{1B}"): state = .escape
        case .scalar("\n"): endLine()
        case .scalar("\t"): for _ in 0..<(4 - column % 4) { append(" ") }
        case .scalar(let scalar) where scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value: break
        case .scalar(let scalar): append(scalar)
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        let width = DisplayWidth.of(String(Character(scalar)))
        guard ended.count < Self.mostLines, column + width <= Self.mostColumns,
            scalars < 2 * Self.mostColumns
        else {
            wasCut = true
            return
        }
        run.unicodeScalars.append(scalar)
        column += width
        scalars += 1
    }

    private mutating func endRun() {
        line.append(content: run, style: style)
        run = ""
    }

    private mutating func endLine() {
        endRun()
        if ended.count < Self.mostLines { ended.append(line) } else { wasCut = true }
        line = StyledText()
        column = 0
        scalars = 0
    }
}
