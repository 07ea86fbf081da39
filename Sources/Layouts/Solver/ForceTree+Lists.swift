internal import CLayoutKernels
internal import Synchronization

/// The memory of one worker: the list of what pushes a group, and the sums of its cells. When the list
/// is full, the kernel adds it up and it begins anew, so it is never larger than the first cache.
@safe final class InteractionList {
    /// How many near cells, and far squares, are added up at once.
    static let near = 1_024
    static let far = 512

    var cells = AlignedArray<Float>(capacity: 2 * InteractionList.near)
    var squares = AlignedArray<Float>(capacity: 6 * InteractionList.far)
    var targets = AlignedArray<Float>(capacity: 2 * ForceTree.leaf)
    var sums = AlignedArray<Float>(
        capacity: 3 * ForceTree.leaf * Int(LAYOUT_LANES))
    var totals = AlignedArray<Float>(capacity: 3 * ForceTree.leaf)
    var stack = AlignedArray<Int32>(capacity: 4 * (ForceTree.levels + 2))
    var nearCount = 0
    var farCount = 0
}

// All pointers below are into arrays of the tree, which is not rebuilt meanwhile, or of the worker's
// own list. Places are below `count`, nodes below `nodeCount`, and the lists are emptied when full.
extension ForceTree {
    /// Takes groups until none is left.
    func work(_ list: InteractionList, instructions: Int32) {
        let stride = 4
        while true {
            let start = nextGroup.wrappingAdd(stride, ordering: .relaxed).oldValue
            guard start < groupCount else { return }
            for group in start..<min(start + stride, groupCount) {
                push(group, list, instructions)
            }
        }
    }

    private func push(_ group: Int, _ list: InteractionList, _ instructions: Int32) {
        let first = unsafe Int(groups.pointer[group])
        let end = unsafe Int(groups.pointer[group + 1])
        let size = end - first
        let sizes = GroupTargets(self, list, first: first, end: end)
        let lanes = Int(LAYOUT_LANES)
        let wantsPotential = unsafe target.potential != nil
        unsafe list.sums.pointer.update(
            repeating: 0, count: (wantsPotential ? 3 : 2) * Self.leaf * lanes)
        list.nearCount = 0
        list.farCount = 0
        if theta > 0 {
            collect(sizes, list, instructions)
        } else {
            addNear(0, count, sizes, list, instructions)
        }
        flushNear(sizes, list, instructions)
        flushFar(sizes, list, instructions)
        let totals = unsafe list.totals.pointer
        for part in 0..<(wantsPotential ? 3 : 2) {
            unsafe layout_add_lanes(
                instructions, list.sums.pointer + part * Self.leaf * lanes, Int32(size),
                totals + part * Self.leaf)
        }
        guard let pushX = unsafe target.x, let pushY = unsafe target.y else { return }
        for index in 0..<size {
            let cell = unsafe Int(order.pointer[first + index])
            unsafe pushX[cell] = Double(totals[index])
            unsafe pushY[cell] = Double(totals[Self.leaf + index])
            if let potential = unsafe target.potential {
                unsafe potential[cell] = Double(totals[2 * Self.leaf + index])
            }
        }
    }

    /// Walks down the tree: what is far goes on the list as it is, leaves cell by cell.
    private func collect(
        _ group: GroupTargets, _ list: InteractionList, _ instructions: Int32
    ) {
        let nodes = unsafe self.nodes.pointer
        let stack = unsafe list.stack.pointer
        let squares = unsafe list.squares.pointer
        let far = InteractionList.far
        unsafe stack[0] = 0
        var depth = 1
        while depth > 0 {
            depth -= 1
            let node = unsafe nodes + Int(stack[depth])
            let dx = unsafe Float(node.pointee.x - group.x)
            let dy = unsafe Float(node.pointee.y - group.y)
            let bound = unsafe group.radius + node.pointee.reach
            if dx * dx + dy * dy > bound * bound, unsafe node.pointee.mass > 1 {
                let place = unsafe squares + list.farCount
                unsafe place[0] = dx
                unsafe place[far] = dy
                unsafe place[2 * far] = node.pointee.mass
                unsafe place[3 * far] = node.pointee.xx
                unsafe place[4 * far] = node.pointee.xy
                unsafe place[5 * far] = node.pointee.yy
                list.farCount += 1
                if list.farCount == far { flushFar(group, list, instructions) }
            } else if unsafe node.pointee.children > 0 {
                let child = unsafe node.pointee.child
                for index in 0..<(unsafe node.pointee.children) {
                    unsafe stack[depth] = child &+ index
                    depth += 1
                }
            } else {
                unsafe addNear(
                    Int(node.pointee.first), Int(node.pointee.end), group, list, instructions)
            }
        }
    }

