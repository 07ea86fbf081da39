internal import CLayoutKernels

// All pointers here point into arrays of the tree, which is not rebuilt meanwhile, or of the worker's
// own list, and both outlive this value, which is on the stack of `ForceTree.work`. Positions are below
// the cell count, nodes below the node count, and the lists are flushed when they are full. The fields
// are copies so that the loops access no object.

/// The push on the cells of a group, one group at a time.
@unsafe struct GroupSum {
    private let nodes: UnsafePointer<TreeNode>
    private let x, y: UnsafePointer<Double>
    private let keys: UnsafePointer<UInt64>
    private let count: Int
    private let direct: Bool
    private let instructions: Int32
    private let near, squares, targets, sums, totals: UnsafeMutablePointer<Float>
    private let potential: UnsafeMutablePointer<Float>?
    private let stack: UnsafeMutablePointer<Int32>

    /// The group's centre, radius and size.
    private var centerX = 0.0
    private var centerY = 0.0
    private var radius: Float = 0
    private var size: Int32 = 0
    /// Whether some of its cells are too close together for the precision of floats relative to its
    /// centre.
    private var close = false
    private var nearCount = 0
    private var farCount = 0
    /// The group's lists in the tree: near cells and far squares.
    private let lists: GroupLists
    /// Whether there is room for them.
    private let isListing: Bool
    private var rangeCount = 0
    private var squareCount = 0
    private var ranges: UnsafeMutablePointer<Int32>
    private var indexes: UnsafeMutablePointer<Int32>

    init(_ tree: ForceTree, _ list: InteractionList, potential: Bool, instructions: Int32) {
        unsafe nodes = UnsafePointer(tree.nodes.pointer)
        unsafe x = UnsafePointer(tree.x.pointer)
        unsafe y = UnsafePointer(tree.y.pointer)
        unsafe keys = UnsafePointer(tree.keys.pointer)
        unsafe count = tree.count
        unsafe direct = tree.theta == 0
        unsafe self.instructions = instructions
        unsafe near = list.cells.pointer
        unsafe squares = list.squares.pointer
        unsafe targets = list.targets.pointer
        unsafe sums = list.sums.pointer
        unsafe totals = list.totals.pointer
        unsafe lists = tree.lists
        unsafe isListing = tree.isListing
        unsafe ranges = tree.lists.ranges
        unsafe indexes = tree.lists.squares
        unsafe self.potential = potential ? list.sums.pointer + 2 * InteractionList.part : nil
        unsafe stack = list.stack.pointer
    }

    /// Sums the push on the cells `first..<end` of a group, at most a leaf of them. The totals are in
    /// the list's array: x, y and the potential, a leaf's length apart.
    ///
    /// - Parameters:
    ///   - group: The group, whose lists in the tree are built or reused.
    ///   - first: Its first cell.
    ///   - end: The cell after its last.
    ///   - again: Whether to reuse the existing lists.
    mutating func add(group: Int, first: Int, end: Int, again: Bool) {
        unsafe begin(first, end)
        if unsafe isListing {
            unsafe ranges = lists.ranges + 2 * ForceTree.maxRanges * group
            unsafe indexes = lists.squares + ForceTree.maxSquares * group
        }
        if unsafe direct {
            unsafe addNear(0, count)
        } else if again {
            unsafe collectAgain(group)
        } else {
            unsafe collect()
            if unsafe isListing {
                unsafe lists.rangeCounts[group] = Int32(truncatingIfNeeded: rangeCount)
                unsafe lists.squareCounts[group] = Int32(truncatingIfNeeded: squareCount)
            }
        }
        unsafe flushNear()
        unsafe flushFar()
        for part in 0..<(unsafe potential == nil ? 2 : 3) {
            unsafe layout_add_lanes(
                instructions, sums + part * InteractionList.part, size,
                totals + part * ForceTree.leaf)
        }
    }

