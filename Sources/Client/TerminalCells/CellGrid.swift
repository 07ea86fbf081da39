/// The cells of a screen, each with a character and a style.
package struct CellGrid: Equatable, Sendable {
    /// Where a text that is too long is cut.
    package enum Cut: Sendable {
        /// An ellipsis is at its end.
        case end
        /// An ellipsis is at its start: for paths.
        case start
        case none
    }

    /// A cell. A wide character is in two, of which the second has no text.
    package struct Cell: Hashable, Sendable {
        package var text: String
        package var style: CellStyle

        package static let blank = Cell(text: " ", style: .plain)
    }

    package let rows: Int
    package let columns: Int
    private var cells: [Cell]

    package init(rows: Int, columns: Int) {
        self.rows = max(0, rows)
        self.columns = max(0, columns)
        cells = Array(repeating: .blank, count: self.rows * self.columns)
    }

    package subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

    /// Draws text from a cell on, at most `width` columns of it, within the row.
    /// - Returns: the columns that it took.
    @discardableResult
    package mutating func put(
        _ text: StyledText, row: Int, column: Int, width: Int, cut: Cut = .end
    ) -> Int {
        guard row >= 0, row < rows, column >= 0 else { return 0 }
        let room = min(width, columns - column)
        guard room > 0 else { return 0 }
        var done = 0
        for run in fitting(text, room, cut) {
            for character in run.text {
                let wide = DisplayWidth.of(String(character))
                if wide == 0 { continue }
                if done + wide > room { return done }
                cells[row * columns + column + done] = Cell(
                    text: String(character), style: run.style)
                if wide == 2 {
                    cells[row * columns + column + done + 1] = Cell(text: "", style: run.style)
                }
                done += wide
            }
        }
        return done
    }

    private func fitting(_ text: StyledText, _ room: Int, _ cut: Cut) -> [StyledText.Run] {
        if cut == .none || text.width <= room { return text.runs }
        let characters = text.runs.flatMap { run in run.text.map { ($0, run.style) } }
        var taken: [(Character, CellStyle)] = []
        var width = 1
        for (character, style) in cut == .end ? characters : characters.reversed() {
            width += DisplayWidth.of(String(character))
            if width > room { break }
            taken.append((character, style))
        }
        let style = taken.last?.1 ?? characters.first?.1 ?? .plain
        taken.append(("…", style))
        return (cut == .end ? taken : taken.reversed()).map {
            StyledText.Run(text: String($0.0), style: $0.1)
        }
    }

    /// Gives all cells of a rectangle blanks of a style.
    package mutating func fill(_ rect: CellRect, style: CellStyle) {
        for row in max(0, rect.row)..<max(max(0, rect.row), min(rows, rect.row + rect.rows)) {
            let first = max(0, rect.column)
            for column in first..<max(first, min(columns, rect.column + rect.columns)) {
                cells[row * columns + column] = Cell(text: " ", style: style)
            }
        }
    }

    /// The text of a row, without blanks at its end.
    package func text(row: Int) -> String {
        var text = cells[row * columns..<(row + 1) * columns].map(\.text).joined()
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// What a screen shows.
package struct ScreenFrame: Equatable, Sendable {
    package var grid: CellGrid
    /// Where the cursor is; nil if it is hidden.
    package var cursor: CellPlace?

    package init(grid: CellGrid, cursor: CellPlace? = nil) {
        self.grid = grid
        self.cursor = cursor
    }
}

/// A cell of a screen; rows and columns count from 0.
package struct CellPlace: Hashable, Sendable {
    package var row: Int
    package var column: Int

    package init(row: Int, column: Int) {
        self.row = row
        self.column = column
    }
}
