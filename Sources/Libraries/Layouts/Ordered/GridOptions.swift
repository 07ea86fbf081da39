/// The options of a ``GridLayout``.
public struct GridOptions: Hashable, Sendable {
    /// The size of a cell.
    public enum Cell: Hashable, Sendable {
        /// All cells have this size, in px: as many in a row as fit, and at least one.
        case fixed(Size)
        /// Squares of at least this width, in px, at least 1: as many in a row as fit, and widened to
        /// fill the row, to 1/64 px. A single square as wide as the row if not even one fits.
        case atLeast(width: Double)
    }

    /// The size of a cell.
    public var cell = Cell.fixed(Size(width: 50, height: 50))
    /// The gap between the cells of a row, in px.
    public var columnSpacing = 10.0
    /// The gap between rows, in px.
    public var rowSpacing = 10.0
    /// The margins between the bounds and the cells.
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
