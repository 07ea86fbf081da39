// Roots and angles are computed from sums, products, quotients and square roots alone. Those are the
// same to the bit on every machine, unlike the C library's sine and cube root.

/// A spiral of points with the density of many charges at rest.
///
/// Point i of n is at the angle i·π·(3 − √5), like the seeds of a sunflower, so that no two are close,
/// and at the radius that encloses (i + ½)/n of the charges: the share within r of the radius R is 1 −
/// (1 − r²/R²)^(3/2), the profile of Hertz's contact problem, which many charges in a parabolic trap
/// have.
enum Sunflower {
    /// Point `index` of `count`, around the origin, for a radius of 1.
    static func point(_ index: Int, of count: Int) -> Point {
        let rest = 1 - (Double(index) + 0.5) / Double(count)
        let radius = max(0, 1 - cubeRoot(rest * rest)).squareRoot()
        let direction = direction(UInt64(index))
        return Point(x: radius * direction.x, y: radius * direction.y)
    }

    /// The direction `turns` golden angles from the x axis, of length 1.
    static func direction(_ turns: UInt64) -> Point {
        var result = Point(x: 1, y: 0)
        var left = turns
        while left != 0 {
            result = product(result, powers[left.trailingZeroBitCount])
            left &= left - 1
        }
        return unit(result)
    }

    /// The directions of 1, 2, 4, 8 … golden angles, each the square of the one before.
    private static let powers: [Point] = {
        var powers = [Point(x: -0.737368878078319658, y: 0.675490294261523854)]
        for index in 0..<63 {
            // Normalizing to length 1 keeps the errors of the squares from growing.
            powers.append(unit(product(powers[index], powers[index])))
        }
        return powers
    }()

    /// The radius of `count` charges at rest for stiffness and charge 1.
    static func restingRadius(_ count: Int) -> Double {
        cubeRoot(0.75 * Double.pi * Double(count))
    }

    /// The distance of neighbours in the middle at rest: as in a triangular lattice.
    static func restingSpacing(_ count: Int) -> Double {
        2.07 / cubeRoot(Double(max(count, 1))).squareRoot()
    }

    /// The cube root of a number that is not negative, by Newton's method.
    static func cubeRoot(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        // A third of the exponent is within a factor of two of the root.
        var root = Double(sign: .plus, exponent: value.exponent / 3, significand: 1)
        for _ in 0..<8 {
            root = (2 * root + value / (root * root)) / 3
        }
        return root
    }

    private static func product(_ one: Point, _ other: Point) -> Point {
        Point(x: one.x * other.x - one.y * other.y, y: one.x * other.y + one.y * other.x)
    }

    private static func unit(_ point: Point) -> Point {
        let length = (point.x * point.x + point.y * point.y).squareRoot()
        return Point(x: point.x / length, y: point.y / length)
    }
}
