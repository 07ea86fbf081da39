package import TerminalCells

/// How the rows of the list are laid in their place on the screen: as tiles, all of one size, as many in a line as have
/// room. Where each has a line of its own, it is one row high.
package struct TileShape: Equatable, Sendable {
    /// The least that a tile of a grid has, where there is room for one.
    package static let leastColumns = 18
    package static let leastRows = 7

    /// The tiles in a line, and the lines; at least one.
    package let perLine: Int
    package let lines: Int
    /// The columns and rows of a tile; perhaps none.
    package let columns: Int
    package let rows: Int

    /// One row below another.
    static func list(in place: CellRect) -> TileShape {
        TileShape(perLine: 1, lines: max(1, place.rows), columns: place.columns, rows: 1)
    }

    /// A grid, whose tiles share all the room.
    static func grid(in place: CellRect) -> TileShape {
        let perLine = max(1, place.columns / leastColumns)
        let lines = max(1, place.rows / leastRows)
        return TileShape(
            perLine: perLine, lines: lines, columns: place.columns / perLine,
            rows: place.rows / lines)
    }

    /// The tiles on the screen.
    package var count: Int { lines * perLine }

    /// The cells in a grid's tile for a picture of the document, above its name.
    package var picture: TerminalSize {
        TerminalSize(rows: max(0, rows - 1), columns: max(0, columns - 2))
    }

    /// The place of a tile, from the first one on the screen, in that of the list.
    package func rect(of index: Int, in place: CellRect) -> CellRect {
        CellRect(
            row: place.row + index / perLine * rows,
            column: place.column + index % perLine * columns, rows: rows, columns: columns)
    }

    /// The tile that has a cell of the list's place; nil for what is beside all.
    func index(row: Int, column: Int, in place: CellRect) -> Int? {
        guard rows > 0, columns > 0, place.contains(row: row, column: column) else { return nil }
        let (line, index) = ((row - place.row) / rows, (column - place.column) / columns)
        return line < lines && index < perLine ? line * perLine + index : nil
    }
}
