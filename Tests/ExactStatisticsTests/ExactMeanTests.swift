import ExactStatistics
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
            #expect(mean.sum.decimal == "104431553833601057431")
            #expect(mean.sum.narrow == nil)
        }
    }

    @Test("nothing has no mean, but a sum of 0")
    func empty() {
        let mean = ExactMean<Int>()
        #expect(mean.rounded == nil)
        #expect(mean.floor == nil)
        #expect(mean.approximate == nil)
        #expect(mean.quotientAndRemainder == nil)
        #expect(mean.sum.narrow == 0)
        #expect(mean.sum.isEmpty)
    }

    @Test("all short lists of all small numbers: as computed by wider arithmetic")
    func exhaustive() {
        func check(_ values: [Int8]) {
            let sum = values.reduce(0) { $0 + Int($1) }
            let exact = Double(sum) / Double(values.count)
            let mean = ExactMean(values)
            #expect(mean.rounded == Int8(exact.rounded(.toNearestOrEven)), "\(values)")
            #expect(mean.floor == Int8(exact.rounded(.down)), "\(values)")
            #expect(mean.approximate == exact, "\(values)")
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

    @Test("adding, taking back and joining, at random, is as made from what is left")
    func changes() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededNumbers(seed: seed)
        var left: [Int64] = []
        var mean = ExactMean<Int64>()
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where !left.isEmpty:
                let index = left.indices.randomElement(using: &random) ?? 0
                mean.remove(left.remove(at: index))
            case 1:
                let more = (0..<3).map { _ in Int64.random(in: .min ... .max, using: &random) }
                left += more
                mean.merge(ExactMean(more))
            default:
                let value = Int64.random(in: .min ... .max, using: &random)
                left.append(value)
                mean.add(value)
            }
            guard left.count % 64 == 0 else { continue }
            #expect(mean == ExactMean(left), "seed \(seed)")
        }
        #expect(mean == ExactMean(left), "seed \(seed)")
        for value in left { mean.remove(value) }
        #expect(mean == ExactMean(), "seed \(seed)")
    }

    @Test("taking out of nothing is refused")
    func removeFromNothing() async {
        await #expect(processExitsWith: .failure) {
            var sum = ExactSum<Int>()
            sum.remove(1)
        }
    }

    @Test("the extremes of a stream, of two joined ones, and of none")
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

/// Numbers that are the same for the same seed.
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
