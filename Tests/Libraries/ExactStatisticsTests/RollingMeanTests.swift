import ExactStatistics
import TestSupport
import Testing

/// The mean by halves and integer divisions, one number at a time, in the width of the numbers: the scheme
/// that this library replaces.
private func rollingMean(_ values: [Int64]) -> Int64 {
    guard let first = values.first else { return 0 }
    guard values.count > 1 else { return first }
    var mean = first / 2 + values[1] / 2
    for (index, value) in values.enumerated().dropFirst(2) {
        let depth = Int64(index)
        mean = (mean / 2 + value / 2 / depth) / (depth + 1) * depth * 2
    }
    return mean
}

@Suite struct RollingMeanTests {
    private let large = ExactMeanTests.large

    /// The distance of `mean` from the exact mean, times the count.
    private func error(_ mean: Int64, _ values: [Int64]) -> UInt128 {
        (Int128(mean) * Int128(values.count) - ExactMean(values).sum.wide).magnitude
    }

    @Test("of twenty large numbers, a rolling mean is off by 131.55, or by 169.55 in reverse order")
    func large20() {
        #expect(rollingMean(large) == 5_221_577_691_680_052_740)
        // Of 20 numbers: a twentieth of this.
        #expect(error(rollingMean(large), large) == 2631)
        #expect(error(rollingMean(large.sorted()), large) == 2631)
        #expect(error(rollingMean(large.sorted().reversed()), large) == 3391)
        for values in [large, large.sorted(), large.sorted().reversed()] {
            #expect(ExactMean(values).rounded == 5_221_577_691_680_052_872)
        }
    }

    @Test("for small numbers it is useless, where the exact mean is correct")
    func small() {
        #expect(rollingMean([1, 1, 1]) == 0)
        #expect(ExactMean<Int64>([1, 1, 1]).rounded == 1)
        let bytes = (0..<1000).map { Int64($0 % 256) }
        #expect(rollingMean(bytes) == 0)
        #expect(ExactMean(bytes).rounded == 125)
    }

    @Test("the exact mean is at least as close as a rolling one, for all kinds of lists")
    func random() throws {
        try withSeed { random in
            var worst: UInt128 = 0
            for _ in 0..<1_000 {
                let bits = Int64.random(in: 0..<63, using: &random)
                let values = (0..<Int.random(in: 1...50, using: &random)).map { _ in
                    Int64.random(
                        in: Int64.min >> bits...Int64.max >> bits, using: &random)
                }
                let exact = error(try #require(ExactMean(values).rounded), values)
                let rolling = error(rollingMean(values), values)
                #expect(exact <= rolling, "\(values), seed \(random.seed)")
                #expect(2 * exact <= UInt128(values.count), "seed \(random.seed)")
                worst = max(worst, rolling / UInt128(values.count))
            }
            #expect(worst > 100, "no rolling mean was off: seed \(random.seed)")
        }
    }
}
