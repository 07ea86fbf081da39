import ExactStatistics
import TestSupport
import Testing

@Suite struct RunningStatisticsTests {
    @Test(
        "random additions and removals have the statistics of the remaining numbers, after each step",
        arguments: [3, 200, Int.max])
    func randomChanges(range: Int) {
        withSeed { random in
            var left: [Int] = []
            var running = RunningStatistics<Int>()
            for step in 0..<1_200 {
                // Phases with more additions or more removals, often of the extremes.
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

    @Test("a value in the middle that keeps changing takes bounded memory")
    func sweeping() {
        var extremes = RunningExtremes<Int>()
        for value in 0..<100 { extremes.add(value) }
        for step in 0..<2_000 {
            extremes.add(20 + step % 60)
            extremes.remove(20 + step % 60)
            // One of these: removed values are at most as many as present ones.
            if step.isMultiple(of: 7) { extremes.checkInvariants() }
        }
        #expect(extremes.summary == Extremes(0..<100))
        #expect(extremes.count == 100)
    }

    @Test("equal values are removed one at a time")
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

    @Test("incomparable values are ignored by additions and removals")
    func unordered() {
        var extremes = RunningExtremes<Double>()
        for value in [.nan, 2, 1, -0.0] { extremes.add(value) }
        extremes.remove(.nan)
        #expect(extremes.least == 0 && extremes.greatest == 2 && extremes.count == 3)
    }

    @Test("merged statistics are those of all numbers; empty ones have none")
    func statistics() {
        let all = Statistics(ExactMeanTests.large)
        var joined = Statistics(ExactMeanTests.large.prefix(7))
        joined.merge(Statistics(ExactMeanTests.large.dropFirst(7)))
        #expect(joined == all)
        #expect(all.count == 20 && String(all.sum.wide) == "104431553833601057431")
        #expect(all.least == 14_130_533_330_426_236)
        let none = Statistics<UInt8>()
        #expect(none.count == 0 && none.sum.wide == 0)
        #expect(none.mean.rounded == nil && none.least == nil && none.greatest == nil)
    }

    @Test("a removal from an empty stream is refused")
    func removeFromNothing() async {
        await #expect(processExitsWith: .failure) {
            var extremes = RunningExtremes<Int>()
            extremes.add(1)
            extremes.remove(1)
            extremes.remove(1)
        }
    }
}