    private mutating func begin(_ first: Int, _ end: Int) {
        unsafe sums.update(
            repeating: 0, count: (potential == nil ? 2 : 3) * InteractionList.part)
        var sumX = 0.0
        var sumY = 0.0
        for place in first..<end {
            unsafe sumX += x[place]
            unsafe sumY += y[place]
        }
        unsafe centerX = sumX / Double(end - first)
        unsafe centerY = sumY / Double(end - first)
        var square: Float = 0
        for place in first..<end {
            let dx = unsafe Float(x[place] - centerX)
            let dy = unsafe Float(y[place] - centerY)
            unsafe targets[place - first] = dx
            unsafe targets[ForceTree.leaf + place - first] = dy
            unsafe targets[2 * ForceTree.leaf + place - first] =
                Float(x[place] - centerX - Double(dx))
            unsafe targets[3 * ForceTree.leaf + place - first] =
                Float(y[place] - centerY - Double(dy))
            square = max(square, dx * dx + dy * dy)
        }
        unsafe radius = square.squareRoot()
        unsafe size = Int32(truncatingIfNeeded: end - first)
        unsafe close = hasClosePair(max(first, 1), min(end + 1, count), within: 1e-3 * radius)
    }

    /// Whether some sorted cell of `first..<end` is this close to the one before it, or in the same
    /// square of the finest grid. A close pair that is not adjacent in the order is missed.
    private func hasClosePair(_ first: Int, _ end: Int, within distance: Float) -> Bool {
        let square = Double(distance) * Double(distance)
        for place in stride(from: first, to: end, by: 1) {
            let dx = unsafe x[place] - x[place - 1]
            let dy = unsafe y[place] - y[place - 1]
            if dx * dx + dy * dy <= square { return true }
            if unsafe (keys[place] ^ keys[place - 1]) >> 32 == 0 { return true }
        }
        return false
    }

    /// Walks down the tree: far squares go to the list as they are, leaves cell by cell.
    private mutating func collect() {
        unsafe rangeCount = isListing ? 0 : -1
        unsafe squareCount = rangeCount
        unsafe stack[0] = 0
        var depth = 1
        while depth > 0 {
            depth -= 1
            let node = unsafe nodes + Int(stack[depth])
            let dx = unsafe Float(node.pointee.x - centerX)
            let dy = unsafe Float(node.pointee.y - centerY)
            let bound = unsafe radius + node.pointee.reach
            if dx * dx + dy * dy > bound * bound, unsafe node.pointee.mass > 1 {
                unsafe addFar(node, dx, dy)
                unsafe keepSquare(stack[depth])
            } else if unsafe node.pointee.children > 0 {
                let child = unsafe node.pointee.child
                for index in 0..<(unsafe node.pointee.children) {
                    unsafe stack[depth] = child &+ index
                    depth &+= 1
                }
            } else {
                unsafe keepRange(node.pointee.first, node.pointee.end)
                unsafe addNear(Int(node.pointee.first), Int(node.pointee.end))
            }
        }
    }

    /// Collects the sources from the tree's stored lists.
    private mutating func collectAgain(_ group: Int) {
        unsafe farCount = Int(lists.squareCounts[group])
        unsafe layout_take_squares(
            instructions, nodes, indexes, Int32(truncatingIfNeeded: farCount), centerX, centerY,
            squares, Int32(InteractionList.far))
        for index in 0..<Int(unsafe lists.rangeCounts[group]) {
            unsafe addNear(Int(ranges[2 * index]), Int(ranges[2 * index + 1]))
        }
    }

    @inline(__always)
    private mutating func addFar(_ node: UnsafePointer<TreeNode>, _ dx: Float, _ dy: Float) {
        let far = InteractionList.far
        let place = unsafe squares + farCount
        unsafe place[0] = dx
        unsafe place[far] = dy
        unsafe place[2 * far] = node.pointee.mass
        unsafe place[3 * far] = node.pointee.xx
        unsafe place[4 * far] = node.pointee.xy
        unsafe place[5 * far] = node.pointee.yy
        unsafe farCount &+= 1
        if unsafe farCount == far { unsafe flushFar() }
    }

