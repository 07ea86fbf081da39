import Testing

@testable import Layouts

/// The sums themselves: kernels, tree and threads.
@Suite struct PushSumTests {
    /// Typical arrangements of cells, for a seed.
    enum Cloud: String, CaseIterable {
        case uniform, resting, clustered, twoClusters, line
    }

    private func points(_ cloud: Cloud, _ count: Int, seed: UInt64) -> [Point] {
        var random = TestRandom(seed: seed)
        let radius = Sunflower.restingRadius(count)
        switch cloud {
        case .uniform: return (0..<count).map { _ in random.point(within: radius) }
        case .resting:
            return (0..<count).map {
                let point = Sunflower.point($0, of: count)
                return Point(x: point.x * radius, y: point.y * radius)
            }
        case .clustered:
            // All but one at a spot that is one leaf of the tree.
            return (0..<count).map {
                let point = random.point(within: 1e-5 * radius)
                return $0 == 0 ? Point(x: radius, y: -radius) : point
            }
        case .twoClusters:
            return (0..<count).map {
                let point = random.point(within: 0.01 * radius)
                return Point(x: point.x + ($0 % 2 == 0 ? radius : -radius), y: point.y)
            }
        case .line:
            return (0..<count).map { _ in
                Point(x: .random(in: -radius...radius, using: &random), y: 3)
            }
        }
    }

    private func solver(_ points: [Point], threads: Int = 1, instructions: Int32? = nil)
        -> ForceSolver
    {
        let solver =
            instructions.map { ForceSolver(threads: threads, instructions: $0) }
            ?? ForceSolver(threads: threads)
        for point in points { solver.append(point) }
        return solver
    }

    private func pushes(_ solver: ForceSolver, theta: Float?, exactly: Bool = false) -> [Force] {
        solver.addPush(theta: theta, exactly: exactly)
        return (0..<solver.count).map {
            // The arrays hold all cells.
            unsafe Force(solver.forceX.pointer[$0], solver.forceY.pointer[$0])
        }
    }

    /// Root mean square and greatest difference, relative to the root mean square of the exact pushes.
    private func errors(_ some: [Force], _ exact: [Force]) -> (mean: Double, greatest: Double) {
        var square = 0.0
        var size = 0.0
        var greatest = 0.0
        for (one, other) in zip(some, exact) {
            let difference = Force(one.dx - other.dx, one.dy - other.dy).magnitude
            square += difference * difference
            greatest = max(greatest, difference)
            size += other.magnitude * other.magnitude
        }
        let count = Double(exact.count)
        return (
            (square / size).squareRoot(), greatest / (size / count).squareRoot()
        )
    }

    @Test("The exact sum is that of the formula", arguments: Cloud.allCases)
    func exactSum(cloud: Cloud) {
        let points = points(cloud, 75, seed: 1)
        let field = ForceField(center: .zero, stiffness: 0, charge: 1)
        let exact = pushes(solver(points), theta: nil, exactly: true)
        for index in points.indices {
            var sum = Force.zero
            for other in points.indices where other != index {
                let dx = points[index].x - points[other].x
                let dy = points[index].y - points[other].y
                let square = dx * dx + dy * dy
                let cube = square * square.squareRoot()
                sum = sum + Force(dx / cube, dy / cube)
            }
            let difference = Force(exact[index].dx - sum.dx, exact[index].dy - sum.dy)
            #expect(difference.magnitude <= 1e-10 * sum.magnitude, "cell \(index)")
        }
        #expect(field.attraction(on: points[0]).magnitude == 0)
    }

    @Test("The exact pushes of all cells cancel to ten digits", arguments: Cloud.allCases)
    func exactMomentum(cloud: Cloud) {
        let exact = pushes(solver(points(cloud, 1_000, seed: 2)), theta: nil, exactly: true)
        let sum = exact.reduce(.zero, +).magnitude
        #expect(sum <= 1e-10 * exact.reduce(0) { $0 + $1.magnitude })
    }

    @Test("The direct sum of groups is the exact one to four digits", arguments: Cloud.allCases)
    func directSum(cloud: Cloud) {
        let solver = solver(points(cloud, 1_500, seed: 3))
        let exact = pushes(solver, theta: nil, exactly: true)
        let (mean, greatest) = errors(pushes(solver, theta: 0), exact)
        #expect(mean < 1e-4)
        #expect(greatest < 1e-3)
    }

    @Test(
        "The tree's pushes are within their bounds, and cancel to five digits",
        arguments: Cloud.allCases, [0.5, 0.7] as [Float])
    func tree(cloud: Cloud, theta: Float) {
        let solver = solver(points(cloud, 3_000, seed: 4))
        let exact = pushes(solver, theta: nil, exactly: true)
        let byTree = pushes(solver, theta: theta)
        let (mean, greatest) = errors(byTree, exact)
        #expect(mean <= (theta == 0.7 ? 1e-3 : 3e-4))
        #expect(greatest <= 5e-3)
        let sum = byTree.reduce(.zero, +).magnitude
        #expect(sum <= 1e-5 * byTree.reduce(0) { $0 + $1.magnitude })
    }

    /// The others' push on each cell, after a tick's forces have been computed.
    private func measured(_ solver: ForceSolver) -> [Force] {
        solver.measure()
        return (0..<solver.count).map {
            Force(solver.force($0).dx + solver[$0].x, solver.force($0).dy + solver[$0].y)
        }
    }

