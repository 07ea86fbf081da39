import Layouts
import Testing

@Suite struct RestTests {
    @Test(
        "At rest the energy of the pairs is twice that of the springs, and the centroid is the centre",
        arguments: [2, 3, 17, 100, 600])
    func virial(count: Int) throws {
        let layout = try layout(count) { $0.stop = .residual(1e-4) }
        let start = layout.energy
        #expect(layout.run().finish == .rest)
        let (springs, pairs) = layout.energy
        #expect(abs(pairs / springs - 2) < 1e-3)
        #expect(springs + pairs <= start.springs + start.pairs)
        var sum = Force.zero
        for point in layout.centers(0..<count) { sum = sum + Force(point.x - 500, point.y - 500) }
        #expect(sum.magnitude / Double(count) < 1e-4 * layout.restingRadius)
    }

    @Test("One cell comes to rest in the centre", arguments: 0..<12 as Range<UInt64>)
    func single(seed: UInt64) throws {
        let layout = try layout(1) {
            $0.start = .random
            $0.seed = seed
        }
        #expect(layout.run().finish == .rest)
        let center = try #require(layout.center(of: 0))
        #expect(center.distance(to: Point(x: 500, y: 500)) < 0.05)
    }

    @Test("An empty layout is at rest after a tick, and reports it")
    func none() throws {
        let layout = try layout(0)
        var finishes = 0
        layout.layoutDidFinish = { _ in finishes += 1 }
        let tick = layout.tick()
        #expect(tick.finish == .rest)
        #expect(tick.movement == 0)
        #expect(finishes == 1)
        #expect(layout.contentSize == Size(width: 1000, height: 1000))
        #expect(layout.energy == (0, 0))
    }

    @Test(
        "It converges where the simplest iteration overflows, and for soft and stiff, weak and strong",
        arguments: [
            (1, 500), (1, 500), (1e-4, 1), (1e-4, 2000), (4, 1), (4, 2000), (1e9, 1e-3),
            (1e-9, 1e6),
        ] as [(Double, Double)], [2, 10, 100])
    func anyField(_ field: (stiffness: Double, charge: Double), count: Int) throws {
        for start in [ForceOptions.Start.random, .sunflower, .center, .border] {
            let layout = try layout(count) {
                $0.stiffness = field.stiffness
                $0.charge = .fixed(field.charge)
                $0.start = start
                $0.stop = .residual(1e-3)
            }
            let last = layout.run(atMost: 3_000)
            #expect(last.finish == .rest, "from \(start)")
            let (springs, pairs) = layout.energy
            #expect(abs(pairs / springs - 2) < 0.02, "from \(start)")
        }
    }

    @Test("In windows of all sizes, including empty ones, and at all starts, no frame is ever NaN")
    func finite() throws {
        for side in [0.0, 1e-3, 10, 1e4, 1e9] {
            for start in [
                ForceOptions.Start.center, .random, .border, .sunflower, .point(Point(x: 5, y: -5)),
            ] {
                for charge in [0, 1e-3, 10, 2000] {
                    let layout = try layout(7, side: side) {
                        $0.start = start
                        $0.charge = .fixed(charge)
                    }
                    for _ in 0..<60 {
                        let tick = layout.tick()
                        #expect(tick.movement.isFinite)
                        layout.forEachFrame { _, frame in
                            #expect(frame.origin.x.isFinite && frame.origin.y.isFinite)
                        }
                    }
                }
            }
        }
    }

    @Test("Without charge all cells move to the centre", arguments: [1, 2, 50])
    func noCharge(count: Int) throws {
        let layout = try layout(count) {
            $0.charge = .fixed(0)
            $0.start = .random
        }
        #expect(layout.run().finish == .rest)
        for point in layout.centers(0..<count) {
            #expect(point.distance(to: Point(x: 500, y: 500)) < 0.05)
        }
    }

    @Test(
        "The default threshold is reached, whichever way the forces are summed",
        arguments: [3, 200, 700, 2_200])
    func threshold(count: Int) throws {
        let layout = try layout(count)
        let last = layout.run()
        #expect(last.finish == .rest)
        if count <= 2_048 {
            #expect(last.movement <= 0.3)
            #expect(last.residual <= 1e-4)
        } else {
            #expect(last.residual <= 1e-3)
        }
        #expect(last.ticks < 3_000)
    }

