/// A point in the plane, in px. `x` grows to the right, `y` downwards.
public struct Point: Hashable, Sendable {
    /// The distance to the right of the origin, in px.
    public var x: Double
    /// The distance below the origin, in px.
    public var y: Double

    /// The origin.
    public static let zero = Point(x: 0, y: 0)

    /// The point at these coordinates, in px.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The distance to another point, in px.
    public func distance(to other: Point) -> Double {
        let dx = other.x - x
        let dy = other.y - y
        return (dx * dx + dy * dy).squareRoot()
    }
}
