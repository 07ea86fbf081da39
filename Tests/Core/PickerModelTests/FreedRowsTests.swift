// The queue of freed rows, and what it costs to release a few of very many.

import TestSupport
import Testing

@testable import PickerModel

@Suite struct FreedRowsTests {
    @Test("rows leave in the order in which they came, and no more are moved than have left")
    func random() {
        withSeed { random in
            var rows = FreedRows()
            var plain: [UInt32] = []
            var removed = 0
            for step in 0..<20_000 {
                if random.chance(0.5) {
                    precondition(rows.reserve(plain.count + 1))
                    let row = UInt32.random(in: 0..<1_000_000, using: &random)
                    rows.append(row)
                    plain.append(row)
                } else {
                    let most = random.chance(0.01) ? plain.count : min(2, plain.count)
                    let count = Int.random(in: 0...most, using: &random)
                    rows.removeFirst(count)
                    plain.removeFirst(count)
                    removed += count
                }
                let count = rows.count
                #expect(count == plain.count)
                guard !plain.isEmpty else { continue }
                let index = Int.random(in: plain.indices, using: &random)
                let row = rows[index]
                #expect(row == plain[index], "step \(step): seed \(random.seed)")
            }
            let moved = rows.moved
            #expect(moved <= removed)
        }
    }

    @Test("to release a few of 100,000 rows moves none of the others")
    func few() {
        var rows = FreedRows()
        precondition(rows.reserve(100_000))
        for row in 0..<100_000 { rows.append(UInt32(row)) }
        for _ in 0..<100 { rows.removeFirst(16) }
        let (moved, first, count) = (rows.moved, rows[0], rows.count)
        #expect(moved == 0 && first == 1600 && count == 98_400)
    }
}
