/// Where the cursor of a terminal is and in which style it draws, and the bytes that made it so.
struct TerminalPen {
    private(set) var bytes: [UInt8] = []
    private(set) var row = 0
    private(set) var column = 0
    /// Whether the column is known: not after text on whose width terminals disagree, nor in the last column.
    private(set) var isSure = true
    private(set) var style = PackedStyle.plain
    let columns: Int
    /// Whether rows are those of a region somewhere on the screen, so that they can only be reached from one another.
    let isRelative: Bool

    init(columns: Int, isRelative: Bool) {
        self.columns = columns
        self.isRelative = isRelative
    }

    /// The bytes since they were taken last.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    // MARK: Drawing

    mutating func set(_ style: PackedStyle) {
        bytes += PackedStyle.sequence(from: self.style, to: style)
        self.style = style
    }

    /// Draws a glyph of a grid in the style that is set.
    mutating func draw(_ glyph: Glyph, of grid: CellGrid) {
        if let byte = glyph.ascii {
            bytes.append(byte)
        } else if glyph.cluster == nil {
            bytes += UTF8.encode(glyph.scalar) ?? UTF8.encodedReplacementCharacter
        } else {
            bytes += grid.text(of: glyph).utf8
        }
        column += glyph.width
        isSure = glyph.certainty == .sure
        if column >= columns {
            column = max(0, columns - 1)
            isSure = false
        }
    }

    /// Erases to the end of the line.
    mutating func eraseLine() {
        setErasing()
        bytes += [0x1B, 0x5B, 0x4B]
    }

    /// Erases to the end of the screen.
    mutating func eraseBelow() {
        setErasing()
        bytes += [0x1B, 0x5B, 0x4A]
    }

    /// Some terminals erase with the background of the style that is set, others don't: it is set to none.
    private mutating func setErasing() {
        if style.onBlank != .plain { set(.plain) }
    }

    // MARK: Moving

    /// Moves by the shortest sequence.
    mutating func move(to target: CellPlace) {
        if target.row != row, !isRelative,
            absoluteCost(target) < lineCost(target) + acrossCost(target.column, isLineFed(target))
        {
            moveAbsolutely(to: target)
        } else if target.row != row, isLineFed(target) {
            if column != 0 || !isSure { bytes.append(0x0D) }
            bytes += Array(repeating: 0x0A, count: target.row - row)
        } else {
            let lines = target.row - row
            if lines != 0 { append(number: abs(lines), lines < 0 ? "A" : "B") }
            moveAcross(to: target.column)
        }
        row = target.row
        column = target.column
        isSure = true
    }

    /// Whether line feeds are the way down: they are shortest to the start of a row that is near. After a CR they
    /// lead to the same place whether or not the terminal adds one to each.
    private func isLineFed(_ target: CellPlace) -> Bool {
        target.column == 0 && target.row > row && target.row - row <= 3
    }

    private func lineCost(_ target: CellPlace) -> Int {
        if isLineFed(target) { return target.row - row + (column == 0 && isSure ? 0 : 1) }
        return Self.cost(abs(target.row - row))
    }

    private func acrossCost(_ target: Int, _ isDone: Bool = false) -> Int {
        if isDone || (isSure && target == column) { return 0 }
        if target == 0 { return 1 }
        let absolute = 3 + Self.digits(target + 1)
        return isSure && target > column ? min(absolute, Self.cost(target - column)) : absolute
    }

    private func absoluteCost(_ target: CellPlace) -> Int {
        3 + (target.row == 0 ? 0 : Self.digits(target.row + 1))
            + (target.column == 0 ? 0 : 1 + Self.digits(target.column + 1))
    }

    private mutating func moveAbsolutely(to target: CellPlace) {
        bytes += [0x1B, 0x5B]
        if target.row > 0 { bytes.append(decimal: target.row + 1) }
        if target.column > 0 {
            bytes.append(0x3B)
            bytes.append(decimal: target.column + 1)
        }
        bytes.append(0x48)
    }

    private mutating func moveAcross(to target: Int) {
        if isSure, target == column { return }
        if target == 0 {
            bytes.append(0x0D)
        } else if isSure, target > column,
            Self.cost(target - column) <= 3 + Self.digits(target + 1)
        {
            append(number: target - column, "C")
        } else {
            append(number: target + 1, "G")
        }
    }

    /// A sequence with a number; 1 needs not be said.
    private mutating func append(number: Int, _ final: Unicode.Scalar) {
        bytes += [0x1B, 0x5B]
        if number != 1 { bytes.append(decimal: number) }
        bytes.append(UInt8(ascii: final))
    }

    private static func cost(_ number: Int) -> Int { 3 + (number == 1 ? 0 : digits(number)) }

    private static func digits(_ number: Int) -> Int {
        number < 10 ? 1 : 1 + digits(number / 10)
    }
}
