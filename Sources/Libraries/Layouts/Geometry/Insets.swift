/// The margins between the edges of the bounds and the content, in px.
public struct Insets: Hashable, Sendable {
    /// The room above the first line.
    public var top: Double
    /// The room to the left of every line.
    public var left: Double
    /// The room below the last line. It contains no frame, so it is not part of a content size.
    public var bottom: Double
    /// The room to the right of every line.
    public var right: Double

    /// No room on any side.
    public static let zero = Insets(top: 0, left: 0, bottom: 0, right: 0)

    /// Insets with these margins, in px.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}
