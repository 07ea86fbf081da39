// A force layout without identities: cells are numbered from 0, and all lengths are in px.
//
// A change from outside defers work to the next tick: measuring the solver's unit, separating cells in
// the same position, and resetting the solver. Only ticks move cells otherwise. So removals cost O(1)
// per cell, however many there are.

/// A force layout with numbered cells. ``ForceLayout`` maps items to them.
@safe final class ForceEngine {
    private(set) var bounds: Rect
    private(set) var options: ForceOptions
    let solver: ForceSolver
    /// The stable hash of each cell, mixed with the seed.
    private(set) var hashes: [UInt64] = []
    /// The length of the solver's unit, in px.
    private(set) var unit = 1.0
    /// Whether cells have been removed since the unit was measured. Positions and sizes in px are
    /// correct nevertheless.
    private var isUnitStale = false
    private(set) var last = ForceTick.unstarted

    /// The distances to move cells in the next tick, in px, by cell.
    private var pushes: [Int: Force] = [:]
    /// For each cell, whether it may be at the position of another, like a new one.
    private var mayCoincide: [Bool] = []
    private var hasUnparted = false
    private var changed = true
    /// Whether cells are at rest except for overlaps.
    private var parting = false
    private var partingPasses = 0

    init(bounds: Rect, options: ForceOptions, threads: Int) throws(LayoutError) {
        try Limits.check(bounds, "bounds")
        try options.check()
        self.bounds = bounds
        self.options = options
        solver = ForceSolver(threads: threads)
        measureUnit()
    }

    // MARK: - Units

    /// The spring force at the rim of the cells at rest, in px per tick.
    var rimForce: Double {
        settleUnit()
        return options.stiffness * unit * solver.restingRadius
    }

    /// The energy of the springs and of the pairs, in px² per tick.
    var energy: (springs: Double, pairs: Double) {
        settleUnit()
        let energy = solver.energy()
        let scale = options.stiffness * unit * unit
        return (energy.springs * scale, energy.pairs * scale)
    }

    /// The charge of each cell.
    var charge: Double {
        let count = Double(max(solver.count, 1))
        let root = Sunflower.cubeRoot(options.stiffness)
        var charge = 0.0
        switch options.charge {
        case .fixed(let fixed): charge = fixed
        case .fillingBounds:
            let cell = options.cell
            let across = (cell.width * cell.width + cell.height * cell.height).squareRoot()
            let radius = 0.5 * (min(bounds.size.width, bounds.size.height) - across)
            let full = radius * root / Sunflower.restingRadius(Int(count))
            // Below the least allowed charge, the bounds have no room for a push.
            charge = full < 1e-3 ? 0 : full
        }
        if options.avoidOverlaps {
            let side = (options.cell.width * options.cell.height).squareRoot()
            let spacing = Sunflower.restingSpacing(Int(count))
            charge = max(charge, Self.roomAround * side * root / spacing)
        }
        return charge
    }

    /// Applies the charge, the stiffness and the count; cells keep their positions in px.
    private func measureUnit() {
        isUnitStale = false
        let charge = charge
        let unit = charge > 0 ? charge / Sunflower.cubeRoot(options.stiffness) : 1
        // Without a push, cells have come to rest in one position.
        if charge > 0, !solver.repels { for cell in 0..<solver.count { markAsCoinciding(cell) } }
        solver.repels = charge > 0
        if unit != self.unit {
            let scale = self.unit / unit
            solver.move { Point(x: $0.x * scale, y: $0.y * scale) }
            self.unit = unit
        }
    }

    private func settleUnit() {
        if isUnitStale { measureUnit() }
    }

    /// A cell's centre, in px.
    func center(_ cell: Int) -> Point {
        let point = solver[cell]
        let middle = bounds.center
        return Point(x: middle.x + unit * point.x, y: middle.y + unit * point.y)
    }

    /// The force on a cell at the start of the last tick, in px per tick.
    func force(_ cell: Int) -> Force {
        guard last.ticks > 0 else { return .zero }
        let scale = options.stiffness * unit
        let force = solver.force(cell)
        return Force(force.dx * scale, force.dy * scale)
    }

    func place(_ cell: Int, at point: Point) {
        let middle = bounds.center
        solver[cell] = Point(x: (point.x - middle.x) / unit, y: (point.y - middle.y) / unit)
    }

    // MARK: - Changes from outside

    /// Adds cells, in this order. Those without a point appear at the start.
    ///
    /// - Parameter cells: A stable hash for each, and its position, unless it appears at the start.
    func append(_ cells: [(hash: UInt64, point: Point?)]) {
        let first = solver.count
        for cell in cells {
            hashes.append(cell.hash)
            mayCoincide.append(false)
            solver.append(.zero)
        }
        measureUnit()
        for (index, cell) in cells.enumerated() {
            if let point = cell.point {
                place(first + index, at: point)
                markAsCoinciding(first + index)
            } else {
                moveToStartPosition(first + index, batch: first..<solver.count)
            }
        }
        disturb()
    }

    /// Removes a cell; the last cell gets its number.
    ///
    /// - Complexity: O(1).
    func remove(_ cell: Int) {
        let moved = solver.count - 1
        solver.remove(cell)
        hashes.swapAt(cell, moved)
        hashes.removeLast()
        mayCoincide.swapAt(cell, moved)
        mayCoincide.removeLast()
        if !pushes.isEmpty {
            let push = pushes.removeValue(forKey: moved)
            if cell != moved { pushes[cell] = push }
        }
        isUnitStale = true
        disturb()
    }

