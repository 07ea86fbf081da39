import Glibc

/// A push in the plane, in px per tick: a cell that is moved by the text's own step moves by the
/// force on it.
public struct Force: Hashable, Sendable {
    /// The part to the right.
    public var dx: Double
    /// The part downwards.
    public var dy: Double

    /// No push.
    public static let zero = Force(0, 0)

    /// The force with these two parts, in px per tick.
    public init(_ dx: Double, _ dy: Double) {
        self.dx = dx
        self.dy = dy
    }

    /// Where it points, in radians from the x axis towards the y axis: from −π to π, 0 for no force.
    public var angle: Double { atan2(dy, dx) }

    /// How strong it is, in px per tick.
    public var magnitude: Double { hypot(dx, dy) }

    /// Both forces at once.
    public static func + (lhs: Force, rhs: Force) -> Force {
        Force(lhs.dx + rhs.dx, lhs.dy + rhs.dy)
    }

    /// A force so many times weaker. A `rhs` of 0 gives parts that are infinite or no number.
    public static func / (lhs: Force, rhs: Double) -> Force {
        Force(lhs.dx / rhs, lhs.dy / rhs)
    }
}
