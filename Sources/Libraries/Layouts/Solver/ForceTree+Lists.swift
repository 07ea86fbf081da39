internal import CLayoutKernels
internal import Synchronization

// The moments of squares, and the interaction lists of groups while cells move. Indexes are of squares,
// groups and cells of the tree, whose arrays have room for them.

extension ForceTree {
    /// Whether a sum builds lists.
    var isListing: Bool { theta > 0 && groupCount <= Self.maxListedGroups }

    /// Reads the new coordinates of the cells, in the existing order. Afterwards, the moments of the
    /// squares have to be recomputed; then the groups can be summed by their existing lists.
    func follow(x cellX: UnsafePointer<Double>, y cellY: UnsafePointer<Double>) {
        for place in 0..<count {
            let cell = unsafe Int(order.pointer[place])
            unsafe x.pointer[place] = cellX[cell]
            unsafe y.pointer[place] = cellY[cell]
        }
    }

    /// Whether the last sum has built a list for each group.
    var hasLists: Bool {
        guard isListing else { return false }
        // There are two counts for each group.
        return (0..<groupCount).allSatisfy {
            unsafe rangeCounts.pointer[$0] >= 0 && squareCounts.pointer[$0] >= 0
        }
    }

    /// Computes the moments of a square.
    func computeMoments(_ index: Int) {
        let node = unsafe nodes.pointer + index
        let first = unsafe Int(node.pointee.first)
        let end = unsafe Int(node.pointee.end)
        var sumX = 0.0
        var sumY = 0.0
        for place in first..<end {
            unsafe sumX += x.pointer[place]
            unsafe sumY += y.pointer[place]
        }
        let mass = Double(end - first)
        let centerX = sumX / mass
        let centerY = sumY / mass
        var square = 0.0
        var xx = 0.0
        var xy = 0.0
        var yy = 0.0
        for place in first..<end {
            let dx = unsafe x.pointer[place] - centerX
            let dy = unsafe y.pointer[place] - centerY
            xx += dx * dx
            xy += dx * dy
            yy += dy * dy
            square = max(square, dx * dx + dy * dy)
        }
        let radius = Float(square.squareRoot())
        unsafe node.pointee.x = centerX
        unsafe node.pointee.y = centerY
        unsafe node.pointee.radius = radius
        unsafe node.pointee.reach = 2 * radius / theta
        unsafe node.pointee.mass = Float(mass)
        unsafe node.pointee.xx = Float(2 * xx - yy)
        unsafe node.pointee.xy = Float(3 * xy)
        unsafe node.pointee.yy = Float(2 * yy - xx)
    }

    /// Records the position of a square, for the lists that are built next.
    func recordSpot(_ index: Int) {
        // There is one spot per square, here and below.
        let node = unsafe nodes.pointer[index]
        unsafe listedSpots.pointer[index] = SquareSpot(x: node.x, y: node.y, radius: node.radius)
    }

    /// Recomputes the moments of a square, and checks whether it is close to its recorded position.
    func recomputeMoments(_ index: Int) {
        computeMoments(index)
        let spot = unsafe listedSpots.pointer[index]
        let node = unsafe nodes.pointer[index]
        // A square of a single cell is never far.
        guard node.mass > 1 else { return }
        let dx = Float(node.x - spot.x)
        let dy = Float(node.y - spot.y)
        let shift = (dx * dx + dy * dy).squareRoot() + max(0, node.radius - spot.radius)
        if shift > Self.maxShift * spot.radius { isOutgrown.store(true, ordering: .relaxed) }
    }
}

/// The recorded position of a square.
struct SquareSpot: BitwiseCopyable {
    var x, y: Double
    var radius: Float
}

/// The interaction lists of all groups.
@unsafe struct GroupLists {
    /// The first cell of each near range and the one after its last.
    var ranges: UnsafeMutablePointer<Int32>
    /// The far squares.
    var squares: UnsafeMutablePointer<Int32>
    /// The counts of each group; -1 if there is not enough room.
    var rangeCounts, squareCounts: UnsafeMutablePointer<Int32>
}
