internal import CLayoutKernels

/// The memory of one worker: the list of a group's sources, and the sums of its cells. When the list is
/// full, the kernel sums and clears it, so it always fits into the first-level cache.
@safe final class InteractionList {
    /// The number of near cells, and of far squares, summed at once.
    static let near = 1_024
    static let far = 512
    /// Running sums for each cell.
    static let lanes = Int(LAYOUT_LANES)
    /// The sums of one kind for all cells of a group.
    static let part = ForceTree.leaf * lanes

    /// x and y of the near cells, and their remainders beyond float precision.
    let cells = AlignedArray<Float>(capacity: 4 * InteractionList.near)
    let squares = AlignedArray<Float>(capacity: 6 * InteractionList.far)
    /// The same for the group's own cells.
    let targets = AlignedArray<Float>(capacity: 4 * ForceTree.leaf)
    let sums = AlignedArray<Float>(capacity: 3 * InteractionList.part)
    let totals = AlignedArray<Float>(capacity: 3 * ForceTree.leaf)
    let stack = AlignedArray<Int32>(capacity: 4 * (ForceTree.levels + 2))
}
