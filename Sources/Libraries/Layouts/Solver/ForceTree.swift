internal import CLayoutKernels
internal import Synchronization

// The push of all cells on each, without visiting all pairs: the tree of Barnes and Hut (Nature 324,
// 446, 1986), with the interaction lists of groups (Barnes, Journal of Computational Physics 87, 161,
// 1990) and quadrupoles.
//
// Cells are sorted along a Z curve (Morton order), so each square of the quadtree is a range of them. A
// leaf is a range of at most 32; a group is a leaf, or a piece of one that can't be split. Each group
// has one list of its sources: far squares by mass and quadrupole, near cells individually; then the
// kernel sums that list for each cell of the group. A square is far from a group if 2·(its radius) <
// θ·(distance − the group's radius); with θ = 0 no square is far, and the sum is direct.
//
// The charges' field is the three-dimensional one in a plane, so the quadrupole is the traceless one of
// space: xx = Σ 2x² − y², xy = Σ 3xy, yy = Σ 2y² − x².
//
// Cells move little from tick to tick, so the lists are kept, as square numbers and cell ranges, and
// reused while no square has moved or grown by more than a tenth of its radius; the moments of the
// squares are recomputed each time. This saves the sort and the tree walk, a third of a tick.
//
// Each group writes only the results of its own cells, and sums in the order of its list. So the results
// are the same to the bit whichever thread processes which group.

/// A square of the quadtree.
typealias TreeNode = layout_square

/// The sum over all pairs, exact or by the tree, on one or more threads.
@safe final class ForceTree {
    /// The maximum number of cells in a leaf, and in a group.
    static let leaf = 32
    /// Levels below the root: the coordinates are sorted by their upper 16 bits.
    static let levels = 16
    /// The maximum number of near ranges, and of far squares, in the lists of a group.
    static let maxRanges = 64
    static let maxSquares = InteractionList.far
    /// How far a square may move and grow, relative to its radius, before the lists are rebuilt.
    static let maxShift: Float = 0.1
    /// The maximum number of groups with lists, which take 2.5 KiB each.
    static let maxListedGroups = 16_384

    private(set) var count = 0
    private(set) var nodes = AlignedArray<TreeNode>()
    private(set) var nodeCount = 0
    /// The start of each group in the sorted cells, and a last entry: the count.
    private(set) var groups = AlignedArray<Int32>()
    private(set) var groupCount = 0
    /// The cell at each sorted position.
    private(set) var order = AlignedArray<Int32>()
    /// The sorted coordinates.
    private(set) var x = AlignedArray<Double>()
    private(set) var y = AlignedArray<Double>()
    private(set) var keys = AlignedArray<UInt64>()
    private var spare = AlignedArray<UInt64>()
    private var histogram = AlignedArray<Int32>(capacity: 4 * 256)
    private(set) var theta: Float = 0

    /// The lists of each group, for sums after small moves.
    var lists: GroupLists {
        unsafe GroupLists(
            ranges: listedRanges.pointer, squares: listedSquares.pointer,
            rangeCounts: rangeCounts.pointer, squareCounts: squareCounts.pointer)
    }
    private var listedRanges = AlignedArray<Int32>()
    private var listedSquares = AlignedArray<Int32>()
    private(set) var rangeCounts = AlignedArray<Int32>()
    private(set) var squareCounts = AlignedArray<Int32>()

    /// The output arrays, by cell: set for the time of a sum.
    var target = unsafe PushTarget()
    /// The positions of the squares when the lists were built.
    private(set) var listedSpots = AlignedArray<SquareSpot>()
    /// Whether a square has since moved or grown so much that the lists are invalid.
    let isOutgrown = Atomic<Bool>(false)

    /// The next unclaimed square or group.
    let next = Atomic<Int>(0)
    /// The current stage of the workers: first the squares, then the groups.
    var stage = Stage.squares

    enum Stage {
        case squares, groups
        /// The squares of cells that have moved since the lists were built.
        case movedSquares
        /// The groups, by the lists of the last sum.
        case again
    }

