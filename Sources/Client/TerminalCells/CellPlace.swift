/// A cell of a screen; rows and columns count from 0.
package struct CellPlace: Hashable, Sendable {
    package var row: Int
    package var column: Int

    package init(row: Int, column: Int) {
        self.row = row
        self.column = column
    }
}
