// The reference implementation of the force layout's physics: each formula once, in double precision,
// one pair after the other. It offers the simplest iteration to callers, and the tests compare the
// solver with it. It allocates and takes O(n²); the solver does neither.

/// The forces of a ``ForceLayout``: a spring to the centre for every cell and a push between every two
/// cells.
///
/// The spring is Hooke's law, stiffness · distance; the push is Coulomb's law with equal charges and
/// a convenient constant, charge³ / distance². The energy whose slope these forces are is
/// Σ ½ · stiffness · r² + Σ charge³ / d: a cluster of charges in a parabolic trap (Bedanov and Peeters,
/// Physical Review B 49, 2667, 1994).
public struct ForceField: Hashable, Sendable {
    /// The centre of the springs.
    public var center: Point
    /// The spring force per px of distance from the centre, per tick.
    public var stiffness: Double
    /// The charge of every cell. Its cube is the push between two cells 1 px apart.
    public var charge: Double

    /// The minimum distance of two cells in the formula, in px, which prevents a division by zero.
    static let leastDistance = 1e-6

    /// The maximum distance of a cell from the centre after ``step(_:)``, in px.
    static let farthest = 1e12

    /// A field around `center`.
    public init(center: Point, stiffness: Double = 0.02, charge: Double = 10) {
        self.center = center
        self.stiffness = stiffness
        self.charge = charge
    }

    /// The pull of the spring on a cell at `point`.
    public func attraction(on point: Point) -> Force {
        Force(stiffness * (center.x - point.x), stiffness * (center.y - point.y))
    }

    /// The push of a cell at `other` on one at `point`; zero if they coincide.
    package func repulsion(on point: Point, from other: Point) -> Force {
        let dx = point.x - other.x
        let dy = point.y - other.y
        let distance = (dx * dx + dy * dy).squareRoot()
        guard distance > 0 else { return .zero }
        let near = max(Self.leastDistance, distance)
        let intensity = charge * charge * charge / (near * near)
        return Force(intensity * dx / distance, intensity * dy / distance)
    }

    /// The force on the cell at `index`: its spring and the push of all others.
    ///
    /// A cell at the position of another is pushed in a direction that depends on the two indices alone,
    /// so that they separate in the same way each time.
    ///
    /// - Complexity: O(n).
    public func force(on index: Int, among points: [Point]) -> Force {
        let point = points[index]
        var sum = attraction(on: point)
        for (other, place) in points.enumerated() where other != index {
            if place == point {
                let direction = Sunflower.direction(UInt64(min(index, other)))
                let side = index < other ? Self.wiggle : -Self.wiggle
                let beside = Point(
                    x: place.x - side * direction.x, y: place.y - side * direction.y)
                sum = sum + repulsion(on: point, from: beside)
            } else {
                sum = sum + repulsion(on: point, from: place)
            }
        }
        return sum
    }

    /// The simplest iteration: moves every cell by the force on it, simultaneously.
    ///
    /// It comes to rest only while the stiffest mode of the whole is softer than 2 (at the defaults, up
    /// to about 5,000 cells; at stiffness 1 never), and diverges otherwise. A cell that would move
    /// farther from the centre than 1e12 px is put at that distance, so that no position is ever
    /// infinite. ``ForceLayout`` comes to rest with any stiffness and charge.
    ///
    /// - Parameter points: The cells; finite.
    /// - Returns: The sum of all distances moved, in px.
    /// - Complexity: O(n²).
    public func step(_ points: inout [Point]) -> Double {
        var movement = 0.0
        let before = points
        for index in before.indices {
            let force = force(on: index, among: before)
            var x = before[index].x + force.dx - center.x
            var y = before[index].y + force.dy - center.y
            x = min(max(x, -Self.farthest), Self.farthest)
            y = min(max(y, -Self.farthest), Self.farthest)
            points[index] = Point(x: center.x + x, y: center.y + y)
            movement += before[index].distance(to: points[index])
        }
        return movement
    }

    /// The energy of all springs and of all pairs, in px² per tick. At rest the second is twice the
    /// first.
    ///
    /// - Complexity: O(n²).
    public func energy(of points: [Point]) -> (springs: Double, pairs: Double) {
        var springs = 0.0
        var pairs = 0.0
        let strength = charge * charge * charge
        for (index, point) in points.enumerated() {
            let distance = point.distance(to: center)
            springs += 0.5 * stiffness * distance * distance
            for other in points[(index + 1)...] {
                pairs += strength / max(Self.leastDistance, point.distance(to: other))
            }
        }
        return (springs, pairs)
    }

    /// The displacement of a cell from another at the same position, in px.
    private static let wiggle = 0.05
}
