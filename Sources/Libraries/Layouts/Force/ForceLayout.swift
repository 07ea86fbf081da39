// Maps items to the cells of a `ForceEngine`, and keeps their frames as of the last `takeFrames`.
//
// Cells are numbered without gaps: the last one gets the number of a removed one. All arrays here are
// indexed by cell number, and `numbers` is their inverse.

/// A layout of cells that are pulled to a centre and push each other apart until they rest.
///
/// A spring pulls each cell to the centre of the bounds, with stiffness · distance; every two cells push
/// each other with charge³ / distance². Each ``tick()`` brings them closer to rest; ``run(atMost:)``
/// continues until they are there. After changes from outside, such as new cells, removed cells, bounds
/// or options, the cells continue from their current positions.
///
/// The same items, options and seed give the same frames, to the bit, whatever the number of threads and
/// the processor. The order of the items in one insertion makes no difference either, as long as their
/// hashes differ.
///
/// A layout may be used by any thread, one at a time; it is not `Sendable`, but can be transferred as a
/// whole. Ticks allocate no memory after the first.
public final class ForceLayout<ID: Hashable> {
    /// Called when the cells have come to rest, or have used up their ticks: once after each change from
    /// outside. It may change the layout.
    public var layoutDidFinish: ((ForceTick) -> Void)?

    /// The items, by the number of their cell, in no meaningful order.
    public private(set) var items: [ID] = []

    let engine: ForceEngine
    private(set) var numbers: [ID: Int] = [:]
    /// The centre of each cell when its frame was last taken; NaN if never.
    var taken: [Point] = []
    private let hash: (ID) -> UInt64

    /// An empty layout.
    ///
    /// - Parameters:
    ///   - bounds: The rectangle in whose centre the cells are pulled, in px; may be empty.
    ///   - options: The physics, the size of the cells and when to stop.
    ///   - threads: The number of threads that work on one tick, 1 to 64; fewer if the system has no more. The
    ///     first is the caller of ``tick()``, which does all of the work up to 512 cells. The others belong to
    ///     the layout, sleep between ticks, block all signals, and end with it.
    ///   - hash: A number for each item, the same in every process, ideally unique: ``StableHash`` computes
    ///     such hashes, `hashValue` does not.
    /// - Throws: ``LayoutError/Code/outOfRange``.
    public init(
        bounds: Rect, options: ForceOptions = ForceOptions(), threads: Int = 1,
        hash: @escaping (ID) -> UInt64
    ) throws(LayoutError) {
        try Limits.check(Double(threads), "threads", in: 1...64, allowed: "from 1 to 64")
        engine = try ForceEngine(bounds: bounds, options: options, threads: threads)
        self.hash = hash
    }

    // MARK: - Cells

    /// The number of cells.
    public var count: Int { items.count }

    /// Whether there is a cell for this item.
    public func contains(_ item: ID) -> Bool { numbers[item] != nil }

    /// Adds cells at the start position of the options.
    ///
    /// - Parameter new: Distinct items without cells.
    /// - Throws: ``LayoutError/Code/duplicate`` or ``LayoutError/Code/tooMany``; nothing is
    ///   added then.
    /// - Complexity: O(m log m) for m new cells, and O(n) for all cells at the next tick. A few cells
    ///   each get the best of up to 24 positions, which takes O(n) each.
    public func insert(_ new: some Sequence<ID>) throws(LayoutError) {
        try insert(new.map { ($0, nil) })
    }

    /// Adds a cell centred at a point, such as its position in another layout.
    ///
    /// - Parameters:
    ///   - item: An item without a cell.
    ///   - center: The centre of the cell, in px.
    /// - Throws: ``LayoutError/Code/duplicate``, ``LayoutError/Code/tooMany`` or
    ///   ``LayoutError/Code/outOfRange``; nothing is added then.
    public func insert(_ item: ID, at center: Point) throws(LayoutError) {
        try insert([(item, center)])
    }

    /// Adds cells, each at a point or at the start position: all items of another layout at once.
    ///
    /// - Parameter new: Distinct items without cells, and the centre of each, in px, or `nil` for the
    ///   start position.
    /// - Throws: ``LayoutError/Code/duplicate``, ``LayoutError/Code/tooMany`` or
    ///   ``LayoutError/Code/outOfRange``; nothing is added then.
    public func insert(_ new: [(item: ID, center: Point?)]) throws(LayoutError) {
        try Limits.checkCount(count, adding: new.count)
        var seen = Set<ID>(minimumCapacity: new.count)
        for (item, center) in new {
            guard numbers[item] == nil, seen.insert(item).inserted else {
                throw .duplicate(item: "\(item)")
            }
            if let center { try Limits.check(center, "center") }
        }
        guard !new.isEmpty else { return }
        let seed = StableHash.mix(engine.options.seed)
        let hashes = new.map { StableHash.mix(hash($0.item) ^ seed) }
        let order = new.indices.sorted { (hashes[$0], $0) < (hashes[$1], $1) }
        numbers.reserveCapacity(count + new.count)
        for index in order {
            numbers[new[index].item] = items.count
            items.append(new[index].item)
            taken.append(Point(x: .nan, y: .nan))
        }
        engine.append(order.map { (hash: hashes[$0], point: new[$0].center) })
    }

