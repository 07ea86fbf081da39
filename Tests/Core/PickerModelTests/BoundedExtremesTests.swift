import TestSupport
import Testing

@testable import PickerModel

@Suite struct BoundedExtremesTests {
    @Test("After each step the extremes are those of all values, or not known")
    func random() {
        withSeed { random in
            for round in 0..<testRounds(15) {
                let range = Int.random(in: 0...5000, using: &random)
                var values: [Int] = []
                var extremes = BoundedExtremes<Int>()
                var unknown = 0
                for step in 0..<2000 {
                    // The first half mostly adds, the second mostly removes, of some ends only.
                    if values.isEmpty
                        || Int.random(in: 0..<4, using: &random) < (step < 1000 ? 3 : 1)
                    {
                        let value = Int.random(in: -range...range, using: &random)
                        values.append(value)
                        extremes.add(value)
                    } else {
                        let end =
                            Bool.random(using: &random)
                            ? values.min() : values.randomElement(using: &random)
                        let place = values.firstIndex(of: end ?? values[0]) ?? 0
                        extremes.remove(values.remove(at: place))
                    }
                    extremes.checkInvariants()
                    guard extremes.isKnown else {
                        unknown += 1
                        break
                    }
                    #expect(extremes.bounds?.least == values.min(), "round \(round), step \(step)")
                    #expect(
                        extremes.bounds?.greatest == values.max(), "round \(round), step \(step)")
                }
                if range < 100 { #expect(unknown == 0, "few values are all kept") }
            }
        }
    }

    @Test("When all that is kept has gone, the extremes are not known, and of none they are nil")
    func exhausted() {
        var extremes = BoundedExtremes<Int>()
        #expect(extremes.isKnown && extremes.bounds == nil)
        for value in 0..<1000 { extremes.add(value) }
        for value in 0..<256 {
            #expect(extremes.bounds?.least == value)
            extremes.remove(value)
        }
        #expect(!extremes.isKnown)
        for value in 256..<1000 { extremes.remove(value) }
        #expect(extremes.isKnown && extremes.bounds == nil)
        extremes.add(7)
        #expect(extremes.bounds?.least == 7 && extremes.bounds?.greatest == 7)
    }
}
