// Separates overlapping cells of equal size, one pair at a time, along the axis of least overlap, each
// by half of it: position-based dynamics (Müller et al., 2007), without the dynamics. A hash table of
// squares as wide and high as a cell finds the candidates; a distant cell costs no memory. Pairs are
// processed in the order of the cells, so the result is deterministic.

extension ForceSolver {
    /// Separates overlapping cells in one pass.
    ///
    /// - Parameters:
    ///   - width: The width of each cell.
    ///   - height: The height of each cell.
    /// - Returns: The number of pairs that overlapped when they were visited, and the sum of the
    ///   distances moved.
    /// - Complexity: O(n) while few cells share a square.
    func partOverlaps(width: Double, height: Double) -> (pairs: Int, movement: Double) {
        guard count > 1, width > 0, height > 0 else { return (0, 0) }
        var slots = 64
        while slots < 2 * count { slots *= 2 }
        table.reserve(slots, keeping: 0)
        chain.reserve(count, keeping: 0)
        // `table` has `slots` entries and `chain` one for each cell; both contain cells or −1.
        unsafe table.pointer.update(repeating: -1, count: slots)
        var pairs = 0
        var movement = 0.0
        // In reverse, so that each chain runs from the first cell to the last.
        for cell in stride(from: count - 1, through: 0, by: -1) {
            let point = self[cell]
            let slot = Self.slot(
                Self.place(point.x, width), Self.place(point.y, height), slots)
            unsafe chain.pointer[cell] = table.pointer[slot]
            unsafe table.pointer[slot] = Int32(truncatingIfNeeded: cell)
        }
        for cell in 0..<count {
            let column = unsafe Self.place(x.pointer[cell], width)
            let row = unsafe Self.place(y.pointer[cell], height)
            for beside in -1...1 {
                for below in -1...1 {
                    var other = unsafe table.pointer[
                        Self.slot(column &+ beside, row &+ below, slots)]
                    while other >= 0 {
                        let index = Int(other)
                        if index > cell, part(cell, index, width, height, &movement) { pairs += 1 }
                        other = unsafe chain.pointer[index]
                    }
                }
            }
        }
        return (pairs, movement)
    }

    /// Separates two cells, if they overlap.
    private func part(
        _ one: Int, _ other: Int, _ width: Double, _ height: Double, _ movement: inout Double
    ) -> Bool {
        // Both indices are cells.
        let dx = unsafe x.pointer[other] - x.pointer[one]
        let dy = unsafe y.pointer[other] - y.pointer[one]
        let acrossX = width - abs(dx)
        let acrossY = height - abs(dy)
        guard acrossX > 1e-9 * width, acrossY > 1e-9 * height else { return false }
        if acrossX < acrossY {
            // A little more than needed, so that rounding does not make them overlap again.
            let share = 0.5 * (acrossX + 1e-6 * width)
            unsafe x.pointer[one] -= dx < 0 ? -share : share
            unsafe x.pointer[other] += dx < 0 ? -share : share
            movement += 2 * share
        } else {
            let share = 0.5 * (acrossY + 1e-6 * height)
            unsafe y.pointer[one] -= dy < 0 ? -share : share
            unsafe y.pointer[other] += dy < 0 ? -share : share
            movement += 2 * share
        }
        return true
    }

    private static func place(_ coordinate: Double, _ size: Double) -> Int {
        // Far beyond any window the squares coincide, which only costs time.
        Int(min(max((coordinate / size).rounded(.down), -1e15), 1e15))
    }

    private static func slot(_ column: Int, _ row: Int, _ slots: Int) -> Int {
        let mixed =
            UInt64(bitPattern: Int64(column)) &* 0x9E37_79B9_7F4A_7C15
            ^ UInt64(bitPattern: Int64(row)) &* 0xC2B2_AE3D_27D4_EB4F
        return Int(truncatingIfNeeded: (mixed ^ mixed >> 29) & UInt64(slots - 1))
    }
}