    /// Removes a cell.
    ///
    /// - Throws: ``LayoutError/Code/unknown``.
    /// - Complexity: O(1), and O(n) at the next tick.
    public func remove(_ item: ID) throws(LayoutError) {
        let number = try number(item)
        engine.remove(number)
        numbers[item] = nil
        let last = items.removeLast()
        let lastTaken = taken.removeLast()
        if number < items.count {
            items[number] = last
            taken[number] = lastTaken
            numbers[last] = number
        }
    }

    /// Moves a cell back to the start position.
    ///
    /// - Throws: ``LayoutError/Code/unknown``.
    public func moveToStart(_ item: ID) throws(LayoutError) {
        engine.restart(try number(item))
    }

    /// Applies a force to a cell for one tick. As in the simplest iteration, ``ForceField/step(_:)``,
    /// the cell moves by the force, in px.
    ///
    /// Forces on one cell before the next tick add up.
    ///
    /// - Throws: ``LayoutError/Code/unknown``, or ``LayoutError/Code/outOfRange`` for
    ///   more than 1e9 px.
    public func push(_ item: ID, by force: Force) throws(LayoutError) {
        let number = try number(item)
        try Limits.checkCoordinate(force.dx, "force.dx")
        try Limits.checkCoordinate(force.dy, "force.dy")
        engine.push(number, force)
    }

    private func number(_ item: ID) throws(LayoutError) -> Int {
        guard let number = numbers[item] else { throw .unknown(item: "\(item)") }
        return number
    }

    // MARK: - The field

    /// The rectangle in whose centre the cells are pulled, in px.
    public var bounds: Rect { engine.bounds }

    /// The options of the cells and the physics.
    public var options: ForceOptions { engine.options }

    /// Changes the bounds. The cells are pulled from their positions to the new centre.
    ///
    /// - Throws: ``LayoutError/Code/outOfRange``; nothing changes then.
    public func setBounds(_ bounds: Rect) throws(LayoutError) { try engine.set(bounds: bounds) }

    /// Changes the options. The cells continue from their positions; the start position and the seed
    /// apply to later cells.
    ///
    /// - Throws: ``LayoutError/Code/outOfRange``; nothing changes then.
    public func setOptions(_ options: ForceOptions) throws(LayoutError) {
        let cell = engine.options.cell
        try engine.set(options: options)
        if options.cell != cell { forgetTakenFrames() }
    }

    /// The current charge: that of the options, the one that fills the bounds, or the one that leaves
    /// room for each cell.
    public var charge: Double { engine.charge }

    /// The plain formulas with this layout's centre, stiffness and charge.
    public var field: ForceField {
        ForceField(center: bounds.center, stiffness: options.stiffness, charge: charge)
    }

    /// The energy of the springs and of the pairs, in px² per tick. At rest, the second is twice the
    /// first if cells push each other and overlaps are allowed.
    ///
    /// Exact up to 2,048 cells, with a relative error up to 1e-4 above.
    ///
    /// - Complexity: O(n²) up to 2,048 cells, about as long as a tick above.
    public var energy: (springs: Double, pairs: Double) {
        engine.energy
    }

    /// The spring force at the rim of this many cells at rest, in px per tick: the unit of
    /// ``ForceTick/residual``.
    public var rimForce: Double { engine.rimForce }

    // MARK: - Ticks

    /// The last tick; one with 0 ticks after a change from outside.
    public var lastTick: ForceTick { engine.last }

    /// Moves the cells one tick closer to rest. Does nothing once they are at rest, or have used up
    /// their ticks, until the next change from outside.
    ///
    /// - Returns: The movement and the state of the tick.
    @discardableResult
    public func tick() -> ForceTick {
        if engine.last.finish != nil { return engine.last }
        let tick = engine.tick()
        if tick.finish != nil { layoutDidFinish?(tick) }
        return tick
    }

    /// Ticks until the cells are at rest or `limit` more ticks have run.
    ///
    /// - Parameter limit: The maximum number of ticks.
    /// - Returns: The last tick.
    @discardableResult
    public func run(atMost limit: Int = .max) -> ForceTick {
        var left = limit
        while left > 0, engine.last.finish == nil {
            tick()
            left -= 1
        }
        return engine.last
    }

    /// The force on an item's cell, in px per tick, at its position when the last tick began; that is
    /// its current position if the tick found the layout at rest. Zero before the first tick after an
    /// insertion; `nil` if the item has no cell.
    public func force(on item: ID) -> Force? {
        numbers[item].map(engine.force)
    }
}

extension ForceLayout where ID == String {
    /// An empty layout, whose items are hashed by ``StableHash/hash(_:)``.
    ///
    /// - Parameters:
    ///   - bounds: The rectangle in whose centre the cells are pulled, in px; may be empty.
    ///   - options: The physics, the size of the cells and when to stop.
    ///   - threads: The number of threads that work on one tick, 1 to 64.
    /// - Throws: ``LayoutError/Code/outOfRange``.
    public convenience init(
        bounds: Rect, options: ForceOptions = ForceOptions(), threads: Int = 1
    ) throws(LayoutError) {
        try self.init(bounds: bounds, options: options, threads: threads, hash: StableHash.hash)
    }
}
