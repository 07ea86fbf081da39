/// What a ``ForceLayout`` is told about its cells and when to stop.
public struct ForceOptions: Hashable, Sendable {
    /// How strongly a cell pushes the others.
    public enum Charge: Hashable, Sendable {
        /// Two cells push each other with charge³ / distance², in px per tick. From 1e-3 to 1e6, or 0 for
        /// none.
        case fixed(Double)
        /// The charge with which the cells at rest fill the bounds.
        case fillingBounds
    }

    /// Where a new cell appears.
    public enum Start: Hashable, Sendable {
        /// Close to where it will rest: the first cells on a spiral with the density of the whole at
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

    /// When the layout is at rest.
    public enum Stop: Hashable, Sendable {
        /// When the distances that all cells moved in a tick add up to no more than so many px, and the
        /// mean force after it is below 1e-4 of the spring's at the rim. With more than 2,048 cells, whose forces
        /// are not known as well as that, when the mean force is below 1e-3 of it: nothing is seen to
        /// move then.
        case movement(Double)
        /// When the mean force is so small a part of the spring's at the rim of the cells at rest. 1e-3 is
        /// rest as far as can be seen. Less than that can take very long with more than 2,048 cells.
        case residual(Double)
    }

    /// The force of the spring to the centre for each px, per tick. From 1e-9 to 1e9.
    public var stiffness = 0.02
    /// How strongly a cell pushes the others.
    public var charge = Charge.fixed(10)
    /// The size of every cell, in px.
    public var cell = Size(width: 20, height: 20)
    /// Where a new cell appears.
    public var start = Start.sunflower
    /// Chooses among the places and the orders that are as good as each other.
    public var seed: UInt64 = 0
    /// When the layout is at rest.
    public var stop = Stop.movement(0.3)
    /// After how many ticks without a change from outside it stops, at rest or not. At least 1.
    public var tickLimit = 10_000
    /// Whether cells are kept from overlapping. The charge is raised to what leaves each cell its room, if
    /// it is less, and what then overlaps at rest is moved apart.
    public var avoidOverlaps = false

    /// Stiffness 0.02, charge 10 and cells of 20 px: the text's own numbers.
    public init() {}

    /// What all numbers are held to.
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
