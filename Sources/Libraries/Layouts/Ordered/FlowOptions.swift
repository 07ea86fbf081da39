/// What a ``FlowLayout`` is told about its lines.
public struct FlowOptions: Hashable, Sendable {
    /// What is done with the room that is left in a line.
    public enum Alignment: Hashable, Sendable {
        /// It stays at the end.
        case leading
        /// Half of it is in front of the items.
        case center
        /// It widens the gaps between the items evenly; in the last line, and in one with a single item, it
        /// stays at the end.
        case justified
    }

    /// Between the items of a line at least, in px.
    public var itemSpacing = 10.0
    /// Between lines, in px.
    public var lineSpacing = 10.0
    /// Between the items and the edges of the bounds.
    public var insets = Insets.zero
    /// What is done with the room that is left in a line.
    public var alignment = Alignment.leading
    /// The size of an item that was not measured, in px.
    public var estimated = Size(width: 50, height: 50)

    /// Items of 50 px unless they are measured, 10 px apart, leading.
    public init() {}

    func check() throws(LayoutError) {
        try Units.check(itemSpacing, "itemSpacing")
        try Units.check(lineSpacing, "lineSpacing")
        try Units.check(insets)
        try Units.check(estimated, "estimated")
    }
}
