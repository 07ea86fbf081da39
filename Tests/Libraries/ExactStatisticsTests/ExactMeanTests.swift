import ExactStatistics
import TestSupport
import Testing

@Suite struct ExactMeanTests {
    /// Twenty large numbers whose mean is 5221577691680052871.55.
    static let large: [Int64] = [
        2_988_139_172_152_746_883, 4_545_331_521_850_540_616, 5_693_938_727_954_663_282,
        5_884_889_191_787_885_217, 3_111_881_160_526_182_838, 8_720_326_064_806_005_009,
        8_427_311_181_199_404_053, 7_983_003_740_783_657_027, 2_965_909_035_096_967_706,
        1_211_883_882_534_796_072, 5_703_029_716_464_526_164, 8_424_273_336_993_151_821,
        774_296_368_044_414_872, 14_130_533_330_426_236, 2_230_589_047_337_383_318,
        8_337_015_733_785_964_014, 9_153_431_205_551_083_918, 3_249_272_057_022_384_528,
        8_254_667_294_021_634_003, 6_758_234_862_357_239_854,
    ]

    @Test("numbers whose sum is beyond 64 bits have an exact mean, in every order")
    func largeNumbers() throws {
        for numbers in [Self.large, Self.large.reversed(), Self.large.sorted()] {
            let mean = ExactMean(numbers)
            #expect(mean.rounded == 5_221_577_691_680_052_872)
            #expect(mean.floor == 5_221_577_691_680_052_871)
            let (quotient, remainder) = try #require(mean.quotientAndRemainder)
            #expect(quotient == 5_221_577_691_680_052_871)
            #expect(remainder == 11)
            #expect(String(mean.sum.wide) == "104431553833601057431")
        }
    }

    @Test("an empty stream has no mean, but a sum of 0")
    func empty() {
        let mean = ExactMean<Int>()
        #expect(mean.rounded == nil)
        #expect(mean.floor == nil)
        #expect(mean.nearestDouble == nil)
        #expect(mean.quotientAndRemainder == nil)
        #expect(mean.sum.wide == 0)
    }

    @Test("all short lists of all small numbers agree with wider arithmetic")
    func exhaustive() {
        func check(_ values: [Int8]) {
            let sum = values.reduce(0) { $0 + Int($1) }
            let exact = Double(sum) / Double(values.count)
            let mean = ExactMean(values)
            #expect(mean.rounded == Int8(exact.rounded(.toNearestOrEven)), "\(values)")
            #expect(mean.floor == Int8(exact.rounded(.down)), "\(values)")
            #expect(mean.nearestDouble == exact, "\(values)")
        }
        let edges: [Int8] = [-128, -127, -3, -2, -1, 0, 1, 2, 3, 126, 127]
        for first in Int8.min...Int8.max {
            check([first])
            for second in edges {
                check([first, second])
                check([first, second, 1])
                check([first, second, -1, 2])
            }
        }
    }

    @Test("the ends of each type are their own mean")
    func ends() {
        func check<Value: ExactNumber>(_: Value.Type) {
            for value in [Value.min, Value.max] {
                let mean = ExactMean(repeatElement(value, count: 1001))
                #expect(mean.rounded == value)
                #expect(mean.floor == value)
            }
            #expect(ExactMean([Value.max, Value.max - 1]).floor == Value.max - 1)
        }
        check(Int8.self)
        check(Int16.self)
        check(Int32.self)
        check(Int64.self)
        check(Int.self)
        check(UInt8.self)
        check(UInt16.self)
        check(UInt32.self)
        check(UInt64.self)
        check(UInt.self)
    }

    @Test("halves go to the even neighbour, below zero as above")
    func halves() {
        #expect(ExactMean<UInt8>([233, 212]).rounded == 222)
        #expect(ExactMean<UInt8>([233, 214]).rounded == 224)
        #expect(ExactMean<Int>([-1, -2]).rounded == -2)
        #expect(ExactMean<Int>([-1, -2]).floor == -2)
        #expect(ExactMean<Int>([-3, -2]).rounded == -2)
        #expect(ExactMean<Int>([-1, 0]).rounded == 0)
    }

    @Test("random additions, removals and merges equal a mean of the remaining numbers")
    func changes() throws {
        withSeed { random in
            changes(of: Int64.self, &random)
            changes(of: UInt64.self, &random)
            changes(of: Int8.self, &random)
        }
    }