    private func exact(_ solver: ForceSolver) -> [Force] {
        pushes(
            self.solver((0..<solver.count).map { solver[$0] }), theta: nil, exactly: true)
    }

    @Test("While cells move, pushes by the lists of earlier ticks are within the tree's bounds")
    func movingCells() {
        for cloud in [Cloud.uniform, .resting, .twoClusters] {
            let solver = solver(points(cloud, 3_000, seed: 8))
            solver.restart()
            var byLists = 0
            for tick in 0..<30 {
                let before = solver.sumsLeft
                let (mean, greatest) = errors(measured(solver), exact(solver))
                if solver.sumsLeft < before { byLists += 1 }
                #expect(mean <= 1e-3, "\(cloud), tick \(tick)")
                #expect(greatest <= 5e-3, "\(cloud), tick \(tick)")
                solver.advance()
            }
            // In a cloud, some small squares outgrow their spots with each tick.
            #expect(cloud != .resting || byLists >= 15, "\(cloud)")
        }
    }

    @Test("A moved, inserted or removed cell rebuilds the lists")
    func listsEnd() {
        let changes: [(String, (ForceSolver) -> Void)] = [
            ("put", { $0[17] = Point(x: -$0[17].x, y: -$0[17].y) }),
            ("come", { $0.append(Point(x: 0.1, y: 0.1)) }),
            ("go", { $0.remove(17) }),
            ("turned", { $0.move { Point(x: $0.y, y: -$0.x) } }),
            ("energy", { _ = $0.energy() }),
        ]
        for (name, change) in changes {
            let solver = solver(points(.resting, 3_000, seed: 9))
            solver.restart()
            for _ in 0..<2 {
                solver.measure()
                solver.advance()
            }
            #expect(solver.sumsLeft > 0, "\(name)")
            change(solver)
            #expect(solver.sumsLeft == 0, "\(name)")
            let (mean, greatest) = errors(measured(solver), exact(solver))
            #expect(mean <= 1e-3, "\(name)")
            #expect(greatest <= 5e-3, "\(name)")
        }
    }

    @Test("Pushes by lists have the same bits with all instruction sets and numbers of threads")
    func sameBitsByLists() {
        let points = points(.resting, 3_000, seed: 10)
        func forces(_ threads: Int, _ instructions: Int32) -> [Force] {
            let solver = solver(points, threads: threads, instructions: instructions)
            solver.restart()
            for _ in 0..<4 {
                solver.measure()
                solver.advance()
            }
            #expect(solver.sumsLeft > 0)
            return measured(solver)
        }
        let first = forces(1, 0)
        for instructions in 0...ForceSolver(threads: 1).instructions {
            for threads in 1...3 {
                #expect(
                    forces(threads, instructions) == first,
                    "set \(instructions), \(threads) threads")
            }
        }
    }

    @Test("The energy by the tree is the exact one to four digits")
    func treeEnergy() throws {
        let solver = solver(points(.resting, 3_000, seed: 5))
        let byTree = solver.energy()
        solver.addPotential(theta: nil, exactly: true)
        var pairs = 0.0
        for cell in 0..<solver.count { pairs += 0.5 * solver.potential(of: cell) }
        #expect(abs(byTree.pairs / pairs - 1) < 1e-4)
    }

    @Test(
        "All instruction sets, and all numbers of threads, give the same bits",
        arguments: [100, 1_500, 3_000])
    func sameBits(count: Int) {
        let points = points(.uniform, count, seed: 6)
        let first = pushes(solver(points, instructions: 0), theta: nil)
        let best = ForceSolver(threads: 1).instructions
        for instructions in 0...best {
            for threads in 1...3 {
                let other = pushes(
                    solver(points, threads: threads, instructions: instructions), theta: nil)
                #expect(other == first, "set \(instructions), \(threads) threads")
            }
        }
    }

    @Test(
        "Every cell is in one group, groups are small, and squares contain their children's cells")
    func shape() {
        for cloud in Cloud.allCases {
            let points = points(cloud, 3_000, seed: 7)
            let solver = solver(points)
            let tree = ForceTree()
            // The solver's arrays are not reallocated.
            unsafe tree.build(x: solver.x.pointer, y: solver.y.pointer, count: 3_000, theta: 0.7)
            for square in 0..<tree.nodeCount { tree.computeMoments(square) }
            tree.checkInvariants()
        }
    }

    @Test("Cells in one position do not push each other, and no result is NaN")
    func coincident() {
        let places = [Point](repeating: Point(x: 1, y: 2), count: 2_500)
        let solver = solver(places)
        for theta in [nil, 0, 0.7] as [Float?] {
            let pushes = pushes(solver, theta: theta)
            // Not zero: the padding of the last lanes is far away, but not infinitely.
            #expect(pushes.allSatisfy { $0.magnitude < 1e-15 })
        }
        let exact = pushes(solver, theta: nil, exactly: true)
        #expect(exact.allSatisfy { $0.magnitude < 1e-100 })
    }

    @Test("No scale from 1e-6 to 1e12 produces NaN or infinity")
    func scales() {
        for scale in [1e-6, 1, 1e6, 1e12] {
            var random = TestRandom(seed: 8)
            let places = (0..<2_500).map { _ in random.point(within: scale) }
            let solver = solver(places)
            for theta in [nil, 0, 0.7] as [Float?] {
                let pushes = pushes(solver, theta: theta)
                #expect(pushes.allSatisfy { $0.dx.isFinite && $0.dy.isFinite }, "scale \(scale)")
            }
        }
    }
}
