package import TerminalCells

/// Where on the screen what is.
///
///     Save as: report.pdf     the name, if one is wanted
///     > /home/me/filter       the path of the folder, and what is searched for in it
///       Enter saves …         the status
///       a header
///       rows
///
/// Where there is but one row, it is that of the line to which keys go.
package struct BrowsePlaces: Equatable, Sendable {
    package internal(set) var name: Int?
    package internal(set) var path: Int?
    package internal(set) var status: Int?
    package internal(set) var header: Int?
    package internal(set) var list: CellRect

    init(of state: BrowseState) {
        let rows = max(0, state.size.rows)
        let columns = max(0, state.size.columns)
        var next = 0
        func take(ifAtLeast least: Int) -> Int? {
            guard rows >= least, next < rows else { return nil }
            next += 1
            return next - 1
        }
        if state.options.isSave { name = take(ifAtLeast: state.isNaming ? 1 : 2) }
        path = take(ifAtLeast: name == nil ? 1 : 2)
        status = take(ifAtLeast: state.options.isSave ? 4 : 3)
        if state.options.header != nil { header = take(ifAtLeast: 6) }
        list = CellRect(row: next, column: 0, rows: rows - next, columns: columns)
    }
}
