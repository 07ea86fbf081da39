import TestSupport
import Testing

@testable import PickerModel

/// Rows by key, beside a dictionary.
@Suite struct KeyIndexTests {
    private static func hash(of key: KeyNumber) -> UInt64 { key.number &* 0x9e37_79b9_7f4a_7c15 }

    private static func add(_ key: KeyNumber, to index: inout KeyIndex, _ keys: inout [KeyNumber]) {
        keys.append(key)
        let known = keys
        let isPrepared = index.prepare(for: key, rehash: { hash(of: known[$0]) })
        #expect(isPrepared)
        index.insert(
            known.count - 1, key, rehash: { hash(of: known[$0]) }, prefetch: { _, _ in })
    }

    private static func row(of key: KeyNumber, in index: borrowing KeyIndex, _ keys: [KeyNumber])
        -> Int?
    {
        index.row(of: key, hash: { hash(of: $0) }, where: { keys[$0] == key })
    }

    @Test("the text of a minted key is 'f' and its number in base 36")
    func mintedText() {
        withSeed { random in
            let powers = (0..<64).flatMap { [UInt64(1) << $0, (UInt64(1) << $0) - 1] }
            let bases = sequence(first: UInt64(36)) { $0 > .max / 36 ? nil : $0 * 36 }
            let others = (0..<1000).map { _ in UInt64.random(in: 0 ... .max, using: &random) }
            for number in powers + bases.flatMap({ [$0 - 1, $0] }) + others + [.max] {
                let text = KeyNumber.text(ofMinted: number)
                #expect(text == "f" + String(number, radix: 36))
                #expect(
                    number >= KeyNumber.mintedLimit || KeyNumber.mintedNumber(of: text) == number)
            }
        }
    }

    @Test("a text has a minted number exactly if it is the text of that number")
    func mintedNumber() {
        withSeed { random in
            let pieces = ["f", "F", "0", "00", "1", "9", "a", "z", "Z", "+", "-", "{", "é", " "]
            for _ in 0..<10_000 {
                let rest = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                    pieces.randomElement(using: &random) ?? ""
                }
                let text = (random.chance(0.9) ? "f" : "") + rest.joined()
                let number = UInt64(text.dropFirst(), radix: 36)
                let expected = number.flatMap {
                    $0 < KeyNumber.mintedLimit && KeyNumber.text(ofMinted: $0) == text ? $0 : nil
                }
                #expect(KeyNumber.mintedNumber(of: text) == expected, "\(text)")
            }
        }
    }

    @Test("after any script the rows are found that a dictionary has")
    func random() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        for run in 0..<8 {
            var index = KeyIndex()
            // The key of each row; rows are not used again.
            var keys: [KeyNumber] = []
            var rows: [KeyNumber: Int] = [:]
            var next: UInt64 = 0
            for step in 0..<2000 {
                let choice = Int.random(in: 0..<10, using: &random)
                if choice < 5 || rows.isEmpty {
                    // Mostly the next number; sometimes one far ahead, or one that is not the daemon's own.
                    switch Int.random(in: 0..<40, using: &random) {
                    case 0: next += UInt64.random(in: 1000..<4000, using: &random)
                    case 1: next = max(next, UInt64(rows.count * 2 + 1023))
                    default: next += 1
                    }
                    let isOwn = Int.random(in: 0..<16, using: &random) > 0
                    let key = KeyNumber(number: isOwn ? next : KeyNumber.mintedLimit + next)
                    if rows[key] != nil { continue }
                    Self.add(key, to: &index, &keys)
                    rows[key] = keys.count - 1
                } else if let (key, row) = rows.randomElement(using: &random) {
                    if choice < 8 {
                        keys.append(key)
                        let known = keys
                        index.replace(
                            row, by: keys.count - 1, key, rehash: { Self.hash(of: known[$0]) })
                        rows[key] = keys.count - 1
                    } else {
                        let known = keys
                        index.remove(row, key, rehash: { Self.hash(of: known[$0]) })
                        rows[key] = nil
                        let found = Self.row(of: key, in: index, keys)
                        #expect(found == nil)
                    }
                }
                let count = index.count
                #expect(count == rows.count, "seed \(seed), run \(run), step \(step)")
            }
            let known = keys
            index.checkInvariants(key: { known[$0] }, rehash: { Self.hash(of: known[$0]) })
            for (key, row) in rows {
                let found = Self.row(of: key, in: index, keys)
                #expect(found == row, "seed \(seed), run \(run)")
            }
            for number in next + 1..<next + 3000 {
                let found = Self.row(of: KeyNumber(number: number), in: index, keys)
                #expect(found == nil)
            }
        }
    }

    @Test(
        "consecutive keys take four bytes each, and no key makes the column longer than others need"
    )
    func size() {
        var index = KeyIndex()
        var keys: [KeyNumber] = []
        for number in 0..<10_000 { Self.add(KeyNumber(minted: UInt64(number)), to: &index, &keys) }
        var (bytes, others) = (index.bytes, index.otherCount)
        #expect(bytes == 40_000 && others == 0)
        for number in 1...100 {
            Self.add(KeyNumber(minted: 1_000_000 * UInt64(number)), to: &index, &keys)
        }
        (bytes, others) = (index.bytes, index.otherCount)
        #expect(bytes < 42_000 && others == 100)
        let found = Self.row(of: KeyNumber(minted: 50_000_000), in: index, keys)
        #expect(found == 10_049)
    }
}

@Suite struct WideColumnTests {
    @Test(
        "numbers of any size are kept, and those up to a bound are found, whatever their upper halves"
    )
    func numbers() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        var column = WideColumn()
        var plain: [UInt64] = []
        let isReserved = column.reserve(1000)
        #expect(isReserved)
        column.resize(to: 1000)
        for index in 0..<1000 {
            let bits = UInt64.random(in: 0..<64, using: &random)
            plain.append(UInt64.random(in: 0 ... .max, using: &random) >> bits)
            column[index] = plain[index]
        }
        // Smaller ones at the place of greater ones, too.
        for _ in 0..<500 {
            let index = Int.random(in: 0..<1000, using: &random)
            plain[index] >>= UInt64.random(in: 0..<64, using: &random)
            column[index] = plain[index]
        }
        let found = (0..<1000).map { column[$0] }
        #expect(found == plain, "seed \(seed)")
        for flip in [0, UInt64.max] {
            for bound in [0, 1, UInt64(UInt32.max), 1 << 32, 1 << 40, .max] + plain.prefix(20) {
                for block in 0..<16 {
                    var wanted: UInt64 = 0
                    for index in block * 64..<min(1000, block * 64 + 64)
                    where plain[index] ^ flip <= bound { wanted |= 1 << UInt64(index % 64) }
                    let found = column.upTo(bound, block, flip)
                    #expect(found == wanted, "seed \(seed)")
                }
            }
        }
    }
}