    private func changes<Value: ExactNumber>(of _: Value.Type, _ random: inout SeededRandom) {
        var left: [Value] = []
        var mean = ExactMean<Value>()
        for _ in 0..<5_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                guard let index = left.indices.randomElement(using: &random) else { continue }
                mean.remove(left.remove(at: index))
            case 2:
                let more = (0..<3).map { _ in Value.random(in: .min ... .max, using: &random) }
                left += more
                mean.merge(ExactMean(more))
            default:
                let value = Value.random(in: .min ... .max, using: &random)
                left.append(value)
                mean.add(value)
            }
            #expect(mean.count == left.count, "seed \(random.seed)")
            guard left.count % 16 == 0 else { continue }
            #expect(mean == ExactMean(left), "seed \(random.seed)")
        }
        #expect(mean == ExactMean(left), "seed \(random.seed)")
        for value in left { mean.remove(value) }
        #expect(mean == ExactMean(), "seed \(random.seed)")
    }

    @Test("a sum of the maximum count is correct; one more number stops the program")
    func largestCount() async {
        // Each merge doubles the stream.
        func doubled<Value: ExactNumber>(_ value: Value) -> ExactSum<Value> {
            var sum = ExactSum([value])
            for _ in 1..<63 {
                let half = sum
                sum.merge(half)
                sum.add(value)
            }
            return sum
        }
        let unsigned = doubled(UInt64.max)
        #expect(unsigned.count == .max)
        #expect(unsigned.wide == UInt128(UInt64.max) * UInt128(Int.max))
        #expect(ExactMean(unsigned).rounded == .max && ExactMean(unsigned).floor == .max)
        let signed = doubled(Int64.min)
        #expect(signed.wide == Int128(Int64.min) * Int128(Int.max))
        #expect(ExactMean(signed).rounded == .min && ExactMean(signed).floor == .min)
        await #expect(processExitsWith: .failure) {
            var sum = ExactSum<UInt8>()
            for _ in 0..<63 {
                let half = sum
                sum.merge(half)
                sum.add(1)
            }
            sum.add(1)
        }
    }

    @Test("quotient and remainder reproduce the sum, and are in their ranges")
    func parts() throws {
        try withSeed { random in
            for _ in 0..<2_000 {
                let values = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                    Int64.random(in: .min ... .max, using: &random)
                }
                let mean = ExactMean(values)
                let (quotient, remainder) = try #require(mean.quotientAndRemainder)
                let sum = Int128(quotient) * Int128(values.count) + Int128(remainder)
                #expect(sum == mean.sum.wide, "seed \(random.seed)")
                #expect(abs(remainder) < values.count, "seed \(random.seed)")
                let floor = try #require(mean.floor)
                let above = mean.sum.wide - Int128(floor) * Int128(values.count)
                #expect((0..<Int128(values.count)).contains(above), "seed \(random.seed)")
                let rounded = try #require(mean.rounded)
                let off = (Int128(rounded) * Int128(values.count) - mean.sum.wide).magnitude
                #expect(2 * off <= UInt128(values.count), "seed \(random.seed)")
                if 2 * off == UInt128(values.count) {
                    #expect(rounded.isMultiple(of: 2), "seed \(random.seed)")
                }
            }
        }
    }

    @Test("as a Double, a mean is rounded once: no other is nearer")
    func nearestDouble() throws {
        try withSeed { random in
            for _ in 0..<4_000 {
                // Numbers of all lengths, few and many of them, and joined so often that counts are large.
                let bits = Int.random(in: 1...64, using: &random)
                var sum = ExactSum<UInt64>()
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    sum.add(UInt64.random(in: 0...UInt64.max >> (64 - bits), using: &random))
                    if random.chance(0.5) {
                        let half = sum
                        sum.merge(half)
                    }
                }
                let mean = ExactMean(sum)
                let value = try #require(mean.nearestDouble)
                let exact = Natural(sum.wide, shiftedLeft: Natural.doubleShift)
                func distance(_ other: Double) -> Natural {
                    Natural.distance(Natural(other).times(UInt64(sum.count)), exact)
                }
                for other in [value.nextUp, value.nextDown] where other >= 0 {
                    let isNearer = distance(value) < distance(other)
                    let isEven = value.significandBitPattern.isMultiple(of: 2)
                    #expect(
                        isNearer || distance(value) == distance(other) && isEven,
                        "\(sum.wide)/\(sum.count), seed \(random.seed)")
                }
            }
        }
        #expect(ExactMean<Int>([-1, -2]).nearestDouble == -1.5)
        #expect(ExactMean<Int>([0, 0]).nearestDouble == 0)
        // Had the sum been made a Double first, the mean would come out 1024 larger.
        let sum = ExactMean<UInt64>([
            10_499_958_131_665_514_997, 14_799_178_230_035_213_023, 1_164_115_433_906_158_532,
        ])
        #expect(sum.nearestDouble == 8.821083931868962e18)
        // A third above the middle between two Doubles, where 64 bits end at the middle.
        let middle: UInt64 = (1 << 63) + 1024
        #expect(ExactMean([middle, middle, middle]).nearestDouble == 0x1p63)
        #expect(ExactMean([middle, middle, middle + 1]).nearestDouble == 0x1p63 + 2048)
    }

    @Test("a removal from an empty stream is refused")
    func removeFromNothing() async {
        await #expect(processExitsWith: .failure) {
            var sum = ExactSum<Int>()
            sum.remove(1)
        }
    }

    @Test("the extremes of a stream, of two merged ones, and of an empty one")
    func extremes() {
        let all = Extremes(Self.large)
        #expect(all.least == 14_130_533_330_426_236)
        #expect(all.greatest == 9_153_431_205_551_083_918)
        var joined = Extremes(Self.large.prefix(7))
        joined.merge(Extremes(Self.large.dropFirst(7)))
        #expect(joined == all)
        joined.merge(Extremes())
        #expect(joined == all)
        #expect(Extremes<Int>().least == nil)
        #expect(Extremes([Double.nan, 2, 1]).greatest == 2)
        #expect(Extremes([Double.nan, 2, 1]).least == 1)
    }
}
