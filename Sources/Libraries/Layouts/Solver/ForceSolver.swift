internal import CLayoutKernels
internal import Synchronization
internal import WorkerPool

// The cells of a force layout as coordinates, and the forces on them.
//
// All quantities are in units in which stiffness and charge are 1: lengths in charge / stiffness^(1/3)
// px, from the centre. There the problem depends on the cell count only, so one choice of steps fits
// every stiffness, charge and window.
//
// Cells without speed, force or neighbours need no special case. Divisors are never zero, since the sums
// used as divisors are checked; no two cells coincide, since the layout separates those before the first
// tick.

/// The cells of a force layout, in normalized units.
@safe final class ForceSolver {
    /// The maximum number of cells summed pair by pair.
    static let directLimit = 2_048
    /// The maximum number of cells summed in double precision.
    static let exactLimit = 512
    /// The opening angle of far squares while cells move.
    static let theta: Float = 0.66
    /// The maximum number of sums that reuse the interaction lists of an earlier one.
    private static let maxSumsByLists = 7

    private(set) var count = 0
    /// Coordinates, speeds and forces, by cell.
    private(set) var x = AlignedArray<Double>()
    private(set) var y = AlignedArray<Double>()
    private(set) var speedX = AlignedArray<Double>()
    private(set) var speedY = AlignedArray<Double>()
    private(set) var forceX = AlignedArray<Double>()
    private(set) var forceY = AlignedArray<Double>()
    /// The results of ``energy()``: the potential of each cell, and its push, which is unused.
    private var potential = AlignedArray<Double>()
    private var pushX = AlignedArray<Double>()
    private var pushY = AlignedArray<Double>()
    /// The hash table of cells for ``partOverlaps(width:height:)``.
    var table = AlignedArray<Int32>()
    var chain = AlignedArray<Int32>()

    /// Whether cells push each other.
    var repels = true
    #if DEBUG
    /// For tests of cost: the number of cells moved by ``move(_:)``.
    private(set) var cellsMoved = 0
    #endif
    /// The instruction set that the kernels use.
    let instructions: Int32
    private let tree = ForceTree()
    /// The number of further sums that may reuse the tree's lists; 0 after cells were added, removed or
    /// moved from outside.
    private(set) var sumsLeft = 0
    private let lists: [InteractionList]
    private let pool: WorkerPool

    // The state of the minimizer: see ForceSolver+Tick.
    var step = 0.0
    var mixing = 0.25
    var downhill = 0
    var sinceRestart = 0

    /// The sum of the distances moved in the last tick.
    var movement = 0.0
    /// The largest of them.
    var largestMove = 0.0
    /// The mean force before the last tick's moves; infinite before the first.
    var meanForce = Double.infinity

    /// A solver without cells.
    ///
    /// - Parameters:
    ///   - threads: The number of threads that work on one tick, at least 1.
    ///   - instructions: An instruction set of this processor; the best one by default.
    init(threads: Int, instructions: Int32 = layout_best_instructions()) {
        self.instructions = instructions
        let lists = (0..<max(1, threads)).map { _ in InteractionList() }
        self.lists = lists
        pool = WorkerPool(workers: threads) { [tree] worker in
            tree.work(lists[worker], instructions: instructions)
        }
    }

    // MARK: - Cells

    /// The radius of this many cells at rest.
    var restingRadius: Double { repels ? Sunflower.restingRadius(max(count, 1)) : 1 }
    /// The distance between neighbours at rest.
    var restingSpacing: Double { repels ? Sunflower.restingSpacing(count) : 1 }

    /// The step for the stiffest mode.
    var longestStep: Double {
        1 / (repels ? 2 + 1.3 * Double(count).squareRoot() : 1).squareRoot()
    }

    /// The coordinates of a cell.
    subscript(cell: Int) -> Point {
        get {
            precondition(cell >= 0 && cell < count)
            return unsafe Point(x: x.pointer[cell], y: y.pointer[cell])
        }
        set {
            precondition(cell >= 0 && cell < count)
            unsafe x.pointer[cell] = newValue.x
            unsafe y.pointer[cell] = newValue.y
            sumsLeft = 0
            unsafe speedX.pointer[cell] = 0
            unsafe speedY.pointer[cell] = 0
        }
    }

    /// Adds a cell at rest.
    func append(_ point: Point) {
        let lanes = Int(LAYOUT_EXACT_LANES)
        let room = count + 1 + lanes
        x.reserve(room, keeping: count)
        y.reserve(room, keeping: count)
        speedX.reserve(room, keeping: count)
        speedY.reserve(room, keeping: count)
        forceX.reserve(room, keeping: count)
        forceY.reserve(room, keeping: count)
        count += 1
        self[count - 1] = point
    }

    /// Removes a cell; the last cell takes its index.
    func remove(_ cell: Int) {
        precondition(cell >= 0 && cell < count)
        let last = count - 1
        unsafe x.pointer[cell] = x.pointer[last]
        unsafe y.pointer[cell] = y.pointer[last]
        unsafe speedX.pointer[cell] = speedX.pointer[last]
        unsafe speedY.pointer[cell] = speedY.pointer[last]
        count = last
        sumsLeft = 0
    }

