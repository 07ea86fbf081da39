// Which rows may match a fuzzy query, told many at once, compared with the rank of each.

import TestSupport
import Testing

@testable import PickerModel

@Suite struct FuzzyCandidatesTests {
    @Test("letters in their order are found alike with all instructions, as one by one")
    func spread() throws {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        var texts = SearchTexts(limit: 1 << 20)
        var names: [Int: [UInt8]] = [:]
        for row in 0..<192 where Int.random(in: 0..<5, using: &random) > 0 {
            // Around the width of a vector, and of two.
            let width = [4, 31, 63, 64, 65, 127, 128, 129, 300].randomElement(using: &random) ?? 0
            let count = Int.random(in: 0...width, using: &random)
            let name = (0..<count).map { _ in UInt8.random(in: 97...101, using: &random) }
            let isAdded = texts.add(row, count: count)
            try #require(isAdded)
            // As many bytes as the text has.
            unsafe texts.write(row) { _ = unsafe $0.update(fromContentsOf: name) }
            names[row] = name
        }
        texts.checkInvariants()
        for round in 0..<600 {
            let count = Int.random(in: 1...(round % 2 == 0 ? 4 : 40), using: &random)
            var needle = (0..<count).map { _ in UInt8.random(in: 97...102, using: &random) }
            if let name = names.values.randomElement(using: &random), round % 3 == 0, !name.isEmpty
            {
                needle = name.filter { _ in Bool.random(using: &random) }
                if needle.isEmpty { needle = [name[0]] }
            }
            let block = round % 3
            let among = UInt64.random(in: 0 ... .max, using: &random)
            var expected: UInt64 = 0
            for bit in 0..<64 where among >> UInt64(bit) & 1 == 1 {
                guard let name = names[block * 64 + bit] else { continue }
                if name.span.lettersFound(of: needle.span, from: 0) == needle.count {
                    expected |= 1 << UInt64(bit)
                }
            }
            for instructions in SearchInstructions.available {
                var steps = 0
                let found = texts.spread(
                    needle.span, block: block, among: among, instructions: instructions.number,
                    steps: &steps)
                #expect(found == expected, "seed \(seed): \(instructions), \(needle)")
                #expect(steps <= 64 * 8)
            }
        }
    }

