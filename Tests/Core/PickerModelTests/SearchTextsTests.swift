import TestSupport
import Testing

@testable import PickerModel

@Suite struct SearchTextsTests {
    private static func add(_ text: [UInt8], at row: Int, to texts: inout SearchTexts) -> Bool {
        guard texts.add(row, count: text.count) else { return false }
        // As many bytes as the text has.
        unsafe texts.write(row) { _ = unsafe $0.update(fromContentsOf: text) }
        return true
    }

    private static func text(of row: Int, in texts: borrowing SearchTexts) -> [UInt8] {
        // Copied at once.
        unsafe Array(texts.text(of: row))
    }

    @Test("texts of rows that come and go are those of a plain dictionary")
    func random() throws {
        try withSeed { random in
            var texts = SearchTexts(limit: 1 << 20)
            var plain: [Int: [UInt8]] = [:]
            for step in 0..<6000 {
                // Two blocks, full at times and nearly empty at others.
                let row = Int.random(in: 0..<128, using: &random)
                if plain[row] != nil {
                    if random.chance(step / 500 % 2 == 0 ? 0.5 : 0.9) {
                        texts.remove(row)
                        plain[row] = nil
                    }
                } else {
                    let count = Int.random(in: 0...(random.chance(0.1) ? 90 : 9), using: &random)
                    let text = (0..<count).map { _ in UInt8.random(in: 97...122, using: &random) }
                    let isAdded = Self.add(text, at: row, to: &texts)
                    try #require(isAdded)
                    plain[row] = text
                }
                if texts.needsCompaction, random.chance(0.3) { _ = texts.compact(budget: 64) }
                texts.checkInvariants()
                for row in 0..<128 where plain[row] != nil {
                    let found = Self.text(of: row, in: texts)
                    try #require(texts.hasText(row) && found == plain[row], "step \(step)")
                }
            }
        }
    }

    #if DEBUG
    @Test("in a full block, a text that is replaced by one not longer has no other copied")
    func replaced() throws {
        var texts = SearchTexts(limit: 1 << 20)
        for row in 0..<128 {
            let isAdded = Self.add(Array("name \(1000 + row)".utf8), at: row, to: &texts)
            try #require(isAdded)
        }
        for step in 0..<1000 {
            let row = step % 64
            texts.remove(row)
            let isAdded = Self.add(Array("text \(1000 + step % 500)".utf8), at: row, to: &texts)
            try #require(isAdded)
        }
        #expect(texts.copied == 0)
        texts.checkInvariants()
    }
    #endif
}
