/// What a screen shows.
package struct ScreenFrame: Equatable, Sendable {
    package var grid: CellGrid
    /// Where the cursor is; nil if it is hidden.
    package var cursor: CellPlace?
    /// Images over the cells, none over another. Those that are not wholly on the screen are not shown.
    package var images: [ImagePlacement]

    package init(grid: CellGrid, cursor: CellPlace? = nil, images: [ImagePlacement] = []) {
        self.grid = grid
        self.cursor = cursor
        self.images = images
    }
}
