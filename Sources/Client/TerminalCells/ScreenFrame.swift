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
