import TestSupport
import Testing

@testable import ExactStatistics

@Suite struct ExactFloatSumTests {
    private func value(_ random: inout SeededRandom, spread: Int) -> Double {
        if random.chance(0.02) {
            return ([0, -0.0, 0x1p-1074, -0x1p-1074] as [Double]).randomElement(using: &random) ?? 0
        }
        let exponent = Int.random(in: -spread...spread, using: &random)
        let sign: FloatingPointSign = random.chance(0.5) ? .minus : .plus
        let significand =
            random.chance(0.5)
            ? Double.random(in: 1..<2, using: &random)
            : ([1, 1.5, 1.25, 2 - 0x1p-52] as [Double]).randomElement(using: &random) ?? 1
        return Double(sign: sign, exponent: exponent, significand: significand)
    }

    @Test(
        "sum and mean are the nearest numbers, whatever is added and removed in between",
        arguments: [0, 5, 60, 300, 1000, 1022])
    func nearest(spread: Int) {
        withSeed { random in
            var left: [Double] = []
            var sum = ExactFloatSum()
            var plain = PlainSum()
            for _ in 0..<400 {
                if random.chance(0.3), let index = left.indices.randomElement(using: &random) {
                    let gone = left.remove(at: index)
                    sum.remove(gone)
                    plain.add(-gone)
                } else {
                    let new = value(&random, spread: spread)
                    left.append(new)
                    sum.add(new)
                    plain.add(new)
                }
                let place = Comment(rawValue: "seed \(random.seed), of \(left.count) numbers")
                #expect(sum.count == left.count, place)
                if sum.value.isFinite { #expect(plain.isNearest(sum.value), place) }
                guard let mean = sum.mean else { continue }
                #expect(plain.isNearest(mean, dividingBy: left.count), place)
            }
        }
    }

    private func sum(_ values: [Double]) -> ExactFloatSum {
        var sum = ExactFloatSum()
        for value in values { sum.add(value) }
        return sum
    }

    @Test("numbers at both ends are added without a loss")
    func ends() {
        let greatest = Double.greatestFiniteMagnitude
        #expect(sum([]).value == 0 && sum([]).mean == nil)
        #expect(sum([1e16, 1, -1e16]).value == 1)
        #expect(sum([greatest, greatest]).value == .infinity)
        #expect(sum([-greatest, -greatest]).value == -.infinity)
        #expect(sum([greatest, greatest]).mean == greatest)
        #expect(sum([greatest, greatest, -greatest]).value == greatest)
        #expect(sum([greatest, 0x1p-1074, -greatest]).value == 0x1p-1074)
        #expect(sum([0x1p-1074, 0]).mean == 0, "half of the least number: to the even one")
        #expect(sum([0x1p-1074, 0x1p-1073]).mean == 0x1p-1073, "one and a half: to the even one")
        #expect(sum([0x1p-1074, 0x1p-1074, 0]).mean == 0x1p-1074)
        #expect(sum([-0x1p-1074, -0x1p-1074, 0]).mean == -0x1p-1074)
    }

    @Test("a half is rounded to even, and more than a half up, however little it is more")
    func ties() {
        #expect(sum([1, 0x1p-53]).value == 1)
        #expect(sum([1 + 0x1p-52, 0x1p-53]).value == 1 + 0x1p-51)
        #expect(sum([1, 0x1p-53, 0x1p-1074]).value == 1 + 0x1p-52)
        #expect(sum([-1, -0x1p-53, -0x1p-1074]).value == -1 - 0x1p-52)
        #expect(sum([1, 0x1p-53, -0x1p-1074]).value == 1)
        #expect(sum([2 - 0x1p-52, 0x1p-53]).value == 2)
        #expect(sum([1, 1, 1, 2]).mean == 1.25)
        #expect(sum(Array(repeating: 0.1, count: 10)).mean == 0.1)
    }

    @Test("the order makes no difference, and the same numbers are the same sum once they are read")
    func order() {
        withSeed { random in
            let values = (0..<200).map { _ in value(&random, spread: 1000) }
            let one = sum(values)
            let other = sum(values.shuffled(using: &random))
            #expect(one.value == other.value && one.mean == other.mean)
        }
    }
}
