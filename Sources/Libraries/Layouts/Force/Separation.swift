// Two cells in one position would stay there: neither is pushed aside. So would cells on one line, and a
// cell in the centre of a ring. Therefore, cells closer to each other than a thousandth of the neighbour
// distance at rest are spread on a small spiral, and every new cell is displaced by half a hundredth of
// that distance, in a direction given by its hash.

/// Separates cells in the same position.
enum Separation {
    /// Separates cells in the same position, and displaces new ones a little.
    ///
    /// - Parameters:
    ///   - cells: The new cells.
    ///   - solver: All cells.
    ///   - hashes: A stable hash for each cell.
    /// - Complexity: O(n), with a dictionary of all cells if more than a few are new.
    static func part(_ cells: [Int], in solver: ForceSolver, hashes: [UInt64]) {
        guard solver.count > 1, solver.repels, !cells.isEmpty else { return }
        let near = 1e-3 * solver.restingSpacing
        if cells.count <= Self.few {
            for cell in cells { spread(around: cell, solver, hashes, within: near) }
        } else {
            // Two cells closer than a third of a square's side are in one square of at least one of
            // three grids, each shifted by a third.
            for shift in 0..<3 {
                spread(solver, hashes, side: 3 * near, shift: Double(shift) * near)
            }
        }
        for cell in cells {
            let direction = Sunflower.direction(StableHash.mix(hashes[cell]) & 0xFFFF)
            let point = solver[cell]
            solver[cell] = Point(
                x: point.x + 5 * near * direction.x, y: point.y + 5 * near * direction.y)
        }
    }

    /// The number of new cells up to which each is compared with all others.
    private static let few = 16

    private static func spread(
        around cell: Int, _ solver: ForceSolver, _ hashes: [UInt64], within distance: Double
    ) {
        let middle = solver[cell]
        var together: [Int] = []
        for other in 0..<solver.count
        where solver[other].distance(to: middle) <= distance { together.append(other) }
        if together.count > 1 { spread(together, solver, hashes) }
    }

    /// Spreads cells on a spiral around the first of them.
    private static func spread(_ cells: [Int], _ solver: ForceSolver, _ hashes: [UInt64]) {
        let middle = solver[cells[0]]
        let radius = 0.3 * solver.restingSpacing * Double(cells.count).squareRoot()
        let turn = Sunflower.direction(hashes[cells[0]] & 0xFFFF)
        for (index, cell) in cells.enumerated() {
            let point = Sunflower.point(index, of: cells.count)
            solver[cell] = Point(
                x: middle.x + radius * (point.x * turn.x - point.y * turn.y),
                y: middle.y + radius * (point.x * turn.y + point.y * turn.x))
        }
    }

    private static func spread(
        _ solver: ForceSolver, _ hashes: [UInt64], side: Double, shift: Double
    ) {
        var squares: [Int: [Int]] = [:]
        squares.reserveCapacity(solver.count)
        for cell in 0..<solver.count {
            let point = solver[cell]
            let column = place(point.x + shift, side)
            let row = place(point.y + shift, side)
            // Distant squares with the same number are distinguished by distance below.
            let square = Int(
                truncatingIfNeeded: StableHash.mix(UInt64(bitPattern: column))
                    ^ UInt64(bitPattern: row))
            squares[square, default: []].append(cell)
        }
        // In the order of the first cell of each, independent of the dictionary.
        let crowded = squares.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
        for square in crowded {
            let middle = solver[square[0]]
            let together = square.filter { solver[$0].distance(to: middle) < 3 * side }
            if together.count > 1 { spread(together, solver, hashes) }
        }
    }

    private static func place(_ coordinate: Double, _ side: Double) -> Int64 {
        Int64(min(max((coordinate / side).rounded(.down), -1e18), 1e18))
    }
}
