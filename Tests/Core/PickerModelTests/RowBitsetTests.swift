import Testing

@testable import PickerModel

@Suite struct RowBitsetTests {
    @Test("equals a set of integers after each of many random operations")
    func random() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        for _ in 0..<40 {
            var bits = RowBitset()
            var plain: Set<Int> = []
            var bound = 0
            for _ in 0..<60 {
                let other = Self.some(below: Int.random(in: 0...300, using: &random), &random)
                switch Int.random(in: 0..<7, using: &random) {
                case 0:
                    bound = max(bound, Int.random(in: 0...300, using: &random))
                    bits.grow(to: bound)
                case 1:
                    bits.formUnion(other.bits)
                    plain.formUnion(other.plain)
                    bound = max(bound, other.bits.bound)
                case 2:
                    bits.formIntersection(other.bits)
                    plain.formIntersection(other.plain)
                case 3:
                    bits.subtract(other.bits)
                    plain.subtract(other.plain)
                case 4 where bound > 0:
                    let row = Int.random(in: 0..<bound, using: &random)
                    #expect(bits.insert(row) == plain.insert(row).inserted)
                case 5:
                    let row = Int.random(in: 0..<400, using: &random)
                    #expect(bits.remove(row) == (plain.remove(row) != nil))
                default:
                    if Int.random(in: 0..<9, using: &random) == 0 {
                        bits.removeAll()
                        plain = []
                    }
                }
                bits.checkInvariants()
                #expect(bits.bound == bound && bits.count == plain.count, "seed \(seed)")
                #expect(Array(bits) == plain.sorted(), "seed \(seed)")
                for row in 0..<310 where bits.contains(row) != plain.contains(row) {
                    Issue.record("row \(row), seed \(seed)")
                }
            }
        }
    }

    private static func some(
        below bound: Int, _ random: inout SeededNumbers
    ) -> (bits: RowBitset, plain: Set<Int>) {
        var bits = RowBitset(bound: bound)
        var plain: Set<Int> = []
        for row in 0..<bound where Int.random(in: 0..<3, using: &random) == 0 {
            bits.insert(row)
            plain.insert(row)
        }
        return (bits, plain)
    }

    @Test("a copy does not change with the original")
    func copies() {
        var bits = RowBitset(bound: 10)
        bits.insert(3)
        let copy = bits
        bits.insert(4)
        #expect(Array(copy) == [3] && Array(bits) == [3, 4])
    }
}