    private func addNear(
        _ first: Int, _ end: Int, _ group: GroupTargets, _ list: InteractionList,
        _ instructions: Int32
    ) {
        var place = first
        while place < end {
            let piece = min(end - place, InteractionList.near - list.nearCount)
            let toX = unsafe list.cells.pointer + list.nearCount
            let toY = unsafe toX + InteractionList.near
            let fromX = unsafe x.pointer + place
            let fromY = unsafe y.pointer + place
            for index in 0..<piece {
                unsafe toX[index] = Float(fromX[index] - group.x)
                unsafe toY[index] = Float(fromY[index] - group.y)
            }
            list.nearCount += piece
            place += piece
            if list.nearCount == InteractionList.near { flushNear(group, list, instructions) }
        }
    }

    private func flushNear(_ group: GroupTargets, _ list: InteractionList, _ instructions: Int32) {
        guard list.nearCount > 0 else { return }
        let lanes = Int(LAYOUT_LANES)
        let cells = unsafe list.cells.pointer
        while list.nearCount % lanes != 0 {
            unsafe cells[list.nearCount] = Self.farAway
            unsafe cells[InteractionList.near + list.nearCount] = 0
            list.nearCount += 1
        }
        let sums = unsafe list.sums.pointer
        let targets = unsafe list.targets.pointer
        let part = Self.leaf * lanes
        let potential = unsafe target.potential == nil ? nil : sums + 2 * part
        unsafe layout_push_of_cells(
            instructions, cells, cells + InteractionList.near, Int32(list.nearCount),
            targets, targets + Self.leaf, group.size, sums, sums + part,
            potential)
        list.nearCount = 0
    }

    private func flushFar(_ group: GroupTargets, _ list: InteractionList, _ instructions: Int32) {
        guard list.farCount > 0 else { return }
        let lanes = Int(LAYOUT_LANES)
        let far = InteractionList.far
        let squares = unsafe list.squares.pointer
        while list.farCount % lanes != 0 {
            unsafe squares[list.farCount] = Self.farAway
            for part in 1..<6 { unsafe squares[part * far + list.farCount] = 0 }
            list.farCount += 1
        }
        let sums = unsafe list.sums.pointer
        let targets = unsafe list.targets.pointer
        let part = Self.leaf * lanes
        let potential = unsafe target.potential == nil ? nil : sums + 2 * part
        unsafe layout_push_of_groups(
            instructions, squares, squares + far, squares + 2 * far, squares + 3 * far,
            squares + 4 * far, squares + 5 * far, Int32(list.farCount),
            targets, targets + Self.leaf, group.size, sums, sums + part,
            potential)
        list.farCount = 0
    }

    /// Where the places that fill up the last lanes are.
    private static let farAway: Float = 1e11
}

/// The cells of a group, from its centre.
private struct GroupTargets {
    let x, y: Double
    let radius: Float
    let size: Int32

    init(_ tree: borrowing ForceTree, _ list: InteractionList, first: Int, end: Int) {
        var sumX = 0.0
        var sumY = 0.0
        for place in first..<end {
            unsafe sumX += tree.x.pointer[place]
            unsafe sumY += tree.y.pointer[place]
        }
        x = sumX / Double(end - first)
        y = sumY / Double(end - first)
        var square: Float = 0
        let targets = unsafe list.targets.pointer
        for place in first..<end {
            let dx = unsafe Float(tree.x.pointer[place] - x)
            let dy = unsafe Float(tree.y.pointer[place] - y)
            unsafe targets[place - first] = dx
            unsafe targets[ForceTree.leaf + place - first] = dy
            square = max(square, dx * dx + dy * dy)
        }
        radius = square.squareRoot()
        size = Int32(end - first)
    }
}
