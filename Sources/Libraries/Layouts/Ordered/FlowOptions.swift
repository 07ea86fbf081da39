/// The options of a ``FlowLayout``.
public struct FlowOptions: Hashable, Sendable {
    /// The use of the room left in a line.
    public enum Alignment: Hashable, Sendable {
        /// It stays at the end.
        case leading
        /// Half of it precedes the items.
        case center
        /// It widens the gaps between the items evenly; in the last line, and in a line with a single
        /// item, it stays at the end.
        case justified
    }

    /// The minimum gap between the items of a line, in px.
    public var itemSpacing = 10.0
    /// The gap between lines, in px.
    public var lineSpacing = 10.0
    /// The margins between the bounds and the items.
    public var insets = Insets.zero
    /// The use of the room left in a line.
    public var alignment = Alignment.leading
    /// The size of an item that is not measured, in px.
    public var estimated = Size(width: 50, height: 50)

    /// Items of 50 px unless measured, 10 px apart, leading.
    public init() {}

    func check() throws(LayoutError) {
        try Units.check(itemSpacing, "itemSpacing")
        try Units.check(lineSpacing, "lineSpacing")
        try Units.check(insets)
        try Units.check(estimated, "estimated")
    }
}