    /// Moves a cell to the start position of new cells.
    func restart(_ cell: Int) {
        settleUnit()
        moveToStartPosition(cell, batch: cell..<(cell + 1))
        disturb()
    }

    /// Moves a cell by this force in the next tick.
    func push(_ cell: Int, _ force: Force) {
        pushes[cell] = (pushes[cell] ?? .zero) + force
        disturb()
    }

    func set(bounds: Rect) throws(LayoutError) {
        try Limits.check(bounds, "bounds")
        guard bounds != self.bounds else { return }
        let from = self.bounds.center
        let to = bounds.center
        let dx = (from.x - to.x) / unit
        let dy = (from.y - to.y) / unit
        if dx != 0 || dy != 0 { solver.move { Point(x: $0.x + dx, y: $0.y + dy) } }
        self.bounds = bounds
        measureUnit()
        disturb()
    }

    func set(options: ForceOptions) throws(LayoutError) {
        try options.check()
        guard options != self.options else { return }
        self.options = options
        measureUnit()
        disturb()
    }

    /// Records that a cell may be at the position of another.
    func markAsCoinciding(_ cell: Int) {
        mayCoincide[cell] = true
        hasUnparted = true
    }

    /// Resets the solver at the next tick.
    private func disturb() {
        changed = true
        parting = false
        last = .unstarted
    }

    #if DEBUG
    /// For tests of symmetry: skips the small displacement of new cells.
    func clearCoinciding() {
        for cell in mayCoincide.indices { mayCoincide[cell] = false }
        hasUnparted = false
    }
    #endif

    // MARK: - Ticks

    /// Runs one tick towards rest; does nothing once the layout has finished.
    func tick() -> ForceTick {
        guard last.finish == nil else { return last }
        if changed { begin() }
        last.ticks += 1
        let pushed = applyPushes()
        if parting {
            separateOverlapsOnce()
        } else {
            relax(pushed)
        }
        if last.finish == nil, last.ticks >= options.tickLimit { last.finish = .tickLimit }
        return last
    }

    private func begin() {
        changed = false
        settleUnit()
        if hasUnparted {
            let coinciding = mayCoincide.indices.filter { mayCoincide[$0] }
            Separation.part(coinciding, in: solver, hashes: hashes)
            for cell in coinciding { mayCoincide[cell] = false }
            hasUnparted = false
        }
        solver.restart()
        partingPasses = 0
    }

    /// Moves pushed cells; returns how far.
    private func applyPushes() -> Double {
        var movement = 0.0
        if pushes.isEmpty { return 0 }
        // In the order of the cells, not of the dictionary: the sum must be the same to the bit.
        for (cell, force) in pushes.sorted(by: { $0.key < $1.key }) {
            let from = center(cell)
            let limit = Limits.coordinate
            let to = Point(
                x: min(max(from.x + force.dx, -limit), limit),
                y: min(max(from.y + force.dy, -limit), limit))
            place(cell, at: to)
            movement += from.distance(to: to)
        }
        pushes.removeAll(keepingCapacity: true)
        return movement
    }

    private func relax(_ pushed: Double) {
        let fine = solver.meanForce < 1.5e-3 * solver.restingRadius
        let many = solver.count > ForceSolver.directLimit
        // With many cells, the last steps need more precise forces than the first.
        if case .residual(let share) = options.stop, many, share < 1e-3, fine {
            solver.measure(theta: 0.5)
        } else {
            solver.measure()
        }
        last.residual = solver.meanForce / solver.restingRadius
        if atRest(many) {
            if last.ticks == 1 { last.movement = 0 }
            last.movement += pushed
            if options.avoidOverlaps, solver.count > 1 {
                parting = true
            } else {
                last.finish = .rest
            }
            return
        }
        solver.advance()
        last.movement = unit * solver.movement + pushed
        last.largestMove = max(unit * solver.largestMove, pushed)
    }

    /// Whether the cells are at rest at their positions. A moving cell may pass a point without force,
    /// so the movement threshold applies to the last move, too.
    private func atRest(_ many: Bool) -> Bool {
        switch options.stop {
        case .residual(let share):
            return last.residual <= share
        case .movement(let threshold):
            if last.residual <= (many ? Self.visibleRest : Self.deepRest) { return true }
            return last.ticks > 1 && last.movement <= threshold && last.residual <= Self.rest
        }
    }

    /// Runs a few passes over all overlaps.
    private func separateOverlapsOnce() {
        var movement = 0.0
        let width = options.cell.width / unit
        let height = options.cell.height / unit
        for _ in 0..<8 {
            let pass = solver.partOverlaps(width: width, height: height)
            movement += pass.movement
            partingPasses += 1
            if pass.pairs == 0 {
                last.finish = .rest
                break
            }
            // Without room to separate, expand the whole layout.
            if partingPasses > 64 { solver.move { Point(x: $0.x * 1.02, y: $0.y * 1.02) } }
        }
        last.movement = movement * unit
        last.largestMove = last.movement
    }

    /// The mean force at rest with the direct sum, relative to the spring force at the rim.
    private static let rest = 1e-4
    /// The mean force below which a layout has finished, whatever the threshold.
    private static let deepRest = 1e-9
    /// The mean force at which no movement is visible, which a tree can resolve.
    private static let visibleRest = 1e-3
    /// The distance at rest of cells that must not overlap, relative to the side of a square of equal
    /// area.
    private static let roomAround = 1.3
}
