import CAllocations
import Glibc
import Layouts
import Measuring

/// A tick of 500 cells (exact), 1,000 and 2,000 (direct) and more (tree).
func measureTicks() throws -> Bool {
    for (count, ticks) in [(500, 200), (1_000, 200), (2_000, 100), (10_000, 40), (100_000, 12)] {
        for threads in 1...2 {
            let least = try leastTick(count, threads: threads, ticks: ticks)
            report("a tick of \(count) cells, \(threads) thread(s)", least.wall * 1e3, unit: "ms")
            if threads == 1 {
                report("    on the processor", least.thread * 1e3, unit: "ms")
            }
        }
    }
    return true
}

/// From the spiral until no movement is visible.
func measureRest() throws -> Bool {
    var good = true
    for (count, bound, runs) in [(1_000, 20.0, 10), (10_000, 250, 5), (100_000, 2_000, 2)] {
        for threads in 1...2 {
            var wall = Double.infinity
            var processor = Double.infinity
            var ticks = 0
            for _ in 0..<runs {
                let layout = try layout(count, threads: threads)
                let started = (Clock.wall.seconds, Clock.process.seconds)
                let last = layout.run()
                wall = min(wall, Clock.wall.seconds - started.0)
                processor = min(processor, Clock.process.seconds - started.1)
                ticks = last.ticks
                if last.finish != .rest {
                    print("\(count) cells did not come to rest FAILED")
                    good = false
                }
            }
            report(
                "\(count) cells to visible rest, \(threads) thread(s), \(ticks) ticks",
                wall * 1e3, unit: "ms", bound: threads == 2 ? bound : nil)
            report("    on all processors", processor * 1e3, unit: "ms")
        }
    }
    return good
}

/// Many cells at rest compared with the limit of infinitely many, and the tree with the sum of all pairs.
func checkLimit() throws -> Bool {
    var good = true
    for count in [10_000, 100_000] {
        let layout = try layout(count, threads: 2)
        layout.run()
        let many = Double(count)
        let (springs, pairs) = layout.energy
        let unit = layout.charge * layout.charge * cbrt(layout.options.stiffness / 2)
        let theory = 1.33877 * pow(many, 2.0 / 3) - 1.09943 * pow(many, 1.0 / 6)
        let energy = (springs + pairs) / unit / many
        good =
            check("\(count): energy beside the limit", abs(energy / theory - 1), atMost: 5e-4)
            && good
        good = check("\(count): virial, from 2", abs(pairs / springs - 2), atMost: 2e-3) && good
        let radius = layout.rimForce / layout.options.stiffness
        var squares = 0.0
        var x = 0.0
        var y = 0.0
        var deciles = [Double](repeating: 0, count: 10)
        layout.forEachFrame { _, frame in
            let share = frame.center.distance(to: layout.bounds.center) / radius
            squares += share * share
            x += frame.center.x - 500
            y += frame.center.y - 500
            if share < 1 { deciles[Int(share * 10)] += 1 }
        }
        good =
            check("\(count): ⟨r²⟩/R² from 0.3975", abs(squares / many - 0.3975), atMost: 2.5e-3)
            && good
        good = check("\(count): centroid, of R", hypot(x, y) / many / radius, atMost: 1e-4) && good
        var worst = 0.0
        for decile in 1..<8 {
            let inner = Double(decile) / 10
            let share = pow(1 - inner * inner, 1.5) - pow(1 - (inner + 0.1) * (inner + 0.1), 1.5)
            worst = max(worst, abs(deciles[decile] / many / share - 1))
        }
        good = check("\(count): density, deciles 2 to 8", worst, atMost: 0.03) && good
        good = checkTree(layout) && good
    }
    return good
}

/// The forces of a sample of cells at rest compared with the sum of all pairs in double precision.
private func checkTree(_ layout: ForceLayout<Int>) -> Bool {
    let points = layout.items.compactMap { layout.center(of: $0) }
    var square = 0.0
    var greatest = 0.0
    var size = 0.0
    let step = max(1, points.count / 400)
    var sample = 0.0
    for index in stride(from: 0, to: points.count, by: step) {
        guard let force = layout.force(on: layout.items[index]) else { continue }
        let exact = layout.field.force(on: index, among: points)
        let pull = layout.field.attraction(on: points[index])
        let push = Force(exact.dx - pull.dx, exact.dy - pull.dy).magnitude
        let difference = Force(force.dx - exact.dx, force.dy - exact.dy).magnitude
        square += difference * difference
        greatest = max(greatest, difference)
        size += push * push
        sample += 1
    }
    let good = check(
        "\(points.count): the tree's error, of the push", (square / size).squareRoot(), atMost: 1e-3
    )
    return check(
        "\(points.count): the greatest, of the mean push", greatest / (size / sample).squareRoot(),
        atMost: 5e-3)
        && good
}

/// A tick of any size allocates no memory, and neither does a pass over the frames.
func checkAllocations() throws -> Bool {
    let thresholds = Thresholds("layouts: force")
    for (count, threads) in [(100, 1), (1_000, 2), (5_000, 2)] {
        let layout = try layout(count, threads: threads) {
            $0.stop = .residual(0)
            $0.avoidOverlaps = false
        }
        layout.tick()
        layout.takeFrames { _, _ in }
        let before = allocation_count()
        for _ in 0..<20 {
            layout.tick()
            layout.takeFrames { _, _ in }
        }
        thresholds.hold(
            Double(allocation_count() - before) / 20,
            "allocations: a tick of \(count) cells, \(threads) thread(s)")
    }
    return thresholds.areKept()
}