    @Test("Cells at rest without charge separate when they get one")
    func chargedLater() throws {
        let layout = try layout(30) { $0.charge = .fixed(0) }
        layout.run()
        var options = layout.options
        options.charge = .fixed(10)
        options.stop = .residual(1e-4)
        try layout.setOptions(options)
        #expect(layout.run(atMost: 2_000).finish == .rest)
        #expect(abs(layout.reducedEnergy / 326.9195190494 - 1) < 2e-3)
    }

    @Test(
        "Cells that all start in one position come to rest like others", arguments: [2, 5, 60, 700])
    func coincident(count: Int) throws {
        let best = try layout(count) { $0.stop = .residual(1e-3) }
        best.run()
        for start in [ForceOptions.Start.center, .point(Point(x: 100, y: 900))] {
            let layout = try layout(count) {
                $0.start = start
                $0.stop = .residual(1e-3)
            }
            for center in layout.centers(0..<count) where start == .center {
                #expect(center == Point(x: 500, y: 500))
            }
            #expect(layout.run(atMost: 2_000).finish == .rest)
            #expect(layout.reducedEnergy < best.reducedEnergy * 1.02)
        }
    }

    @Test("Cells on a line, and one in the centre of a ring, leave it")
    func symmetric() throws {
        let line = try layout(0) { $0.stop = .residual(1e-5) }
        try line.insert(
            (0..<10).map { (item: $0, center: Point(x: 300 + 40 * Double($0), y: 500)) })
        #expect(line.run().finish == .rest)
        #expect(abs(line.reducedEnergy / 44.8494281489 - 1) < 1e-2)

        let ring = try layout(0) { $0.stop = .residual(1e-5) }
        try ring.insert([
            (0, Point(x: 500, y: 500)), (1, Point(x: 580, y: 500)), (2, Point(x: 460, y: 569.282)),
            (3, Point(x: 460, y: 430.718)),
        ])
        #expect(ring.run().finish == .rest)
        // Four cells rest only as a square.
        #expect(abs(ring.reducedEnergy / 7.3417824443 - 1) < 1e-6)
    }

    @Test("A thousand cells have the density and the energy of the limit of many")
    func continuum() throws {
        try checkContinuum(1_000, energy: 2e-3, spread: 0.385...0.40, decile: 0.07)
    }

    @Test("So do ten thousand cells, whose forces come from the tree")
    func continuumByTree() throws {
        try checkContinuum(10_000, energy: 5e-4, spread: 0.395...0.40, decile: 0.03)
    }

    private func checkContinuum(
        _ count: Int, energy: Double, spread: ClosedRange<Double>, decile: Double
    ) throws {
        let layout = try layout(count) { $0.stop = .residual(1e-3) }
        #expect(layout.run(atMost: 300).finish == .rest)
        let many = Double(count)
        let sixth = layout.rimForce / 0.02 / layout.charge / 1.3306700394914687
        let third = sixth / 3.6840314986403864  // ∛(1/0.02)
        let theory = 1.33877 * third * third - 1.09943 * third.squareRoot()
        #expect(abs(layout.reducedEnergy / many / theory - 1) < energy)
        var squares = 0.0
        var deciles = [Int](repeating: 0, count: 10)
        let radius = layout.restingRadius
        layout.forEachFrame { _, frame in
            let share = frame.center.distance(to: Point(x: 500, y: 500)) / radius
            squares += share * share
            if share < 1 { deciles[Int(share * 10)] += 1 }
        }
        #expect(spread.contains(squares / many))
        for index in 1..<8 {
            let inner = Double(index) / 10
            let outer = inner + 0.1
            func beyond(_ share: Double) -> Double {
                let rest = 1 - share * share
                return rest * rest.squareRoot()
            }
            let expected = many * (beyond(inner) - beyond(outer))
            #expect(abs(Double(deciles[index]) / expected - 1) < decile, "decile \(index)")
        }
    }
}
