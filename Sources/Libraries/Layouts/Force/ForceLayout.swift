// Names for the cells of a `ForceEngine`, and what its frames were when they were last asked for.
//
// Cells are kept without gaps: the last one takes the number of one that goes. All arrays here are by
// that number, and `numbers` is their inverse.

/// Cells that are drawn to a centre and push each other apart, until they rest.
///
/// A spring draws each cell to the centre of the bounds, with stiffness · distance; every two cells push
/// each other with charge³ / distance². Each ``tick()`` brings them closer to rest; ``run(atMost:)`` goes
/// on until they are there. What is changed from outside, cells that come and go, the bounds, the
/// options, goes on from where the cells are.
///
/// The same items, options and seed give the same frames, to the bit, whatever the number of threads and
/// the processor; the order in which the items of one insertion are given makes no difference either,
/// as long as their hashes differ.
///
/// A layout is used by one thread at a time, any thread; it is not `Sendable`, and can be sent as a whole.
/// No tick allocates memory once the cells are there.
public final class ForceLayout<ID: Hashable> {
    /// The most cells in a layout.
    public static var cellLimit: Int { Limits.cells }

    /// Called when the cells have come to rest, or the ticks that they are allowed are over: once after
    /// each change from outside. It may change the layout.
    public var layoutDidFinish: ((ForceTick) -> Void)?

    /// The items, by the number of their cell: in no order that means something.
    public private(set) var items: [ID] = []

    let engine: ForceEngine
    private(set) var numbers: [ID: Int] = [:]
    /// The centre of each cell when its frame was last taken; no number if it never was.
    var taken: [Point] = []
    private let hash: (ID) -> UInt64

    /// A layout without cells.
    ///
    /// - Parameters:
    ///   - bounds: What the cells are centred in, in px; may be empty.
    ///   - options: The physics, the size of the cells and when to stop.
    ///   - threads: How many threads work on one tick, 1 to 64; fewer if the system has no more. The
    ///     first is the one that calls ``tick()``, and up to 512 cells it does all of it; the others are
    ///     the layout's own, sleep between ticks, block all signals, and end with it.
    ///   - hash: A number for each item, the same in every process, best different for each item:
    ///     ``StableHash`` makes them. `hashValue` is not such a number.
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``.
    public init(
        bounds: Rect, options: ForceOptions = ForceOptions(), threads: Int = 1,
        hash: @escaping (ID) -> UInt64
    ) throws(LayoutError) {
        try Limits.check(Double(threads), "threads", in: 1...64, allowed: "from 1 to 64")
        engine = try ForceEngine(bounds: bounds, options: options, threads: threads)
        self.hash = hash
    }

    // MARK: - Cells

    /// How many cells there are.
    public var count: Int { items.count }

    /// Whether there is a cell for this item.
    public func contains(_ item: ID) -> Bool { numbers[item] != nil }

    /// Adds cells at the start that the options name.
    ///
    /// - Parameter new: Items that have no cell yet, none of them twice.
    /// - Throws: ``LayoutError/duplicate(item:)`` or ``LayoutError/tooMany(count:limit:)``; nothing is
    ///   added then.
    /// - Complexity: O(m log m) for m new cells, and O(n) for all cells when the next tick begins. A few
    ///   cells are each given the best of up to 24 places, which takes O(n) for each.
    public func insert(_ new: some Sequence<ID>) throws(LayoutError) {
        try insert(new.map { ($0, nil) })
    }

    /// Adds a cell whose centre is at a point: where another layout had it.
    ///
    /// - Parameters:
    ///   - item: An item that has no cell yet.
    ///   - center: Where the cell is, in px.
    /// - Throws: ``LayoutError/duplicate(item:)``, ``LayoutError/tooMany(count:limit:)`` or
    ///   ``LayoutError/outOfRange(name:value:allowed:)``; nothing is added then.
    public func insert(_ item: ID, at center: Point) throws(LayoutError) {
        try insert([(item, center)])
    }

    /// Adds cells, each at a point or at the start: all that another layout shows, at once.
    ///
    /// - Parameter new: Items that have no cell yet, none of them twice, and the centre of each, in px, or
    ///   nil for the start.
    /// - Throws: ``LayoutError/duplicate(item:)``, ``LayoutError/tooMany(count:limit:)`` or
    ///   ``LayoutError/outOfRange(name:value:allowed:)``; nothing is added then.
    public func insert(_ new: [(item: ID, center: Point?)]) throws(LayoutError) {
        let total = count + new.count
        guard total <= Limits.cells else {
            throw .tooMany(count: total, limit: Limits.cells)
        }
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
        numbers.reserveCapacity(total)
        for index in order {
            numbers[new[index].item] = items.count
            items.append(new[index].item)
            taken.append(Point(x: .nan, y: .nan))
        }
        engine.append(order.map { (hash: hashes[$0], point: new[$0].center) })
    }

