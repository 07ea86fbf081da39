/// What a ``GridLayout`` is told about its cells.
public struct GridOptions: Hashable, Sendable {
    /// How large a cell is.
    public enum Cell: Hashable, Sendable {
        /// All of this size, in px: as many in a row as fit, and one at least.
        case fixed(Size)
        /// Squares of at least this width, in px, from 1: as many in a row as fit, and then as wide as the
        /// row lets them be, to 1/64 px. One as wide as the row if not even that fits.
        case atLeast(width: Double)
    }

    /// How large a cell is.
    public var cell = Cell.fixed(Size(width: 50, height: 50))
    /// Between the cells of a row, in px.
    public var columnSpacing = 10.0
    /// Between rows, in px.
    public var rowSpacing = 10.0
    /// Between the cells and the edges of the bounds.
    public var insets = Insets.zero

    /// Cells of 50 px, 10 px apart.
    public init() {}

    func check() throws(LayoutError) {
        switch cell {
        case .fixed(let size): try Units.check(size, "cell")
        case .atLeast(let width):
            try Limits.check(
                width, "minWidth", in: 1...Units.length, allowed: "from 1 to 1e7 px")
        }
        try Units.check(columnSpacing, "columnSpacing")
        try Units.check(rowSpacing, "rowSpacing")
        try Units.check(insets)
    }
}