    /// Sorts the cells and builds the squares. If there are any, ``work(_:instructions:)`` computes
    /// their moments in the stage of the squares.
    ///
    /// - Parameters:
    ///   - cellX: The x coordinates of the cells, finite.
    ///   - cellY: The y coordinates.
    ///   - count: The number of cells.
    ///   - theta: The opening angle of far squares; 0 for the direct sum.
    /// - Complexity: O(n).
    func build(
        x cellX: UnsafePointer<Double>, y cellY: UnsafePointer<Double>, count: Int, theta: Float
    ) {
        reserve(count)
        self.count = count
        self.theta = theta
        nodeCount = 0
        groupCount = 0
        guard count > 0 else { return }
        unsafe makeKeys(cellX, cellY)
        sortKeys()
        for place in 0..<count {
            // Each key contains the index of a cell, below `count`, in its lower half.
            let cell = unsafe Int(UInt32(truncatingIfNeeded: keys.pointer[place]))
            unsafe order.pointer[place] = Int32(truncatingIfNeeded: cell)
            unsafe x.pointer[place] = cellX[cell]
            unsafe y.pointer[place] = cellY[cell]
        }
        if theta > 0 {
            nodeCount = 1
            fill(0, first: 0, end: count, level: Self.levels - 1)
        } else {
            addGroups(first: 0, end: count)
        }
        unsafe groups.pointer[groupCount] = Int32(truncatingIfNeeded: count)
        reserveLists()
    }

    private func reserveLists() {
        guard isListing else { return }
        listedRanges.reserve(2 * Self.maxRanges * groupCount, keeping: 0)
        listedSquares.reserve(Self.maxSquares * groupCount, keeping: 0)
        listedSpots.reserve(nodeCount, keeping: 0)
        rangeCounts.reserve(groupCount, keeping: 0)
        squareCounts.reserve(groupCount, keeping: 0)
    }

    private func reserve(_ count: Int) {
        order.reserve(count, keeping: 0)
        x.reserve(count, keeping: 0)
        y.reserve(count, keeping: 0)
        keys.reserve(count, keeping: 0)
        spare.reserve(count, keeping: 0)
        // A group contains at least one cell. A split square has at least two children, because squares
        // around a single child are skipped.
        groups.reserve(count + 1, keeping: 0)
        nodes.reserve(2 * count + 4, keeping: 0)
    }

    // The pointers below belong to arrays that `reserve` made large enough for `count`, and every index
    // is below it or comes from a loop over it.

    private func makeKeys(_ cellX: UnsafePointer<Double>, _ cellY: UnsafePointer<Double>) {
        var left = unsafe cellX[0]
        var right = left
        var top = unsafe cellY[0]
        var bottom = top
        for cell in 1..<max(count, 1) {
            let x = unsafe cellX[cell]
            let y = unsafe cellY[cell]
            left = min(left, x)
            right = max(right, x)
            top = min(top, y)
            bottom = max(bottom, y)
        }
        let side = max(right - left, bottom - top) * 1.000001 + 1e-30
        let scale = 65_536 / side
        for cell in 0..<count {
            let column = unsafe UInt32(min(65_535, (cellX[cell] - left) * scale))
            let row = unsafe UInt32(min(65_535, (cellY[cell] - top) * scale))
            let morton = Self.spread(column) | Self.spread(row) << 1
            unsafe keys.pointer[cell] = UInt64(morton) << 32 | UInt64(truncatingIfNeeded: cell)
        }
    }

    @inline(__always)
    private static func spread(_ value: UInt32) -> UInt32 {
        var bits = value
        bits = (bits | bits << 8) & 0x00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333
        return (bits | bits << 1) & 0x5555_5555
    }

