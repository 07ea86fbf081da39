import ExactStatistics
import TestSupport
import Testing

@Suite struct CompensatedSumTests {
    private func value(_ random: inout SeededRandom, spread: Int) -> Double {
        let exponent = Int.random(in: -spread...spread, using: &random)
        let sign: FloatingPointSign = random.chance(0.5) ? .minus : .plus
        return Double(
            sign: sign, exponent: exponent,
            significand: Double.random(in: 1..<2, using: &random))
    }

    @Test("no sum is farther from the exact one than its error bound", arguments: [0, 5, 40, 300])
    func bound(spread: Int) {
        withSeed { random in
            var left: [Double] = []
            var sum = CompensatedSum()
            var exact = PlainSum()
            for _ in 0..<600 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    guard let index = left.indices.randomElement(using: &random) else { continue }
                    let gone = left.remove(at: index)
                    sum.remove(gone)
                    exact.add(-gone)
                case 2:
                    let more = (0..<5).map { _ in value(&random, spread: spread) }
                    left += more
                    sum.merge(CompensatedSum(more))
                    for value in more { exact.add(value) }
                default:
                    let new = value(&random, spread: spread)
                    left.append(new)
                    sum.add(new)
                    exact.add(new)
                }
                #expect(sum.count == left.count)
                #expect(
                    exact.distance(to: sum.value) <= Natural(sum.errorBound),
                    "seed \(random.seed), of \(left.count) numbers")
            }
        }
    }

    @Test("the bound is tight: for numbers that don't cancel out, it is the final rounding")
    func closeness() {
        withSeed { random in
            let values = (0..<10_000).map { _ in Double.random(in: 1..<2, using: &random) }
            let sum = CompensatedSum(values)
            #expect(sum.errorBound < 0x1p-52 * sum.value, "seed \(random.seed)")
        }
    }

    @Test("what plain addition loses is kept, and remains after the rest was removed")
    func cancellation() {
        var sum = CompensatedSum([1e16, 1, -1e16])
        #expect(1e16 + 1 - 1e16 == 0)
        #expect(sum.value == 1)
        #expect(sum.mean == 1 / 3.0)
        sum.remove(-1e16)
        sum.remove(1e16)
        #expect(sum.value == 1 && sum.count == 1)
        #expect(CompensatedSum(repeatElement(0.1, count: 1_000_000)).value == 100_000)
        #expect(CompensatedSum().value == 0 && CompensatedSum().mean == nil)
    }

    @Test("infinities and NaN count while they are present, and leave no trace")
    func nonFinite() {
        var sum = CompensatedSum([1.5, .infinity])
        #expect(sum.value == .infinity)
        sum.add(-.infinity)
        #expect(sum.value.isNaN)
        sum.remove(.infinity)
        #expect(sum.value == -.infinity)
        sum.merge(CompensatedSum([.nan]))
        #expect(sum.value.isNaN)
        sum.remove(.nan)
        sum.remove(-.infinity)
        #expect(sum.value == 1.5 && sum.count == 1)
        let greatest = Double.greatestFiniteMagnitude
        #expect(CompensatedSum([greatest, greatest]).value == .infinity)
    }

    @Test("a removal from an empty stream is refused")
    func removeFromNothing() async {
        await #expect(processExitsWith: .failure) {
            var sum = CompensatedSum()
            sum.remove(1)
        }
    }
}
