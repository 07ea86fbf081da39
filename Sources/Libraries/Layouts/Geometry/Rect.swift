/// An axis-aligned rectangle, in px: its top left corner and its size.
public struct Rect: Hashable, Sendable {
    /// The top left corner.
    public var origin: Point
    /// The width and the height.
    public var size: Size

    /// The empty rectangle at the origin.
    public static let zero = Rect(origin: .zero, size: .zero)

    /// A rectangle with this top left corner and this size.
    public init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }

    /// A rectangle with its top left corner at `x` and `y`, in px.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
    }

    /// A rectangle of this size, centred at a point.
    public init(center: Point, size: Size) {
        self.init(
            origin: Point(x: center.x - size.width * 0.5, y: center.y - size.height * 0.5),
            size: size)
    }

    /// The left edge, in px.
    public var minX: Double { origin.x }
    /// The upper edge, in px.
    public var minY: Double { origin.y }
    /// The right edge, in px.
    public var maxX: Double { origin.x + size.width }
    /// The lower edge, in px.
    public var maxY: Double { origin.y + size.height }

    /// The centre.
    public var center: Point {
        Point(x: origin.x + size.width * 0.5, y: origin.y + size.height * 0.5)
    }

    /// The smallest rectangle that contains both.
    package func union(_ other: Rect) -> Rect {
        let left = min(minX, other.minX)
        let top = min(minY, other.minY)
        return Rect(
            x: left, y: top, width: max(maxX, other.maxX) - left,
            height: max(maxY, other.maxY) - top)
    }
}
