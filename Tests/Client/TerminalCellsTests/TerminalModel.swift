// A terminal that knows exactly the sequences that a `FrameWriter` may send. Anything else is a fault, and so is what
// terminals do not do alike.

import TerminalCells

struct TerminalModel {
    typealias Cell = CellGrid.Cell

    let rows: Int
    let columns: Int
    private(set) var cells: [[Cell]]
    private(set) var row = 0
    private(set) var column = 0
    private(set) var style = CellStyle.plain
    /// The modes that are on.
    private(set) var modes: Set<Int> = [7, 25]
    private(set) var faults: [String] = []
    private(set) var images = TerminalImages()
    private var saved: (row: Int, column: Int, style: CellStyle)?
    /// The screen that is shown again after the other one.
    private var firstScreen: (cells: [[Cell]], row: Int, column: Int)?

    /// Whether erased cells have the background that is set.
    var erasesWithBackground = false
    /// Whether each line feed also leads to the first column.
    var addsReturns = false
    /// The columns that a cluster takes, for terminals that disagree.
    var width: (String) -> Int = DisplayWidth.of

    init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
        cells = Array(repeating: Array(repeating: .blank, count: columns), count: rows)
    }

    var isOtherScreen: Bool { firstScreen != nil }

    func text(row: Int) -> String {
        var text = cells[row].map(\.text).joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    mutating func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let first = rest.first {
            switch first {
            case 0x1B: takeSequence(&rest)
            case 0x0D:
                column = 0
                rest.removeFirst()
            case 0x0A:
                feedLine()
                rest.removeFirst()
            default:
                let text = rest.prefix { $0 != 0x1B && $0 != 0x0D && $0 != 0x0A }
                rest = rest.dropFirst(text.count)
                guard let string = String(validating: text, as: UTF8.self) else {
                    fault("text that is no UTF-8")
                    return
                }
                for character in string { put(String(character)) }
            }
        }
    }

    private mutating func fault(_ what: String) { faults.append(what) }

    private mutating func feedLine() {
        if addsReturns { column = 0 }
        if row < rows - 1 {
            row += 1
            return
        }
        if isOtherScreen { fault("a line feed in the last row") }
        cells.removeFirst()
        cells.append(Array(repeating: .blank, count: columns))
    }

    private mutating func put(_ text: String) {
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            fault("a control character")
        }
        let width = min(width(text), columns - column)
        if width == 0 { return }
        if column + width == columns, modes.contains(7) { fault("the last column") }
        if column + DisplayWidth.of(text) > columns { fault("text beyond the last column") }
        for column in column..<column + width { clear(column) }
        cells[row][column] = Cell(text: text, style: style)
        for tail in column + 1..<max(column + 1, column + width) {
            cells[row][tail] = Cell(text: "", style: style)
        }
        column = min(columns - 1, column + width)
    }

    /// Makes a blank of a cell, and of the other cells of the same character.
    private mutating func clear(_ column: Int) {
        var first = column
        while first > 0, cells[row][first].text.isEmpty { first -= 1 }
        repeat {
            cells[row][first].text = " "
            images.clear(row, first)
            first += 1
        } while first < columns && cells[row][first].text.isEmpty
    }

    private mutating func erase(_ row: Int, from column: Int) {
        let now = self.row
        self.row = row
        defer { self.row = now }
        for column in column..<columns {
            clear(column)
            cells[row][column] = Cell(
                text: " ",
                style: CellStyle(background: erasesWithBackground ? style.background : .standard))
        }
        if style.isReversed || style.isUnderlined || style.isStruckOut {
            fault("cells are erased in a style that can be seen on blanks")
        }
    }

    // MARK: Sequences

    private mutating func takeSequence(_ rest: inout ArraySlice<UInt8>) {
        rest.removeFirst()
        let kind = rest.popFirst().map { UnicodeScalar($0) }
        switch kind {
        case "[": break
        case "7": return saved = (row, column, style)
        case "8":
            guard let saved else { return fault("nothing was saved") }
            return (row, column, style) = saved
        // The end of a text, where there is none.
        case "\\": return
        case "P", "_": return takeString(isSixel: kind == "P", &rest)
        default: return fault("no CSI")
        }
        let isMode = rest.first == UInt8(ascii: "?")
        if isMode { rest.removeFirst() }
        let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
        rest = rest.dropFirst(digits.count)
        guard let final = rest.popFirst() else { return fault("half a sequence") }
        let numbers = digits.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { $0.reduce(0) { $0 * 10 + Int($1) - 0x30 } }
        let name = String(UnicodeScalar(final))
        if isMode { return setMode(numbers, name) }
        obey(numbers, name)
    }

    /// A text for images, which ends with ST.
    private mutating func takeString(isSixel: Bool, _ rest: inout ArraySlice<UInt8>) {
        let text = Array(rest.prefix { $0 != 0x1B })
        rest = rest.dropFirst(text.count)
        guard rest.starts(with: [0x1B, 0x5C]) else { return fault("a text without an end") }
        rest = rest.dropFirst(2)
        if modes.contains(2026), !text.starts(with: Array("Ga=d".utf8)) {
            fault("an image in a frame that is not shown yet")
        }
        let place = CellPlace(row: row, column: column)
        let wrong =
            isSixel ? images.takeSixel(text, at: place) : images.takeKitty(text, at: place)
        if let wrong { fault(wrong) }
        // Terminals leave it there, below, or behind.
        if isSixel { (row, column) = (rows - 1, 0) }
    }

    private mutating func obey(_ numbers: [Int], _ name: String) {
        let first = max(1, numbers[0])
        switch (name, numbers.count) {
        case ("H", 1...2):
            move(to: first - 1, numbers.count == 2 ? max(1, numbers[1]) - 1 : 0)
        case ("A", 1): move(to: max(0, row - first), column)
        case ("B", 1): move(to: row + first, column)
        case ("C", 1): move(to: row, column + first)
        case ("G", 1): move(to: row, first - 1)
        case ("K", 1) where numbers[0] == 0: erase(row, from: column)
        case ("J", 1) where numbers[0] == 0 || numbers[0] == 2:
            if numbers[0] == 0 { erase(row, from: column) }
            for row in (numbers[0] == 2 ? 0 : row + 1)..<max(row + 1, rows) {
                erase(row, from: 0)
            }
        case ("m", _): setStyle(numbers[...])
        default: fault("\(numbers) \(name)")
        }
    }

    private mutating func move(to row: Int, _ column: Int) {
        if !(0..<rows).contains(row) || !(0..<columns).contains(column) {
            fault("a move to \(row), \(column)")
        }
        self.row = min(row, rows - 1)
        self.column = min(column, columns - 1)
    }

    private mutating func setMode(_ numbers: [Int], _ name: String) {
        guard numbers.count == 1, [7, 25, 1002, 1006, 1049, 2004, 2026].contains(numbers[0]),
            name == "h" || name == "l"
        else { return fault("mode \(numbers) \(name)") }
        if name == "h" { modes.insert(numbers[0]) } else { modes.remove(numbers[0]) }
        guard numbers[0] == 1049 else { return }
        if name == "h" {
            firstScreen = (cells, row, column)
            // Not all terminals clear it.
            cells = Array(
                repeating: Array(repeating: Cell(text: "x", style: .plain), count: columns),
                count: rows)
        } else if let firstScreen {
            (cells, row, column) = firstScreen
            self.firstScreen = nil
        }
    }

    private mutating func setStyle(_ numbers: ArraySlice<Int>) {
        var rest = numbers
        while let code = rest.popFirst() {
            switch code {
            case 0: style = .plain
            case 1: style.isBold = true
            case 2: style.isDim = true
            case 3: style.isItalic = true
            case 4: style.isUnderlined = true
            case 7: style.isReversed = true
            case 9: style.isStruckOut = true
            case 22: (style.isBold, style.isDim) = (false, false)
            case 23: style.isItalic = false
            case 24: style.isUnderlined = false
            case 27: style.isReversed = false
            case 29: style.isStruckOut = false
            case 30...37: style.foreground = .indexed(UInt8(code - 30))
            case 40...47: style.background = .indexed(UInt8(code - 40))
            case 90...97: style.foreground = .indexed(UInt8(code - 82))
            case 100...107: style.background = .indexed(UInt8(code - 92))
            case 38: style.foreground = color(&rest)
            case 48: style.background = color(&rest)
            case 39: style.foreground = .standard
            case 49: style.background = .standard
            default: fault("the style \(code)")
            }
        }
    }

    private mutating func color(_ rest: inout ArraySlice<Int>) -> TerminalColor {
        let kind = rest.popFirst()
        let bytes = rest.prefix(kind == 2 ? 3 : 1).compactMap { UInt8(exactly: $0) }
        rest = rest.dropFirst(bytes.count)
        switch (kind, bytes.count) {
        case (5, 1): return .indexed(bytes[0])
        case (2, 3): return .rgb(bytes[0], bytes[1], bytes[2])
        default:
            fault("a color")
            return .standard
        }
    }
}
