/// The options of a ``ListLayout``.
public struct ListOptions: Hashable, Sendable {
    /// The height of a row that is not measured, in px.
    public var rowHeight = 44.0
    /// The gap between rows, in px.
    public var spacing = 0.0
    /// The margins between the bounds and the rows.
    public var insets = Insets.zero

    /// Rows of 44 px without gaps.
    public init() {}

    func check() throws(LayoutError) {
        try Units.check(rowHeight, "rowHeight")
        try Units.check(spacing, "spacing")
        try Units.check(insets)
    }
}
