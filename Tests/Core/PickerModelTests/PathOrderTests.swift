import TestSupport
import Testing

@testable import PickerModel

@Suite struct PathOrderTests {
    /// Names of files and folders that compare with each other in every way.
    private static let names: [[UInt8]] =
        ["a", "A", "a.txt", "a b", "ab", "a0", "b", "B.TXT", "é", "e\u{301}", "漢", "漢字", "🙂", "z"]
        .map { Array($0.utf8) }
        + [
            [0x61, 0xFF], [0x61, 0xFE], [0x61, 0x80], [0xE6, 0xBC], [0xE6, 0xBC, 0xA3], [0xC3],
            [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x99], [0x61, 0xEF, 0xBF, 0xBD],
            Array("a".utf8) + [0xC3, 0xA9, 0xA9], Array("longer than eight bytes".utf8),
            Array("longer than eight Bytes and 32 Bytes, with a late Capital".utf8),
        ]

    /// A table of documents in folders within folders of some roots, and the same documents as values.
    private struct Tree {
        let table = DocumentTable()
        private(set) var folders: [FolderNumber] = []
        private(set) var documents: [DocumentRow: Document] = [:]
        var random: SeededNumbers

        init(seed: UInt64, roots: [String], folders count: Int) throws {
            random = SeededNumbers(seed: seed)
            for root in roots {
                folders.append(try table.folders.add(Array(root.utf8).span, in: nil))
            }
            for _ in 0..<count {
                guard let parent = folders.randomElement(using: &random),
                    let name = PathOrderTests.names.randomElement(using: &random)
                else { continue }
                let folder = try table.folders.add(name.span, in: parent)
                if !folders.contains(folder) { folders.append(folder) }
            }
        }

        mutating func put(_ count: Int) throws {
            for _ in 0..<count {
                guard let folder = folders.randomElement(using: &random),
                    let name = PathOrderTests.names.randomElement(using: &random)
                else { continue }
                if table.row(in: folder, bytes: name) != nil { continue }
                let number = documents.count
                let key =
                    number % 9 == 0 ? "x:\(number)" : "f" + String(number * 7919, radix: 36)
                let facts = DocumentFacts(
                    size: UInt64.random(in: 0..<3, using: &random),
                    modified: FileTime(seconds: Int64(number % 4), nanoseconds: 0))
                let placement = try table.put(
                    table.makeKey(key), in: folder, named: name.span, facts: facts)
                documents[placement.row] = table.document(of: placement.row)
            }
        }

        func sorted(by order: SortOrder, among rows: RowBitset) -> [DocumentRow] {
            documents.filter { rows.contains($0.key.index) }
                .sorted { order.compare($0.value, $1.value) < 0 }.map(\.key)
        }
    }

    private static let orders = [
        ["path"], ["-path"], ["size", "path"], ["-size", "-path"], ["path", "-size"],
        ["type", "-path"],
    ]

    @Test("rows by path are in the order of their documents")
    func orders() throws {
        let seed = SeededNumbers.seed()
        for round in 0..<30 {
            let roots = [["/r"], ["/r", "/r-x"], ["/r", "/r-x", "/r/a", "/"]][round % 3]
            var tree = try Tree(
                seed: seed &+ UInt64(round), roots: roots, folders: [0, 3, 40][round / 3 % 3])
            try tree.put([1, 30, 300][round / 9 % 3])
            var some = RowBitset(bound: tree.table.rowEnd)
            for row in tree.documents.keys where Bool.random(using: &tree.random) {
                some.insert(row.index)
            }
            for keys in Self.orders {
                let order = try SortOrder(keys: keys)
                for rows in [tree.table.current, some] {
                    let wanted = tree.sorted(by: order, among: rows)
                    let comment: Comment = "seed \(seed), round \(round), \(keys)"
                    let ordering = RowOrdering(rows, of: tree.table, by: order)
                    while !ordering.advance(budget: Int.random(in: 1...60, using: &tree.random)) {}
                    #expect(ordering.rows == wanted, comment)
                    for limit in [0, 1, 5, 40] {
                        let first = FirstRows(limit, of: rows, in: tree.table, by: order)
                        while !first.advance(budget: Int.random(in: 1...60, using: &tree.random)) {}
                        #expect(first.rows == Array(wanted.prefix(limit)), "\(comment), \(limit)")
                    }
                }
            }
        }
    }

