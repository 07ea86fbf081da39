internal import PickerClient
package import TerminalCells

/// The picture of a state.
package enum PickDrawing {
    /// - Complexity: O(rows × columns) of the screen.
    package static func frame(of state: PickState) -> ScreenFrame {
        var grid = CellGrid(rows: state.size.rows, columns: state.size.columns)
        let prompt = StyledText(escaping: state.options.prompt + state.line)
        let width = grid.put(prompt, row: 0, column: 0, width: grid.columns, cut: .start)
        for (index, item) in (state.rows?.items ?? []).enumerated() where index + 1 < grid.rows {
            let isAtCursor = index + (state.rows?.start ?? 0) == state.cursor
            grid.put(
                StyledText(
                    escaping: (isAtCursor ? "> " : "  ") + (item.name ?? ""),
                    style: CellStyle(isReversed: isAtCursor)),
                row: index + 1, column: 0, width: grid.columns)
        }
        return ScreenFrame(grid: grid, cursor: CellPlace(row: 0, column: width))
    }
}