    /// Radix sort by the upper half, least significant byte first; an even number of passes ends in
    /// `keys`.
    private func sortKeys() {
        let counts = unsafe histogram.pointer
        unsafe counts.update(repeating: 0, count: 4 * 256)
        for place in 0..<count {
            let key = unsafe keys.pointer[place]
            unsafe counts[Int(truncatingIfNeeded: (key >> 32) & 255)] += 1
            unsafe counts[256 + Int(truncatingIfNeeded: (key >> 40) & 255)] += 1
            unsafe counts[512 + Int(truncatingIfNeeded: (key >> 48) & 255)] += 1
            unsafe counts[768 + Int(truncatingIfNeeded: (key >> 56) & 255)] += 1
        }
        var from = unsafe keys.pointer
        var to = unsafe spare.pointer
        for pass in 0..<4 {
            let starts = unsafe counts + 256 * pass
            var sum: Int32 = 0
            for digit in 0..<256 {
                let here = unsafe starts[digit]
                unsafe starts[digit] = sum
                sum &+= here
            }
            let shift = UInt64(32 + 8 * pass)
            for place in 0..<count {
                let key = unsafe from[place]
                let digit = Int(truncatingIfNeeded: (key >> shift) & 255)
                let position = unsafe starts[digit]
                unsafe starts[digit] = position &+ 1
                unsafe to[Int(position)] = key
            }
            unsafe swap(&from, &to)
        }
    }

    /// Builds the square `node` of the cells `first..<end`, and all squares in it.
    private func fill(_ node: Int, first: Int, end: Int, level: Int) {
        unsafe nodes.pointer[node].first = Int32(truncatingIfNeeded: first)
        unsafe nodes.pointer[node].end = Int32(truncatingIfNeeded: end)
        unsafe nodes.pointer[node].children = 0
        guard end - first > Self.leaf, level >= 0 else {
            addGroups(first: first, end: end)
            return
        }
        // The end of each quarter; squares with all cells in one quarter are skipped.
        var below = level
        var bounds = quarters(first, end, below)
        while below > 0,
            bounds.0 - first == 0 || bounds.0 == end,
            bounds.1 == bounds.0 || bounds.1 == end,
            bounds.2 == bounds.1 || bounds.2 == end
        {
            below -= 1
            bounds = quarters(first, end, below)
        }
        let child = nodeCount
        var children = 0
        let (one, two, three) = bounds
        if one > first { children += 1 }
        if two > one { children += 1 }
        if three > two { children += 1 }
        if end > three { children += 1 }
        guard children > 1 else {
            addGroups(first: first, end: end)
            return
        }
        nodeCount += children
        unsafe nodes.pointer[node].child = Int32(truncatingIfNeeded: child)
        unsafe nodes.pointer[node].children = Int32(truncatingIfNeeded: children)
        var next = child
        if one > first { fill(next, first: first, end: one, level: below - 1); next += 1 }
        if two > one { fill(next, first: one, end: two, level: below - 1); next += 1 }
        if three > two { fill(next, first: two, end: three, level: below - 1); next += 1 }
        if end > three { fill(next, first: three, end: end, level: below - 1) }
    }

    /// The ends of the first three quarters of a square.
    private func quarters(_ first: Int, _ end: Int, _ level: Int) -> (Int, Int, Int) {
        let shift = UInt64(32 + 2 * level)
        let two = lowerBound(first, end, shift, 2)
        return (lowerBound(first, two, shift, 1), two, lowerBound(two, end, shift, 3))
    }

    /// The first sorted position whose quarter is at least `quarter`.
    private func lowerBound(_ first: Int, _ end: Int, _ shift: UInt64, _ quarter: UInt64) -> Int {
        var low = first
        var high = end
        while low < high {
            let middle = (low + high) >> 1
            if unsafe (keys.pointer[middle] >> shift) & 3 < quarter {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private func addGroups(first: Int, end: Int) {
        var start = first
        while start < end {
            unsafe groups.pointer[groupCount] = Int32(truncatingIfNeeded: start)
            groupCount += 1
            start += Self.leaf
        }
    }
}

/// The output arrays of the sums, indexed by cell.
@unsafe struct PushTarget {
    /// The x component of the push on each cell.
    var x: UnsafeMutablePointer<Double>?
    /// The y component.
    var y: UnsafeMutablePointer<Double>?
    /// The sum of 1 / distance for each cell, if requested.
    var potential: UnsafeMutablePointer<Double>?
}
