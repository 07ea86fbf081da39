import PickerClient
import TerminalCells

// A layout in characters: a box of + - | if there is room for one, else as much of the name as fits, else a
// mark. A character counts as twice as high as wide.

package struct LayoutDrawing {
    /// The most rows that are drawn.
    package static let mostRows = 10_000

    private let columns: Int
    private let rows: Int
    /// The character at each position; empty after a wide character.
    private var places: [String]

    /// The lines of a picture, `columns` wide; without blanks at their ends.
    ///
    /// - Parameters:
    ///   - picture: The picture; later cells cover earlier ones.
    ///   - columns: Its width in characters.
    ///   - rows: The most lines: the rest is omitted, unless `fits`.
    ///   - fits: Whether to scale the picture down so that all of it fits.
    /// - Returns: At least one line.
    package static func lines(
        _ picture: LayoutPicture, columns: Int, rows: Int = mostRows, fits: Bool = false
    ) -> [String] {
        let all = picture.bounds
        let limit = max(1, min(rows, mostRows))
        var scale = Double(max(1, columns)) / max(all.width, 1e-9)
        if fits { scale = min(scale, 2 * Double(limit) / max(all.height, 1e-9)) }
        let wanted = (all.height * scale / 2).rounded(.up)
        let rows = wanted < Double(limit) ? max(1, Int(wanted)) : limit
        var drawing = LayoutDrawing(columns: max(1, columns), rows: rows)
        for cell in picture.cells {
            drawing.draw(
                VisibleText.escaping(cell.name),
                left: (cell.frame.x - all.x) * scale, top: (cell.frame.y - all.y) * scale / 2,
                right: (cell.frame.x + cell.frame.width - all.x) * scale,
                bottom: (cell.frame.y + cell.frame.height - all.y) * scale / 2)
        }
        return drawing.lines
    }

    private init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        places = Array(repeating: " ", count: columns * rows)
    }

    private mutating func draw(
        _ name: String, left: Double, top: Double, right: Double, bottom: Double
    ) {
        guard top < Double(rows), left < Double(columns), right >= 0, bottom >= 0 else { return }
        let first = min(columns - 1, max(0, Int(left.rounded())))
        let last = min(columns, max(first + 1, Int(min(right, Double(columns)).rounded())))
        let upper = min(rows - 1, max(0, Int(top.rounded())))
        let lower = min(rows, max(upper + 1, Int(min(bottom, Double(rows)).rounded())))
        guard first < last, upper < lower else { return }
        let width = last - first
        if width >= 4, lower - upper >= 3 {
            drawBox(first..<last, upper..<lower)
            write(name, from: first + 1, row: upper + (lower - upper) / 2, width: width - 2)
        } else if width >= 3 {
            let row = (upper + lower - 1) / 2
            put("[", first, row)
            write(name, from: first + 1, row: row, width: width - 2, filling: true)
            put("]", last - 1, row)
        } else {
            put("o", first, (upper + lower - 1) / 2)
        }
    }

    private mutating func drawBox(_ across: Range<Int>, _ down: Range<Int>) {
        for row in down {
            let isEdge = row == down.lowerBound || row == down.upperBound - 1
            for column in across {
                let isSide = column == across.lowerBound || column == across.upperBound - 1
                put(isEdge ? (isSide ? "+" : "-") : (isSide ? "|" : " "), column, row)
            }
        }
    }

    private mutating func write(
        _ name: String, from column: Int, row: Int, width: Int, filling: Bool = false
    ) {
        var at = column
        for character in DisplayWidth.truncating(name, to: width) {
            let text = String(character)
            let count = DisplayWidth.of(text)
            if count == 0 || at + count > column + width { continue }
            put(text, at, row)
            for behind in at + 1..<at + max(1, count) { put("", behind, row) }
            at += count
        }
        if filling { while at < column + width { put(" ", at, row); at += 1 } }
    }

    /// Drawing over one half of a wide character removes both.
    private mutating func put(_ text: String, _ column: Int, _ row: Int) {
        guard column >= 0, column < columns, row >= 0, row < rows else { return }
        let index = row * columns + column
        if places[index].isEmpty, !text.isEmpty, column > 0 { places[index - 1] = " " }
        if !places[index].isEmpty, column + 1 < columns, places[index + 1].isEmpty {
            places[index + 1] = " "
        }
        places[index] = text
    }

    private var lines: [String] {
        (0..<rows).map { row in
            places[row * columns..<(row + 1) * columns].joined().withoutTrailingBlanks
        }
    }
}