    @inline(__always)
    private mutating func keepSquare(_ index: Int32) {
        guard unsafe squareCount >= 0 else { return }
        if unsafe squareCount < ForceTree.maxSquares {
            unsafe indexes[squareCount] = index
            unsafe squareCount &+= 1
        } else {
            unsafe squareCount = -1
        }
    }

    /// Leaves are visited in descending order; adjacent ones are joined to one range.
    @inline(__always)
    private mutating func keepRange(_ first: Int32, _ end: Int32) {
        guard unsafe rangeCount >= 0 else { return }
        if unsafe rangeCount > 0, unsafe ranges[2 * rangeCount - 2] == end {
            unsafe ranges[2 * rangeCount - 2] = first
        } else if unsafe rangeCount < ForceTree.maxRanges {
            unsafe ranges[2 * rangeCount] = first
            unsafe ranges[2 * rangeCount + 1] = end
            unsafe rangeCount &+= 1
        } else {
            unsafe rangeCount = -1
        }
    }

    private mutating func addNear(_ first: Int, _ end: Int) {
        var place = first
        while place < end {
            let piece = unsafe min(end - place, InteractionList.near - nearCount)
            let toX = unsafe near + nearCount
            let toY = unsafe toX + InteractionList.near
            let fromX = unsafe x + place
            let fromY = unsafe y + place
            let (centerX, centerY) = unsafe (centerX, centerY)
            if unsafe piece >= Self.manyOffsets {
                unsafe layout_offsets(instructions, fromX, Int32(piece), centerX, toX)
                unsafe layout_offsets(instructions, fromY, Int32(piece), centerY, toY)
            } else {
                for index in 0..<piece {
                    unsafe toX[index] = Float(fromX[index] - centerX)
                    unsafe toY[index] = Float(fromY[index] - centerY)
                }
            }
            if unsafe close {
                for index in 0..<piece {
                    unsafe toX[2 * InteractionList.near + index] =
                        Float(fromX[index] - centerX - Double(toX[index]))
                    unsafe toY[2 * InteractionList.near + index] =
                        Float(fromY[index] - centerY - Double(toY[index]))
                }
            }
            unsafe nearCount &+= piece
            place += piece
            if unsafe nearCount == InteractionList.near { unsafe flushNear() }
        }
    }

    private mutating func flushNear() {
        guard unsafe nearCount > 0 else { return }
        let length = InteractionList.near
        while unsafe nearCount % InteractionList.lanes != 0 {
            unsafe near[nearCount] = Self.farAway
            for part in 1..<4 { unsafe near[part * length + nearCount] = 0 }
            unsafe nearCount += 1
        }
        let targetY = unsafe targets + ForceTree.leaf
        let sumsY = unsafe sums + InteractionList.part
        if unsafe close && potential == nil {
            unsafe layout_push_of_close_cells(
                instructions, near, near + length, near + 2 * length, near + 3 * length,
                Int32(nearCount), targets, targetY, targetY + ForceTree.leaf,
                targetY + 2 * ForceTree.leaf, size, sums, sumsY)
        } else {
            unsafe layout_push_of_cells(
                instructions, near, near + length, Int32(nearCount), targets, targetY, size,
                sums, sumsY, potential)
        }
        unsafe nearCount = 0
    }

    private mutating func flushFar() {
        guard unsafe farCount > 0 else { return }
        let far = InteractionList.far
        while unsafe farCount % InteractionList.lanes != 0 {
            unsafe squares[farCount] = Self.farAway
            for part in 1..<6 { unsafe squares[part * far + farCount] = 0 }
            unsafe farCount += 1
        }
        unsafe layout_push_of_groups(
            instructions, squares, squares + far, squares + 2 * far, squares + 3 * far,
            squares + 4 * far, squares + 5 * far, Int32(farCount),
            targets, targets + ForceTree.leaf, size, sums, sums + InteractionList.part, potential)
        unsafe farCount = 0
    }

    /// The number of cells from which a call of the kernel is worthwhile.
    private static let manyOffsets = 64
    /// The coordinate of the padding in the last lanes.
    private static let farAway: Float = 1e11
}