    @Test("folders that come and go between slices change no order")
    func otherFolders() throws {
        let seed = SeededNumbers.seed()
        for round in 0..<10 {
            var tree = try Tree(seed: seed &+ UInt64(round), roots: ["/r", "/s"], folders: 30)
            try tree.put(200)
            let order = try SortOrder(keys: ["path"])
            let ordering = RowOrdering(tree.table.current, of: tree.table, by: order)
            var others: [FolderNumber] = []
            while !ordering.advance(budget: 3) {
                if let last = others.popLast(), Bool.random(using: &tree.random) {
                    tree.table.folders.remove(last)
                    continue
                }
                guard let parent = tree.folders.randomElement(using: &tree.random) else { break }
                let name = Array("other \(others.count)".utf8)
                others.append(try tree.table.folders.add(name.span, in: parent))
            }
            #expect(
                ordering.rows == tree.sorted(by: order, among: tree.table.current), "seed \(seed)")
        }
    }

    @Test("rows compare like their documents in every field")
    func comparison() throws {
        let seed = SeededNumbers.seed()
        var tree = try Tree(seed: seed, roots: ["/r", "/r-x", "/r/a"], folders: 25)
        try tree.put(150)
        for keys in Self.orders + [
            ["name"], ["modified"], ["-type", "name"], ["liked", "-type"], ["liked"],
        ] {
            let order = try SortOrder(keys: keys)
            let word = tree.table.leadingWord(of: order)
            for (left, document) in tree.documents {
                for (right, other) in tree.documents {
                    let result = tree.table.compare(left, right, by: order).signum()
                    if word(left) < word(right), result >= 0 {
                        Issue.record("seed \(seed), \(keys): words of \(document.path)")
                        return
                    }
                    guard result != order.compare(document, other).signum() else { continue }
                    Issue.record("seed \(seed), \(keys): \(document.path) and \(other.path)")
                    return
                }
            }
        }
    }

    @Test("keys compare by their text")
    func keys() {
        var texts = ["", "f", "f0", "x:1", "f1\u{0}", "é", "fffffffff", "12345678", "123456789"]
        let numbers: [UInt64] = [0, 1, 9, 10, 35, 36, 1295, 1296, 46656, KeyNumber.mintedLimit - 1]
        var keys = texts.map { KeyText($0) }
        for number in numbers {
            texts.append(KeyNumber.text(ofMinted: number))
            keys.append(KeyText(minted: number))
        }
        for (one, text) in zip(keys, texts) {
            for (other, second) in zip(keys, texts) {
                #expect(
                    one.compare(other).signum() == text.compareBytes(second).signum(),
                    "'\(text)' and '\(second)'")
            }
        }
    }

    @Test("the first rows by path read the names of few folders, and few names of files")
    func cost() throws {
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        for outer in 0..<40 {
            let folder = try table.folders.add(Array("\(1000 + outer)".utf8).span, in: root)
            for inner in 0..<40 {
                let place = try table.folders.add(Array("\(1000 + inner)".utf8).span, in: folder)
                for file in 0..<5 {
                    let key = KeyNumber(minted: UInt64(outer * 200 + inner * 5 + file))
                    try table.put(
                        key, in: place, named: Array("\(file)".utf8).span,
                        facts: DocumentFacts(
                            size: 0, modified: FileTime(seconds: 0, nanoseconds: 0)))
                }
            }
        }
        for isReversed in [false, true] {
            let places = PathPlaces(of: table.current, in: table, isReversed: isReversed, limit: 20)
            var steps = 0
            #expect(places.advance(&steps, budget: .max))
            // Those of the outer folders, and of the folders in one of them.
            #expect(places.comparisons < 100)
            let known = table.current.filter { places.bound(of: $0) != nil }.count
            #expect((20..<50).contains(known), "\(known)")
            #expect(steps < 8000 / 4 + 1000, "\(steps)")
        }
    }

    @Test("the words of a name are the bytes of its text, from any of them on")
    func words() throws {
        try withSeed { random in
            let letters = ["a", "B", "Z", "z", "0", " ", "é", "漢", "🙂"].map { Array($0.utf8) }
            let table = DocumentTable()
            let root = try table.folders.add(Array("/r".utf8).span, in: nil)
            var names = Self.names
            for _ in 0..<300 {
                let isAscii = random.chance(0.5)
                names.append(
                    (1...Int.random(in: 1...50, using: &random)).flatMap { _ in
                        letters.prefix(isAscii ? 6 : 9).randomElement(using: &random) ?? []
                    })
            }
            for name in names {
                guard table.row(in: root, bytes: name) == nil else { continue }
                let facts = DocumentFacts(size: 1, modified: FileTime(seconds: 0, nanoseconds: 0))
                let row = try table.put(
                    table.makeKey("f\(table.count)x"), in: root, named: name.span, facts: facts
                ).row
                let text = Array(String(decoding: name, as: UTF8.self).utf8)
                for start in 0...text.count {
                    for wanted in [4, 8] {
                        let bytes = text.dropFirst(start).prefix(wanted)
                        let word = bytes.enumerated().reduce(UInt64(0)) {
                            $0 | UInt64($1.element) << UInt64(56 - 8 * $1.offset)
                        }
                        // The part is used before the table changes.
                        let found = table.namePart(of: row.index).word(from: start, bytes: wanted)
                        #expect(
                            found == (start < text.count ? word : nil),
                            "\(name) from \(start): seed \(random.seed)")
                    }
                }
            }
        }
    }
}