    @Test("all documents that match are candidates; ranks of rows are those of documents")
    func candidates() throws {
        let seed = SeededNumbers.seed()
        var fuzzy = SeededFuzzy(seed: seed)
        var (found, missed) = (0, 0)
        for _ in 0..<testRounds(15) {
            let store = DocumentStore(epoch: "e")
            var documents: [Document] = []
            let folders = (0..<6).map { _ in fuzzy.folder() }
            for number in 0..<150 {
                let folder = folders.randomElement(using: &fuzzy.random) ?? ""
                let name = fuzzy.text(1...14) + "\(number)"
                documents.append(
                    Document(
                        key: "k\(number)", root: "/r", path: FileName(folder + name), size: 1,
                        modified: FileTime(seconds: 1)))
            }
            store.apply(inserted: documents)
            for _ in 0..<20 {
                let query = try #require(
                    try FuzzyQuery.parse(PickerModelTests.query(of: fuzzy.sets())))
                let search = FuzzySearch(query)
                for block in 0..<store.table.blockCount {
                    var steps = 0
                    let word = store.word(block, in: .listed)
                    let rows = search.candidates(
                        ofBlock: block, among: word, in: store.table, steps: &steps)
                    #expect(rows & ~word == 0)
                    for bit in 0..<64 where word >> UInt64(bit) & 1 == 1 {
                        let row = DocumentRow(block * 64 + bit)
                        let rank = FuzzySearch(query).rank(of: store.table.document(of: row))
                        let isCandidate = rows >> UInt64(bit) & 1 == 1
                        #expect(
                            isCandidate || rank == nil, "seed \(seed): '\(query.text)' \(row)")
                        #expect(search.rank(of: row, in: store.table) == rank)
                        guard isCandidate else { continue }
                        #expect(search.rank(of: row, in: store.table, isLikely: true) == rank)
                        if rank == nil { missed += 1 } else { found += 1 }
                    }
                }
            }
        }
        print("\(found) candidates match, \(missed) do not")
        #expect(found > 375)
    }

    @Test(
        "what does not match costs little, and a search that narrows another only what that found")
    func cost() throws {
        let store = DocumentStore(epoch: "e")
        store.apply(
            inserted: (0..<6400).map { number in
                Document(
                    key: "k\(number)", root: "/r",
                    path: FileName(
                        "f\(number / 100)/" + (number % 64 == 0 ? "report " : "draft ")
                            + "\(number)"),
                    size: 1, modified: FileTime(seconds: 1))
            })
        func ranked(_ text: String, among wider: RankedDocuments? = nil) throws -> RankedDocuments {
            let query = try #require(try FuzzyQuery.parse(text))
            let ranked = RankedDocuments(
                of: store, in: .listed, by: FuzzySearch(query), among: wider)
            #expect(ranked.advance(budget: .max))
            return ranked
        }
        let none = try ranked("qqqq")
        // Two of a name: one for being tested, one for its bytes.
        #expect(none.foundBits.isEmpty && none.stepsTaken < 6400 * 2 + 100 * 20 + 64 * 20)
        let wide = try ranked("rep")
        let narrow = try ranked("repo", among: wide)
        let alone = try ranked("repo")
        #expect(narrow.foundBits == alone.foundBits && narrow.foundBits.count == 100)
        #expect(alone.stepsTaken - narrow.stepsTaken > 6000)
    }

    @Test("a search goes on however little each slice may do")
    func smallSlices() throws {
        let store = DocumentStore(epoch: "e")
        store.apply(
            inserted: (0..<200).map { number in
                Document(
                    key: "k\(number)", root: "/r", path: FileName("f\(number)/report \(number)"),
                    size: 1, modified: FileTime(seconds: 1))
            })
        // To find the candidates of a block takes more than a slice.
        let text = (0..<30).map { _ in "report" }.joined(separator: " ")
        let query = try #require(try FuzzyQuery.parse(text))
        let ranked = RankedDocuments(of: store, in: .listed, by: FuzzySearch(query))
        var slices = 0
        while !ranked.advance(budget: 1), slices < 1000 {
            // A change in the middle: what may match is found anew.
            if slices % 50 == 7, let last = store.documents.max(by: { $0.key < $1.key }) {
                store.apply(removed: [last])
            }
            slices += 1
        }
        #expect(ranked.isDone && slices < 1000)
        #expect(ranked.foundBits.count == store.count)
    }

    @Test("a name without a capital behind a small letter has the bonuses of its folded text")
    func capitals() {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var letters = CapitalLetters()
        var (plain, others) = (0, 0)
        let fixed = [
            "Report", "myReport", "ÜBER", "Über Öl", "aÜ", "a\u{AD}B", "É1Éa", "Ꭰ", "Aꭰ", "ǅa",
            "👍A", "A👍", "写真 A", "写A", "ẞa", "straßeA", "", "1A", "-Ł",
        ]
        for name in fixed + (0..<4000).map({ _ in texts.name() }) {
            let bytes = Array(name.utf8)
            guard let look = letters.look(at: bytes.span) else {
                Issue.record("seed \(seed): \(name.hexScalars) is UTF-8")
                continue
            }
            #expect(look.count == name.unicodeScalars.count)
            guard !look.mayTurn else {
                others += 1
                continue
            }
            // Swift's runtime may know newer capitals than the library that folds.
            let isKnown = name.unicodeScalars.allSatisfy {
                ($0.properties.generalCategory == .uppercaseLetter)
                    == NameFolding.isCapital($0.value)
            }
            if !isKnown { continue }
            plain += 1
            let folded = String(decoding: FoldedName.bytes(of: name), as: UTF8.self)
            #expect(
                PlainPath(folder: "", name: name, spelling: false).bonuses
                    == PlainPath(folder: "", name: folded).bonuses,
                "seed \(seed): \(name.hexScalars)")
        }
        #expect(plain > 200 && others > 200)
        var random = SeededNumbers(seed: seed)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...5, using: &random)
            let bytes = (0..<count).map { _ -> UInt8 in
                [
                    0x41, 0x80, 0x9F, 0xA0, 0xBF, 0xC1, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF1, 0xF4,
                    0xF5,
                ]
                .randomElement(using: &random) ?? 0
            }
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect((letters.look(at: bytes.span) != nil) == isValid, "seed \(seed): \(bytes)")
        }
        for (name, isTurn) in [
            ("Report", false), ("myReport", true), ("Übersicht Straße résumé.pdf", false),
            ("aÜ", true), ("写真 資料 2.zip", false),
        ] {
            #expect(letters.look(at: Array(name.utf8).span)?.mayTurn == isTurn, "\(name)")
        }
    }
}
