/// A width and a height, in px.
public struct Size: Hashable, Sendable {
    /// From left to right, in px.
    public var width: Double
    /// From top to bottom, in px.
    public var height: Double

    /// No width and no height.
    public static let zero = Size(width: 0, height: 0)

    /// A size of this width and height, in px.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}