    /// Moves every cell to the result of `transform`.
    func move(_ transform: (Point) -> Point) {
        #if DEBUG
        cellsMoved += count
        #endif
        for cell in 0..<count { self[cell] = transform(self[cell]) }
    }

    /// Resets the minimizer at the current positions, without velocity.
    func restart() {
        step = longestStep
        mixing = 0.25
        downhill = 0
        sinceRestart = 0
        meanForce = .infinity
        movement = 0
        largestMove = 0
        for cell in 0..<count {
            // Cells are below the arrays' capacity.
            unsafe speedX.pointer[cell] = 0
            unsafe speedY.pointer[cell] = 0
        }
    }

    // MARK: - Forces

    /// Writes the push of all others on each cell to the force arrays.
    ///
    /// - Parameters:
    ///   - theta: The opening angle of far squares; 0 for the direct sum; `nil` to choose it by the count.
    ///   - exactly: Whether to sum in double precision, whatever the count.
    func addPush(theta: Float?, exactly: Bool = false) {
        // The arrays hold all cells, and are not reallocated until the sum is done.
        unsafe addPush(
            theta: theta, exactly: exactly,
            to: PushTarget(x: forceX.pointer, y: forceY.pointer, potential: nil))
    }

    /// Like ``addPush(theta:exactly:)``, for cells that were moved only by the last tick: the lists of
    /// far squares are rebuilt only every few ticks, or when a square has moved or grown too much.
    func addPushInPassing() {
        let left = sumsLeft
        if left > 0 {
            // The arrays hold all cells, and are not reallocated until the sum is done.
            unsafe tree.follow(x: x.pointer, y: y.pointer)
            tree.isOutgrown.store(false, ordering: .relaxed)
            run(.movedSquares)
            if !tree.isOutgrown.load(ordering: .relaxed) {
                unsafe tree.target = PushTarget(
                    x: forceX.pointer, y: forceY.pointer, potential: nil)
                run(.again)
                sumsLeft = left - 1
                return
            }
        }
        addPush(theta: nil)
        if count > Self.directLimit, tree.hasLists { sumsLeft = Self.maxSumsByLists }
    }

    /// Sums up 1 / distance for each cell; see ``potential(of:)``.
    func addPotential(theta: Float?, exactly: Bool) {
        potential.reserve(count, keeping: 0)
        pushX.reserve(count, keeping: 0)
        pushY.reserve(count, keeping: 0)
        // The arrays hold all cells, and are not reallocated until the sum is done.
        unsafe addPush(
            theta: theta, exactly: exactly,
            to: PushTarget(
                x: pushX.pointer, y: pushY.pointer, potential: potential.pointer))
    }

    private func addPush(theta: Float?, exactly: Bool, to target: PushTarget) {
        guard let pushX = unsafe target.x, let pushY = unsafe target.y else { return }
        sumsLeft = 0
        if exactly || (count <= Self.exactLimit && theta == nil) {
            let lanes = Int(LAYOUT_EXACT_LANES)
            var padded = count
            while padded % lanes != 0 {
                // There is room for a full row of lanes after the last cell.
                unsafe x.pointer[padded] = 1e100
                unsafe y.pointer[padded] = 1e100
                padded += 1
            }
            // The arrays hold `padded` numbers, with the alignment of the kernel.
            unsafe layout_exact_push(
                instructions, x.pointer, y.pointer, Int32(padded), 0, Int32(count),
                pushX, pushY, target.potential)
            return
        }
        let chosen = theta ?? (count <= Self.directLimit ? 0 : Self.theta)
        // The arrays are not reallocated until the sum is done.
        unsafe tree.build(x: x.pointer, y: y.pointer, count: count, theta: chosen)
        unsafe tree.target = target
        if chosen > 0 { run(.squares) }
        run(.groups)
    }

    private func run(_ stage: ForceTree.Stage) {
        tree.stage = stage
        tree.next.store(0, ordering: .relaxed)
        pool.run()
    }

    /// The energy of the springs and of the pairs, exact if the sum is direct.
    func energy() -> (springs: Double, pairs: Double) {
        var springs = 0.0
        var pairs = 0.0
        if repels {
            addPotential(
                theta: count <= Self.directLimit ? nil : 0.5, exactly: count <= Self.directLimit)
        }
        for cell in 0..<count {
            let point = self[cell]
            springs += 0.5 * (point.x * point.x + point.y * point.y)
            // The potential was just written, for all cells.
            if repels { unsafe pairs += 0.5 * potential.pointer[cell] }
        }
        return (springs, pairs)
    }

    /// The last computed force on a cell.
    func force(_ cell: Int) -> Force {
        precondition(cell >= 0 && cell < count)
        // The arrays hold all cells.
        return unsafe Force(forceX.pointer[cell], forceY.pointer[cell])
    }

    /// The sum of 1 / distance for a cell, from the last sum with potential.
    func potential(of cell: Int) -> Double {
        precondition(cell >= 0 && cell < count)
        // The array holds all cells.
        return unsafe potential.pointer[cell]
    }
}
