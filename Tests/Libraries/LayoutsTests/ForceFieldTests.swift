import Testing

@testable import Layouts

@Suite struct ForceFieldTests {
    @Test("Forces add up, and have an angle and a magnitude")
    func forces() {
        let force = Force(3, 4)
        #expect(force + Force(-1, 2) == Force(2, 6))
        #expect(force.magnitude == 5)
        #expect(Force(0, 2).angle == .pi / 2)
        #expect(Force(-1, 0).angle == .pi)
        #expect(Force.zero.angle == 0)
        #expect(Force.zero.magnitude == 0)
    }

    @Test(
        "The spring pulls by stiffness times distance, and two cells push by charge cubed over distance squared"
    )
    func laws() {
        let field = ForceField(center: Point(x: 10, y: 20), stiffness: 0.5, charge: 2)
        #expect(field.attraction(on: Point(x: 14, y: 17)) == Force(-2, 1.5))
        #expect(field.repulsion(on: Point(x: 0, y: 4), from: .zero) == Force(0, 0.5))
        #expect(field.repulsion(on: .zero, from: Point(x: 2, y: 0)) == Force(-2, 0))
        #expect(field.repulsion(on: .zero, from: .zero) == .zero)
    }

    @Test("The simplest step moves every cell by the force on it, simultaneously")
    func step() {
        let field = ForceField(center: .zero)
        let before = [Point(x: 30, y: 0), Point(x: -10, y: 5), Point(x: 0, y: -40)]
        var points = before
        let movement = field.step(&points)
        var expected = 0.0
        for index in 0..<3 {
            let force = field.force(on: index, among: before)
            expected += force.magnitude
            #expect(points[index].x == before[index].x + force.dx)
            #expect(points[index].y == before[index].y + force.dy)
        }
        #expect(abs(movement - expected) < 1e-9)
    }

    @Test("The simplest step brings ten cells to rest with the default numbers")
    func stepRests() {
        var random = TestRandom(seed: 4)
        let field = ForceField(center: .zero)
        var points = (0..<10).map { _ in random.point(within: 200) }
        var steps = 0
        while field.step(&points) > 0.3, steps < 2_000 { steps += 1 }
        #expect(steps < 2_000)
        let (springs, pairs) = field.energy(of: points)
        #expect(abs(pairs / springs - 2) < 0.05)
    }

    @Test("The simplest step never produces NaN or infinity, even when it diverges")
    func stepStaysFinite() {
        let field = ForceField(center: Point(x: 500, y: 500), stiffness: 1, charge: 500)
        var random = TestRandom(seed: 5)
        var points = (0..<10).map { _ in random.point(within: 500) }
        points[3] = points[2]
        points[4] = field.center
        for _ in 0..<50 {
            let movement = field.step(&points)
            #expect(movement.isFinite)
            for point in points { #expect(point.x.isFinite && point.y.isFinite) }
        }
    }

    @Test("Cells in one position separate, each time in the same way")
    func coincident() {
        let field = ForceField(center: .zero)
        var one = [Point](repeating: Point(x: 3, y: 3), count: 4)
        var other = one
        _ = field.step(&one)
        _ = field.step(&other)
        #expect(one == other)
        for index in 0..<4 {
            for second in 0..<index { #expect(one[index] != one[second]) }
        }
    }

    @Test("The layout's field is the one that its solver uses")
    func agreesWithSolver() throws {
        let layout = try layout(40) {
            $0.start = .random
            $0.stiffness = 0.3
            $0.charge = .fixed(25)
        }
        layout.tick()
        let engine = layout.engine
        engine.solver.measure()
        let centers = (0..<40).map { engine.center($0) }
        for cell in 0..<40 {
            let force = layout.field.force(on: cell, among: centers)
            let scale = 0.3 * engine.unit
            // The arrays hold all cells.
            let dx = unsafe engine.solver.forceX.pointer[cell] * scale
            let dy = unsafe engine.solver.forceY.pointer[cell] * scale
            #expect(abs(dx - force.dx) < 1e-9 * (1 + force.magnitude))
            #expect(abs(dy - force.dy) < 1e-9 * (1 + force.magnitude))
        }
        let force = engine.solver.force(3)
        let (springs, pairs) = layout.energy
        #expect(engine.solver.force(3) == force)
        let plain = layout.field.energy(of: centers)
        #expect(abs(springs / plain.springs - 1) < 1e-12)
        #expect(abs(pairs / plain.pairs - 1) < 1e-12)
    }
}
