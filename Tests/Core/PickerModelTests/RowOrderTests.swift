import CDocumentKernels
import TestSupport
import Testing

@testable import PickerModel

@Suite struct RowOrderTests {
    /// Rows with words from a list; equal ones are told apart by the row.
    private struct PlainWords: RowWords {
        let words: [[UInt64]]

        func word(of row: UInt32, level: Int) -> UInt64? {
            level < words[Int(row)].count ? words[Int(row)][level] : nil
        }

        func isBefore(_ one: UInt32, _ other: UInt32) -> Bool { one > other }
    }

    @Test("sorts like comparison, with pauses at random places")
    func sorter() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        for round in 0..<60 {
            let count = [0, 1, 2, 40, 1024, 1025, 5000].randomElement(using: &random) ?? 0
            let most: UInt64 = [0, 3, 200, .max].randomElement(using: &random) ?? 0
            let levels = Int.random(in: 1...4, using: &random)
            let words = PlainWords(
                words: (0..<count).map { _ in
                    (0..<levels).map { _ in UInt64.random(in: 0...most, using: &random) }
                })
            var sorter = RowSorter(
                words.words.enumerated().map { RowEntry(word: $1[0], row: UInt32($0)) })
            var isDone = false
            while !isDone {
                var steps = 0
                isDone = sorter.advance(
                    &steps, budget: Int.random(in: 1...4000, using: &random), words)
            }
            let wanted = words.words.indices.sorted {
                let (one, other) = (words.words[$0], words.words[$1])
                return one == other ? $0 > $1 : one.lexicographicallyPrecedes(other)
            }
            #expect(sorter.rows.map(Int.init) == wanted, "seed \(seed), round \(round)")
            // What has been read is given back, and that changes nothing else.
            var read: [Int] = []
            while read.count < count {
                let end = min(count, read.count + Int.random(in: 1...1000, using: &random))
                read += (read.count..<end).map { Int(sorter.row(at: $0)) }
                sorter.discard(before: end)
            }
            #expect(read == wanted, "seed \(seed), round \(round)")
        }
    }

    @Test("a slice takes little more than its budget")
    func slices() {
        var random = SeededNumbers(seed: 3)
        let count = 50_000
        let words = PlainWords(
            words: (0..<count).map { _ in
                [UInt64.random(in: 0...10, using: &random), .random(in: 0...50, using: &random)]
            })
        var sorter = RowSorter(
            words.words.enumerated().map { RowEntry(word: $1[0], row: UInt32($0)) })
        var slices = 0
        while true {
            var steps = 0
            let isDone = sorter.advance(&steps, budget: 2000, words)
            slices += 1
            #expect(steps < 22_000, "in slice \(slices)")
            if isDone { break }
        }
        #expect(slices > 100)
    }

    @Test("the first rows are those of the sorted order")
    func selection() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        for round in 0..<300 {
            let count = Int.random(in: 0...600, using: &random)
            let most = UInt64.random(in: 0...600, using: &random)
            let limit = Int.random(in: 0...60, using: &random)
            var entries = (0..<count).map {
                RowEntry(word: UInt64.random(in: 0...most, using: &random), row: UInt32($0))
            }
            if round % 3 == 0 { entries.sort { $0.word > $1.word } }
            if round % 3 == 1 { entries.sort { $0.word < $1.word } }
            var selection = RowSelection(limit: limit)
            for entry in entries { selection.add(entry) { $0 > $1 } }
            let wanted =
                entries.sorted { $0.word == $1.word ? $0.row > $1.row : $0.word < $1.word }
                .prefix(limit).map(\.row)
            #expect(selection.rows { $0 > $1 } == wanted, "seed \(seed), round \(round)")
        }
    }

    @Test("selecting the first of descending rows takes few comparisons for each")
    func selectionCost() {
        var comparisons = 0
        var selection = RowSelection(limit: 50)
        for index in 0..<100_000 {
            // Equal words, so that each comparison is counted; each row comes before all others.
            selection.add(RowEntry(word: 0, row: UInt32(index))) {
                comparisons += 1
                return $0 > $1
            }
        }
        #expect(comparisons < 100_000 * 10, "\(comparisons)")
    }

    @Test("selecting the first of rows with equal first words costs what comparisons cost")
    func costOfEqualRows() throws {
        let count = 4_000
        let store = DocumentStore(epoch: "test")
        store.apply(
            inserted: (0..<count).map {
                Document(
                    key: store.mintKey(), root: "/r", path: FileName("\($0).txt"), size: 7,
                    modified: FileTime(seconds: 1))
            })
        let order = try SortOrder(keys: ["size", "type", "name"])
        let first = FirstRows(50, of: store.table.current, in: store.table, by: order)
        var slices = 1
        while !first.advance(budget: 1_000) { slices += 1 }
        // One comparison for each row at least, of three terms and the key.
        #expect(first.stepsTaken >= count * 16, "\(first.stepsTaken)")
        #expect(slices >= count * 16 / 2_000, "\(slices)")
        #expect(first.rows.count == 50)
    }

    @Test("the sort key that is read from a text is the one that is built")
    func sortKeys() {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var names = TableNames(random: SeededNumbers(seed: seed))
        var folded: [FoldedName] = []
        for _ in 0..<1500 {
            folded.append(FoldedName(texts.name()))
            folded.append(FoldedName(String(decoding: names.name(), as: UTF8.self)))
        }
        let long = "9" + String(repeating: "8", count: 600)
        for text in ["0", "007", "a0", "a0b", "٣٤x", "1٣", "x0٠0", long] {
            folded.append(FoldedName(text))
        }
        for name in folded {
            let text = Array(name.searchBytes)
            var reader = SortKeyReader()
            var key: [UInt8] = []
            while let byte = reader.next(in: text.span) { key.append(byte) }
            #expect(key == Array(name.sortKey), "seed \(seed), \(text)")
            #expect(SortKeyReader.word(of: text.span, after: 0) ?? 0 == name.keyPrefix)
            for skipped in [0, 3, 8, 16, 40, key.count, key.count + 1] {
                let part = key.dropFirst(skipped).prefix(8)
                let word = part.enumerated().reduce(UInt64(0)) {
                    $0 | UInt64($1.element) << UInt64(56 - 8 * $1.offset)
                }
                let wanted = skipped > key.count ? nil : word
                #expect(SortKeyReader.word(of: text.span, after: skipped) == wanted)
            }
        }
        for _ in 0..<5000 {
            guard let one = folded.randomElement(using: &names.random),
                let other = folded.randomElement(using: &names.random)
            else { continue }
            let (left, right) = (Array(one.searchBytes), Array(other.searchBytes))
            let result = SortKeyReader.compare(left.span, right.span)
            #expect(result.signum() == one.compareKey(other).signum(), "seed \(seed)")
        }
    }

    @Test("keys of texts that share much are compared as byte by byte")
    func similarKeys() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        let parts = ["a", "b", "0", "00", "1", "9", "10", " ", "/", ":", "é", "字", "٣", "٠", "𝟗"]
        func text() -> [UInt8] {
            (0..<Int.random(in: 0...6, using: &random)).flatMap { _ in
                Array(parts.randomElement(using: &random)!.utf8)
            }
        }
        var results = Set<Int>()
        for _ in 0..<20_000 {
            let common = text() + (Bool.random(using: &random) ? Array("same name 2019".utf8) : [])
            let (left, right) = (common + text(), common + text())
            let result = SortKeyReader.compare(left.span, right.span).signum()
            #expect(
                result == SortKeyReader.slowCompare(left.span, right.span).signum(),
                "seed \(seed): \(left), \(right)")
            results.insert(result)
        }
        #expect(results == [-1, 0, 1])
    }

    @Test("times sort like the numbers that stand for them")
    func times() {
        let seconds: [Int64] = [
            .min, .min + 1, -1 << 33 - 1, -1 << 33, -1 << 33 + 1, -1, 0, 1, 1 << 33 - 1, 1 << 33,
            .max,
        ]
        let times = seconds.flatMap { second in
            [0, 1, 999_999_999].map { FileTime(seconds: second, nanoseconds: $0) }
        }
        for one in times {
            if one.isSortable { #expect(FileTime(sortable: one.sortable) == one) }
            for other in times where one < other {
                #expect(one.sortable <= other.sortable)
                if one.isSortable || other.isSortable {
                    #expect(one.sortable < other.sortable, "\(one) \(other)")
                }
            }
        }
    }

    @Test("orders of rows equal the orders of documents")
    func orders() throws {
        let seed = SeededNumbers.seed()
        var names = TableNames(random: SeededNumbers(seed: seed))
        let table = DocumentTable()
        var documents: [String: Document] = [:]
        for folder in ["one", "two words", "two"] {
            let root = try table.folders.add(Array("/r".utf8).span, in: nil)
            let place = try table.folders.add(Array(folder.utf8).span, in: root)
            for _ in 0..<120 {
                let name = names.name()
                var facts = names.facts()
                facts.size = UInt64.random(in: 0..<4, using: &names.random)
                let number = UInt64(documents.count)
                let key = number % 9 == 0 ? "x:\(number)" : "f" + String(number, radix: 36)
                let placement = try table.put(
                    table.makeKey(key), in: place, named: name.span, facts: facts,
                    isLiked: number % 3 == 0)
                if let other = placement.displaced {
                    documents[table.text(of: table.key(of: other))] = nil
                }
                documents[key] = Document(
                    key: key, root: "/r",
                    path: FileName(bytes: Array(folder.utf8) + [UInt8(ascii: "/")] + name),
                    size: facts.size, modified: facts.modified
                ).with(isLiked: number % 3 == 0)
            }
        }
        for keys in [
            ["name"], ["-name"], ["modified", "name"], ["date"], ["-size", "type"], ["path"],
            ["-path"], ["liked", "-size", "name"], ["type", "modified"],
        ] {
            let order = try SortOrder(keys: keys)
            let wanted = documents.values.sorted(by: order.comparator).map(\.key)
            let ordering = RowOrdering(table.current, of: table, by: order)
            while !ordering.advance(budget: 50) {}
            let keys = ordering.rows.map { table.text(of: table.key(of: $0)) }
            #expect(keys == wanted, "seed \(seed), \(order.keys)")
            let first = table.firstRows(20, by: order).map { table.text(of: table.key(of: $0)) }
            #expect(first == Array(wanted.prefix(20)), "seed \(seed), \(order.keys)")
        }
    }

    @Test("the first rows by type are those of a plain sort, with any second field and any number")
    func firstByType() throws {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        let store = DocumentStore(epoch: "test")
        let suffixes = ["", ".md", ".txt", ".png", ".pdf", ".zip", ".zzz"]
        let documents = (0..<1500).map { number in
            let suffix = suffixes.randomElement(using: &random) ?? ""
            let time = [Int64.max, .min, 0, 1, 1 << 40].randomElement(using: &random) ?? 0
            return Document(
                key: store.mintKey(), root: "/r",
                path: FileName("d\(number)/n\(Int.random(in: 0..<99, using: &random))" + suffix),
                size: UInt64.random(in: 0...9, using: &random) << 60 | UInt64(number % 3),
                modified: FileTime(seconds: time / Int64(1 + number % 5))
            ).with(isLiked: number % 7 == 0)
        }
        // In parts, so that few of the last rows may be among the first.
        for part in 0..<3 { store.apply(inserted: Array(documents[part * 500..<part * 500 + 500])) }
        for type in ["type", "-type"] {
            for second in ["name", "modified", "size", "path", "liked", nil] {
                for sign in ["", "-"] {
                    let order = try SortOrder(keys: [type] + (second.map { [sign + $0] } ?? []))
                    let wanted = documents.sorted(by: order.comparator).map(\.key)
                    for limit in [1, 20, 400, 1499, 1500, 1501] {
                        let first = store.table.firstRows(limit, by: order)
                            .map { store.table.text(of: store.table.key(of: $0)) }
                        #expect(
                            first == Array(wanted.prefix(limit)), "\(order.keys), seed \(seed)")
                    }
                }
            }
        }
    }

    @Test("a name comes before those that begin with it, whatever its length and whatever follows")
    func beginnings() throws {
        // What follows comes before and after the letters of all keys; the numbers have longer sort keys than names.
        let rest = [" ", "-", "0", "00", "7", "e", "g", "ÿ", " copy 2 of a long name", "\u{1}"]
        for length in 1...26 {
            let table = DocumentTable()
            let folder = try table.folders.add(Array("/r".utf8).span, in: nil)
            var documents: [Document] = []
            for (base, letter) in ["a", "5", "é"].enumerated() {
                let name = String(repeating: letter, count: length)
                // The key of what comes last is the least, so that none of them sorts like its name.
                for (index, part) in (rest + [""]).enumerated() {
                    let bytes = Array((name + part).utf8)
                    let placement = try table.put(
                        table.makeKey("f\(base)\(String(35 - index, radix: 36))"), in: folder,
                        named: bytes.span,
                        facts: DocumentFacts(
                            size: UInt64(base % 2), modified: FileTime(seconds: 1)))
                    documents.append(table.document(of: placement.row))
                }
            }
            for keys in [
                ["name"], ["-name"], ["path"], ["-path"], ["name", "size"], ["path", "-size"],
                ["-size", "-name", "path"], ["size", "-path", "name"],
            ] {
                let order = try SortOrder(keys: keys)
                let wanted = documents.sorted(by: order.comparator).map(\.name)
                let ordering = RowOrdering(table.current, of: table, by: order)
                while !ordering.advance(budget: 50) {}
                let found = ordering.rows.map { table.document(of: $0).name }
                #expect(found == wanted, "\(length) letters, \(keys)")
            }
        }
    }
}
