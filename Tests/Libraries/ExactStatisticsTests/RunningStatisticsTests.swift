import ExactStatistics
import TestSupport
import Testing

@Suite struct RunningStatisticsTests {
    @Test(
        "what comes and goes at random has the statistics of what is there, after each step",
        arguments: [3, 200, Int.max])
    func randomChanges(range: Int) {
        withSeed { random in
            var left: [Int] = []
            var running = RunningStatistics<Int>()
            for step in 0..<1_200 {
                // Now more come, now more go; and often the extremes.
                let grows = step / 200 % 2 == 0
                if left.isEmpty || random.chance(grows ? 0.7 : 0.3) {
                    let value = Int.random(in: -(range / 2)...range / 2, using: &random)
                    left.append(value)
                    running.add(value)
                } else {
                    let index: Int
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: index = left.indices.min { left[$0] < left[$1] } ?? 0
                    case 1: index = left.indices.max { left[$0] < left[$1] } ?? 0
                    default: index = left.indices.randomElement(using: &random) ?? 0
                    }
                    running.remove(left.remove(at: index))
                }
                running.checkInvariants()
                #expect(running.summary == Statistics(left), "seed \(random.seed), step \(step)")
                if running.summary != Statistics(left) { return }
            }
        }
    }

    @Test("a value that keeps changing in the middle takes no more and more memory")
    func sweeping() {
        var extremes = RunningExtremes<Int>()
        for value in 0..<100 { extremes.add(value) }
        for step in 0..<2_000 {
            extremes.add(20 + step % 60)
            extremes.remove(20 + step % 60)
            // That what waits to go is at most as much as what is there is one of these.
            if step.isMultiple(of: 7) { extremes.checkInvariants() }
        }
        #expect(extremes.summary == Extremes(0..<100))
        #expect(extremes.count == 100)
    }

    @Test("equal values go one at a time")
    func equalValues() {
        var extremes = RunningExtremes<Int>()
        for value in [5, 1, 9, 9] { extremes.add(value) }
        extremes.remove(9)
        #expect(extremes.greatest == 9)
        extremes.remove(9)
        #expect(extremes.greatest == 5 && extremes.least == 1)
        extremes.remove(1)
        extremes.remove(5)
        #expect(extremes.greatest == nil && extremes.least == nil && extremes.count == 0)
    }

    @Test("what compares with nothing is left out, coming and going")
    func unordered() {
        var extremes = RunningExtremes<Double>()
        for value in [.nan, 2, 1, -0.0] { extremes.add(value) }
        extremes.remove(.nan)
        #expect(extremes.least == 0 && extremes.greatest == 2 && extremes.count == 3)
    }

    @Test("joined statistics are those of all numbers, and of none there are none")
    func statistics() {
        let all = Statistics(ExactMeanTests.large)
        var joined = Statistics(ExactMeanTests.large.prefix(7))
        joined.merge(Statistics(ExactMeanTests.large.dropFirst(7)))
        #expect(joined == all)
        #expect(all.count == 20 && all.sum.decimal == "104431553833601057431")
        #expect(all.least == 14_130_533_330_426_236)
        let none = Statistics<UInt8>()
        #expect(none.count == 0 && none.sum.wide == 0)
        #expect(none.mean.rounded == nil && none.least == nil && none.greatest == nil)
    }

    @Test("taking out of nothing is refused")
    func removeFromNothing() async {
        await #expect(processExitsWith: .failure) {
            var extremes = RunningExtremes<Int>()
            extremes.add(1)
            extremes.remove(1)
            extremes.remove(1)
        }
    }
}
