package import TerminalCells

/// The picture of a state.
package enum BrowseDrawing {
    /// - Complexity: O(rows × columns) of the screen.
    package static func frame(of state: BrowseState) -> ScreenFrame {
        var canvas = BrowseCanvas(state)
        canvas.draw()
        return ScreenFrame(grid: canvas.grid, cursor: canvas.caret)
    }
}
