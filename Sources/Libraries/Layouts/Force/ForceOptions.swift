/// The options of a ``ForceLayout``: its physics, its cells and when to stop.
public struct ForceOptions: Hashable, Sendable {
    /// The strength with which cells push each other.
    public enum Charge: Hashable, Sendable {
        /// Two cells push each other with charge³ / distance², in px per tick. The charge is from 1e-3
        /// to 1e6, or 0 for no push.
        case fixed(Double)
        /// The charge with which the cells at rest fill the bounds.
        case fillingBounds
    }

    /// The start position of new cells.
    public enum Start: Hashable, Sendable {
        /// Close to its position at rest: the first cells on a spiral with the density of the whole at
        /// rest, later ones where they disturb the others least.
        case sunflower
        /// Anywhere in the bounds.
        case random
        /// In the centre of the bounds.
        case center
        /// Anywhere on the edges of the bounds.
        case border
        /// At a point, in px.
        case point(Point)
    }

    /// The condition for rest.
    public enum Stop: Hashable, Sendable {
        /// The distances that all cells move in a tick add up to at most this many px, and the mean
        /// force after it is below 1e-4 of the spring force at the rim. With more than 2,048 cells,
        /// whose forces are less precise, the mean force must be below 1e-3 of it: no movement is
        /// visible then.
        case movement(Double)
        /// The mean force is at most this fraction of the spring force at the rim of the cells at rest.
        /// At 1e-3, no movement is visible. Smaller values can take very long with more than 2,048
        /// cells.
        case residual(Double)
    }

    /// The force of the spring to the centre per px, per tick. From 1e-9 to 1e9.
    public var stiffness = 0.02
    /// The strength with which cells push each other.
    public var charge = Charge.fixed(10)
    /// The size of every cell, in px.
    public var cell = Size(width: 20, height: 20)
    /// The start position of new cells.
    public var start = Start.sunflower
    /// Chooses among equally good positions and orders.
    public var seed: UInt64 = 0
    /// The condition for rest.
    public var stop = Stop.movement(0.3)
    /// The number of ticks after a change from outside at which the layout stops, at rest or not. At
    /// least 1.
    public var tickLimit = 10_000
    /// Whether overlaps are removed. The charge is raised, if necessary, to leave room for each cell,
    /// and cells that still overlap at rest are moved apart.
    public var avoidOverlaps = false

    /// Stiffness 0.02, charge 10 and cells of 20 px.
    public init() {}

    /// Checks all numbers against their limits.
    func check() throws(LayoutError) {
        try Limits.check(stiffness, "stiffness", in: 1e-9...1e9, allowed: "from 1e-9 to 1e9")
        if case .fixed(let charge) = charge, charge != 0 {
            try Limits.check(charge, "charge", in: 1e-3...1e6, allowed: "0, or from 1e-3 to 1e6")
        }
        try Limits.check(cell, "cell")
        if case .point(let point) = start { try Limits.check(point, "start") }
        switch stop {
        case .movement(let threshold):
            try Limits.check(
                threshold, "threshold", in: 0...1e9, allowed: "from 0 to 1e9 px")
        case .residual(let share):
            try Limits.check(share, "residual", in: 0...1, allowed: "from 0 to 1")
        }
        try Limits.check(
            Double(tickLimit), "tickLimit", in: 1...1e15, allowed: "from 1 to 1e15")
    }
}
