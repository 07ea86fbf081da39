@testable import Layouts

/// Reproducible numbers: the layout's hash of 1, 2, 3 …
struct TestRandom: RandomNumberGenerator {
    let seed: UInt64
    private var count: UInt64 = 0

    init(seed: UInt64) { self.seed = seed }

    mutating func next() -> UInt64 {
        count += 1
        return StableHash.mix(StableHash.mix(seed) ^ count)
    }

    mutating func point(within radius: Double) -> Point {
        Point(
            x: .random(in: -radius...radius, using: &self),
            y: .random(in: -radius...radius, using: &self))
    }
}

/// A layout of the numbers from 0 to `count`, in a window of this side around `(side / 2, side / 2)`.
func layout(
    _ count: Int, side: Double = 1000, threads: Int = 1,
    _ change: (inout ForceOptions) -> Void = { _ in }
) throws -> ForceLayout<Int> {
    var options = ForceOptions()
    change(&options)
    let layout = try ForceLayout<Int>(
        bounds: Rect(x: 0, y: 0, width: side, height: side), options: options, threads: threads,
        hash: { UInt64($0) })
    try layout.insert(0..<count)
    return layout
}

extension Rect {
    /// Whether the two share more than an edge.
    func overlaps(_ other: Rect) -> Bool {
        minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
    }
}

extension ForceLayout {
    /// The centres of these items' cells.
    func centers(_ items: some Sequence<ID>) -> [Point] {
        items.compactMap { center(of: $0) }
    }

    /// The total energy, in the units of Bedanov and Peeters: Σ r² + Σ 1/d.
    var reducedEnergy: Double {
        let (springs, pairs) = energy
        let half = options.stiffness / 2
        return (springs + pairs) / (charge * charge * Sunflower.cubeRoot(half))
    }

    /// The radius of many charges at rest, in px.
    var restingRadius: Double { rimForce / options.stiffness }
}
