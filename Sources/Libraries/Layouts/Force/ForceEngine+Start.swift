extension ForceEngine {
    /// Moves a cell to the start position of the options.
    ///
    /// - Parameters:
    ///   - cell: The cell.
    ///   - batch: The cells that appear together with it.
    func moveToStartPosition(_ cell: Int, batch: Range<Int>) {
        let hash = hashes[cell]
        let middle = bounds.center
        switch options.start {
        case .sunflower:
            solver[cell] =
                batch.lowerBound == 0
                ? restPosition(cell, of: solver.count)
                : leastDisturbingPosition(cell, hash, batch: batch)
            if batch.lowerBound == 0 && solver.count == batch.count { return }
        case .random:
            place(
                cell,
                at: Point(
                    x: bounds.minX + bounds.size.width * StableHash.fraction(hash),
                    y: bounds.minY
                        + bounds.size.height * StableHash.fraction(StableHash.mix(hash))))
        case .center: place(cell, at: middle)
        case .border: place(cell, at: pointOnBorder(StableHash.fraction(hash)))
        case .point(let point): place(cell, at: point)
        }
        markAsCoinciding(cell)
    }

    /// The approximate position of one of many cells at rest.
    private func restPosition(_ index: Int, of count: Int) -> Point {
        let point = Sunflower.point(index, of: count)
        let radius = solver.restingRadius
        return Point(x: point.x * radius, y: point.y * radius)
    }

    /// The candidate position with the least energy.
    private func leastDisturbingPosition(_ cell: Int, _ hash: UInt64, batch: Range<Int>) -> Point {
        // Bounded, however many cells need a position at once.
        let tries = min(24, max(1, 250_000 / (max(cell, 1) * batch.count)))
        var best = Point.zero
        var least = Double.infinity
        var random = hash
        for _ in 0..<tries {
            random = StableHash.mix(random)
            let index = Int(random % UInt64(solver.count))
            let point = restPosition(index, of: solver.count)
            var energy = 0.5 * (point.x * point.x + point.y * point.y)
            if tries > 1, solver.repels {
                for other in 0..<solver.count where other != cell {
                    if batch.contains(other) && other > cell { continue }
                    energy += 1 / max(1e-6, point.distance(to: solver[other]))
                }
            }
            if energy < least {
                least = energy
                best = point
            }
        }
        return best
    }

    private func pointOnBorder(_ share: Double) -> Point {
        let size = bounds.size
        var along = share * 2 * (size.width + size.height)
        if along < size.width { return Point(x: bounds.minX + along, y: bounds.minY) }
        along -= size.width
        if along < size.height { return Point(x: bounds.maxX, y: bounds.minY + along) }
        along -= size.height
        if along < size.width { return Point(x: bounds.maxX - along, y: bounds.maxY) }
        return Point(x: bounds.minX, y: bounds.maxY - (along - size.width))
    }
}
