import Glibc

/// A force in the plane, in px per tick: in the simplest iteration, a cell moves by the force on it.
public struct Force: Hashable, Sendable {
    /// The component to the right.
    public var dx: Double
    /// The component downwards.
    public var dy: Double

    /// No force.
    public static let zero = Force(0, 0)

    /// The force with these components, in px per tick.
    public init(_ dx: Double, _ dy: Double) {
        self.dx = dx
        self.dy = dy
    }

    /// The direction, in radians from the x axis towards the y axis: from −π to π, 0 for no force.
    public var angle: Double { atan2(dy, dx) }

    /// The strength, in px per tick.
    public var magnitude: Double { hypot(dx, dy) }

    /// The sum of two forces.
    package static func + (lhs: Force, rhs: Force) -> Force {
        Force(lhs.dx + rhs.dx, lhs.dy + rhs.dy)
    }
}
