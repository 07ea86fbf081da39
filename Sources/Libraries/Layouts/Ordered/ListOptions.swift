/// What a ``ListLayout`` is told about its rows.
public struct ListOptions: Hashable, Sendable {
    /// The height of a row that was not measured, in px.
    public var rowHeight = 44.0
    /// Between rows, in px.
    public var spacing = 0.0
    /// Between the rows and the edges of the bounds.
    public var insets = Insets.zero

    /// Rows of 44 px without gaps.
    public init() {}

    func check() throws(LayoutError) {
        try Units.check(rowHeight, "rowHeight")
        try Units.check(spacing, "spacing")
        try Units.check(insets)
    }
}
