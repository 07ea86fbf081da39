import TestSupport
import Testing

@testable import PickerModel

/// Names as differences from their folded texts.
@Suite struct NameDifferenceTests {
    private static func difference(_ folded: [UInt8], _ name: [UInt8]) -> [UInt8] {
        unsafe folded.withUnsafeBufferPointer { folded in
            unsafe name.withUnsafeBufferPointer {
                unsafe NameDifference.bytes(from: folded, to: $0)
            }
        }
    }

    private static func restored(_ folded: [UInt8], _ difference: [UInt8]) -> [UInt8] {
        var room = [UInt8](repeating: 0xEE, count: DocumentTable.longestName)
        let count = unsafe folded.withUnsafeBufferPointer { folded in
            unsafe difference.withUnsafeBufferPointer { difference in
                unsafe room.withUnsafeMutableBufferPointer {
                    unsafe NameDifference.restore(folded, difference, to: $0)
                }
            }
        }
        return Array(room[..<count])
    }

    private static func size(_ name: String) -> Int {
        difference(FoldedName.bytes(of: name), Array(name.utf8)).count
    }

    @Test("a letter with an accent takes a few bytes, and what folding leaves alone none")
    func sizes() {
        #expect(Self.size("写真 receipt scan 2026.md") == 0)
        #expect(Self.size("quote ноты draft invoice.png") == 0)
        // What is kept, a byte of two numbers, and the letter.
        #expect(Self.size("notes résumé 2024.txt") == 8)
        #expect(Self.size("Übersicht offer minutes 1998.html") == 4)
        #expect(Self.size("отчёт taxes budget.pdf") <= 4)
        #expect(Self.size(String(repeating: "x", count: 300) + "É.txt") == 6)
        // In any other case it is hardly longer than the name.
        let name = String(repeating: "ОТЧЁТ", count: 20)
        #expect(Self.size(name) <= name.utf8.count * 6 / 5 + 2)
    }

    @Test("a name is restored from any text")
    func random() {
        let seed = SeededNumbers.seed()
        var names = TableNames(random: SeededNumbers(seed: seed))
        for run in 0..<3000 {
            let name = names.name()
            var folded = FoldedName.bytes(of: String(decoding: name, as: UTF8.self))
            let kind = Int.random(in: 0..<4, using: &names.random)
            if kind == 0 {
                folded = names.name()
            } else if kind == 1, let place = folded.indices.randomElement(using: &names.random) {
                folded.removeSubrange(place...)
            }
            let difference = Self.difference(folded, name)
            #expect(Self.restored(folded, difference) == name, "seed \(seed), run \(run)")
        }
    }

    @Test("short texts and names of few letters are restored, whatever they are")
    func all() {
        var texts: [[UInt8]] = [[]]
        var each = 0
        while each < texts.count {
            if texts[each].count < 5 {
                texts.append(contentsOf: [1, 2].map { texts[each] + [$0] })
            }
            each += 1
        }
        for folded in texts {
            for name in texts {
                #expect(Self.restored(folded, Self.difference(folded, name)) == name)
            }
        }
    }

    @Test("the name that was restored before the last one can still be read")
    func two() throws {
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        let names = ["résumé", "Übersicht", "отчёт", "q", String(repeating: "x", count: 40) + "Y"]
        var rows: [DocumentRow] = []
        for (number, name) in names.enumerated() {
            let placement = try table.put(
                KeyNumber(minted: UInt64(number)), in: root, named: Array(name.utf8).span,
                facts: DocumentFacts(size: 0, modified: FileTime(seconds: 0, nanoseconds: 0)))
            rows.append(placement.row)
        }
        for (one, name) in zip(rows, names) {
            for (two, other) in zip(rows, names) {
                let result = table.namePart(of: one.index).compare(table.namePart(of: two.index))
                let (left, right) = (Array(name.utf8), Array(other.utf8))
                let wanted = left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
                #expect(result == wanted, "\(name) and \(other)")
            }
        }
    }
}
