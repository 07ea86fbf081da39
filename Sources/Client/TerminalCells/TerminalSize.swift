/// The rows and columns of a terminal.
package struct TerminalSize: Hashable, Sendable {
    package var rows: Int
    package var columns: Int

    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }
}

/// Some cells of a terminal; rows and columns count from 0.
package struct CellRect: Hashable, Sendable {
    package var row: Int
    package var column: Int
    package var rows: Int
    package var columns: Int

    package init(row: Int, column: Int, rows: Int, columns: Int) {
        self.row = row
        self.column = column
        self.rows = rows
        self.columns = columns
    }

    package var isEmpty: Bool { rows <= 0 || columns <= 0 }

    package func contains(row: Int, column: Int) -> Bool {
        row >= self.row && row < self.row + rows && column >= self.column
            && column < self.column + columns
    }
}
