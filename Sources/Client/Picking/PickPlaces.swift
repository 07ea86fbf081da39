package import TerminalCells

/// Where on the screen what is.
///
///     > query|              the prompt
///       ~~~~                 carets, if the query is faulty
///       1/20 · by date       the status
///       a header
///       a marked, gone row
///       rows of the list  │  preview, or below
package struct PickPlaces: Equatable, Sendable {
    package internal(set) var prompt = 0
    package internal(set) var carets: Int?
    package internal(set) var status: Int?
    package internal(set) var header: Int?
    package internal(set) var gone: CellRect
    package internal(set) var list: CellRect
    package internal(set) var preview: CellRect?
    private let isGrid: Bool

    /// The fewest columns beside which there is room for a preview.
    private static let narrow = 50

    init(of state: PickState) {
        let rows = max(0, state.size.rows)
        let columns = max(0, state.size.columns)
        var next = min(1, rows)
        func take(ifAtLeast least: Int) -> Int? {
            guard rows >= least, next < rows else { return nil }
            next += 1
            return next - 1
        }
        if state.fault != nil { carets = take(ifAtLeast: 4) }
        status = take(ifAtLeast: 3)
        if state.header != nil { header = take(ifAtLeast: 5) }
        let goneRows = state.marks.hasGone ? min(state.marks.gone.count, (rows - next) / 3) : 0
        gone = CellRect(row: next, column: 0, rows: goneRows, columns: columns)
        next += goneRows
        list = CellRect(row: next, column: 0, rows: rows - next, columns: columns)
        isGrid = state.isGrid
        if state.preview.isShown { split(state.options.preview) }
    }

    /// How the rows of the list are laid in its place.
    package var shape: TileShape { isGrid ? .grid(in: list) : .list(in: list) }

    /// Gives a part of the list's place to the preview, if there is enough.
    private mutating func split(_ place: PickOptions.PreviewPlace) {
        if place != .below, list.columns >= Self.narrow, list.rows > 0 {
            let width = (list.columns - 1) / 2
            list.columns -= width + 1
            preview = CellRect(
                row: list.row, column: list.columns + 1, rows: list.rows, columns: width)
        } else if list.rows >= 6, list.columns > 0 {
            let height = (list.rows - 1) / 2
            list.rows -= height + 1
            preview = CellRect(
                row: list.row + list.rows + 1, column: 0, rows: height, columns: list.columns)
        }
    }
}