    /// Takes out a cell.
    ///
    /// - Throws: ``LayoutError/unknown(item:)``.
    /// - Complexity: O(1), and O(n) when the next tick begins.
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

    /// Puts a cell back where new ones appear.
    ///
    /// - Throws: ``LayoutError/unknown(item:)``.
    public func moveToStart(_ item: ID) throws(LayoutError) {
        engine.restart(try number(item))
    }

    /// Adds a force to a cell for one tick. As in the text, the cell moves by the force: so many px.
    ///
    /// Forces on one cell before the next tick add up.
    ///
    /// - Throws: ``LayoutError/unknown(item:)``, or ``LayoutError/outOfRange(name:value:allowed:)`` for
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

    /// What the cells are centred in, in px.
    public var bounds: Rect { engine.bounds }

    /// What the cells and the physics are like.
    public var options: ForceOptions { engine.options }

    /// Gives the cells other bounds. They are drawn to the new centre from where they are.
    ///
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``; nothing changes then.
    public func setBounds(_ bounds: Rect) throws(LayoutError) { try engine.set(bounds: bounds) }

    /// Gives the cells other options. They go on from where they are; the start and the seed hold for
    /// cells that come later.
    ///
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``; nothing changes then.
    public func setOptions(_ options: ForceOptions) throws(LayoutError) {
        let cell = engine.options.cell
        try engine.set(options: options)
        if options.cell != cell { forgetTakenFrames() }
    }

    /// The charge in use: that of the options, the one that fills the bounds, or the one that leaves each
    /// cell its room.
    public var charge: Double { engine.charge }

    /// The text's formulas with this layout's centre, stiffness and charge.
    public var field: ForceField {
        ForceField(center: bounds.center, stiffness: options.stiffness, charge: charge)
    }

    /// The energy of the springs and of the pairs, in px² per tick. At rest, the second is twice the first
    /// if cells push each other and none are kept apart.
    ///
    /// Exact up to 2,048 cells, within 1e-4 above.
    ///
    /// - Complexity: O(n²) up to 2,048 cells, about as long as a tick above.
    public var energy: (springs: Double, pairs: Double) {
        engine.energy
    }

    /// The force of the spring at the rim of as many cells at rest, in px per tick: what
    /// ``ForceTick/residual`` is a part of.
    public var rimForce: Double { engine.rimForce }

    // MARK: - Ticks

    /// What the last tick did; one of 0 ticks after a change from outside.
    public var lastTick: ForceTick { engine.last }

    /// Brings the cells one tick closer to rest. Does nothing once they are there, or have had the ticks
    /// they are allowed, until something changes from outside.
    ///
    /// - Returns: What the tick did.
    /// - Complexity: O(n²) up to 2,048 cells, O(n log n) above.
    @discardableResult
    public func tick() -> ForceTick {
        if engine.last.finish != nil { return engine.last }
        let tick = engine.tick()
        if tick.finish != nil { layoutDidFinish?(tick) }
        return tick
    }

    /// Ticks until the cells are at rest or have had `limit` ticks more.
    ///
    /// - Parameter limit: How many ticks at most.
    /// - Returns: What the last tick did.
    @discardableResult
    public func run(atMost limit: Int = .max) -> ForceTick {
        var left = limit
        while left > 0, engine.last.finish == nil {
            tick()
            left -= 1
        }
        return engine.last
    }

    /// The force on an item's cell, in px per tick, where it was when the last tick began: where it is, if
    /// that tick found the layout at rest. No force before the first tick after an insertion; nil if the item
    /// has no cell.
    public func force(on item: ID) -> Force? {
        guard let number = numbers[item] else { return nil }
        return engine.force(number)
    }
}

extension ForceLayout where ID == String {
    /// A layout without cells, whose items are told apart by ``StableHash/hash(_:)``.
    ///
    /// - Parameters:
    ///   - bounds: What the cells are centred in, in px; may be empty.
    ///   - options: The physics, the size of the cells and when to stop.
    ///   - threads: How many threads work on one tick, 1 to 64.
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``.
    public convenience init(
        bounds: Rect, options: ForceOptions = ForceOptions(), threads: Int = 1
    ) throws(LayoutError) {
        try self.init(bounds: bounds, options: options, threads: threads, hash: StableHash.hash)
    }
}
