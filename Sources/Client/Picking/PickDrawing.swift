internal import PickerClient
package import TerminalCells

/// The picture of a state.
package enum PickDrawing {
    /// The picture, with plain numbers for sizes and dates.
    package static func frame(of state: PickState) -> ScreenFrame {
        frame(of: state, .plain)
    }

    /// - Complexity: O(rows × columns) of the screen.
    package static func frame(of state: PickState, _ texts: PickTexts) -> ScreenFrame {
        var canvas = PickCanvas(state, texts)
        canvas.draw()
        return ScreenFrame(grid: canvas.grid, cursor: canvas.caret, images: canvas.images)
    }
}
