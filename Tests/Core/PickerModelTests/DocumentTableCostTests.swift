import TestSupport
import Testing

@testable import PickerModel

@Suite struct DocumentTableCostTests {
    private static let facts = DocumentFacts(size: 1, modified: FileTime(seconds: 0), device: 7)

    private static func table(_ names: [String]) throws -> (DocumentTable, FolderNumber) {
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        for (index, name) in names.enumerated() {
            try table.put(
                KeyNumber(minted: UInt64(index)), in: root, named: Array(name.utf8).span,
                facts: facts)
        }
        return (table, root)
    }

    @Test("inserting, changing, moving and removing allocate nothing where rows have been before")
    func steadyChanges() throws {
        let (table, root) = try Self.table((0..<3000).map { "Name number \($0).txt" })
        let other = try table.folders.add(Array("b".utf8).span, in: root)
        func round() throws {
            for number in 0..<1000 {
                guard let row = table.row(of: KeyNumber(minted: UInt64(number))) else { continue }
                let changed = try table.change(row, facts: Self.facts)
                let target = table.folder(of: row) == root ? other : root
                table.remove(try table.move(changed, to: target).row)
            }
            table.releaseFreedRows()
        }
        let names = (0..<1000).map { Array("Name number \($0).txt".utf8) }
        func insert() throws {
            for number in 0..<1000 {
                let name = names[number]
                try table.put(
                    KeyNumber(minted: UInt64(number)), in: root, named: name.span,
                    facts: Self.facts)
            }
        }
        try round()
        try insert()
        try round()
        let inserting = try Cost.of { try insert() }
        #expect(inserting.allocations == 0, "\(inserting)")
        let changing = try Cost.of { try round() }
        #expect(changing.allocations == 0, "\(changing)")
        table.checkInvariants()
    }

    @Test("a search allocates nothing, and neither does one that narrows it")
    func search() throws {
        let (table, _) = try Self.table((0..<5000).map { "Straße Name \($0).txt" })
        let search = try #require(try NameSearch.parse("se name 1"))
        let narrower = try #require(try NameSearch.parse("se name 12"))
        var result = RowBitset(bound: table.rowEnd)
        var narrowed = RowBitset(bound: table.rowEnd)
        let all = 0..<table.blockCount
        // The best instructions are known from the first search on.
        table.search(search, blocks: 0..<1, result: &result)
        let cost = Cost.of {
            table.search(search, blocks: all, result: &result)
            table.search(narrower, blocks: all, in: result, result: &narrowed)
        }
        #expect(cost.allocations == 0, "\(cost)")
        #expect(result.count == 1111 && narrowed.count == 111)
    }

    @Test("a narrowing search takes few steps if few rows are left")
    func narrowing() throws {
        let (table, _) = try Self.table((0..<20_000).map { "A name of usual length \($0).txt" })
        let all = 0..<table.blockCount
        var base = RowBitset(bound: table.rowEnd)
        for row in stride(from: 0, to: table.rowEnd, by: 1000) { base.insert(row) }
        let search = try #require(try NameSearch.parse("length"))
        var result = RowBitset()
        let steps = table.search(search, blocks: all, in: base, result: &result)
        #expect(result == base)
        #expect(steps <= table.blockCount + 4 * base.count, "\(steps)")
    }

    @Test("searches equal those of documents, in slices, while documents change")
    func sliced() throws {
        let seed = SeededNumbers.seed()
        var names = TableNames(random: SeededNumbers(seed: seed))
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        for round in 0..<60 {
            for _ in 0..<30 {
                let key = KeyNumber(
                    minted: UInt64.random(in: 0..<400, using: &names.random))
                if let row = table.row(of: key), Bool.random(using: &names.random) {
                    table.remove(row)
                } else {
                    try table.put(
                        key, in: root, named: names.name().span, facts: names.facts())
                }
            }
            if round % 3 == 0 { table.releaseFreedRows() }
            table.compact(budget: 300)
            for text in ["a", "img_20241", "strasse", "\u{301}", "x", "zzz", "jpg"] {
                let search = try #require(try NameSearch.parse(text))
                let base = try #require(try NameSearch.parse(String(text.prefix(1))))
                var wider = RowBitset()
                var narrowed = RowBitset()
                for instructions in SearchInstructions.available {
                    var result = RowBitset()
                    for block in 0..<table.blockCount {
                        table.search(
                            search, blocks: block..<block + 1, result: &result,
                            instructions: instructions)
                        table.search(
                            base, blocks: block..<block + 1, result: &wider,
                            instructions: instructions)
                        table.search(
                            search, blocks: block..<block + 1, in: wider, result: &narrowed,
                            instructions: instructions)
                    }
                    result.checkInvariants()
                    let wanted = table.current.filter {
                        search.matches(FoldedName(table.name(of: DocumentRow($0)).text))
                    }
                    #expect(Array(result) == wanted, "seed \(seed), \(text), \(instructions)")
                    #expect(Array(narrowed) == wanted, "seed \(seed), \(text), narrowed")
                }
            }
        }
    }

    @Test("names that differ little, and names chosen without the key, take few probes each")
    func flooding() throws {
        // Names that collide for hashes that add or multiply bytes, and names that differ in case alone.
        var names: [String] = []
        for number in 0..<8192 {
            let bits = (0..<13).map { number >> $0 & 1 }
            names.append(bits.map { $0 == 0 ? "Aa" : "BB" }.joined())
            names.append(bits.map { $0 == 0 ? "x" : "X" }.joined())
        }
        let (table, root) = try Self.table(names)
        let before = table.byPlace.probes
        for name in names {
            _ = try #require(table.row(in: root, name))
        }
        let found = table.byPlace.probes - before
        #expect(found < names.count * 6, "\(found) probes for \(names.count) names")
        for name in names {
            #expect(table.row(in: root, "\(name)?") == nil)
        }
        let missed = table.byPlace.probes - before - found
        #expect(missed < names.count * 20, "\(missed) probes for \(names.count) names")
        let keys = table.byKey.probes
        for number in names.indices {
            _ = try #require(table.row(of: KeyNumber(minted: UInt64(number))))
        }
        #expect(table.byKey.probes - keys < names.count * 6)
    }

    @Test("another secret gives other hashes")
    func secrets() throws {
        let one = DocumentTable(hashKey: (1, 2))
        let other = DocumentTable(hashKey: (1, 3))
        #expect(one.hash(of: KeyNumber(minted: 1)) != other.hash(of: KeyNumber(minted: 1)))
        let random = DocumentTable()
        let again = DocumentTable()
        #expect(random.hash(of: KeyNumber(minted: 1)) != again.hash(of: KeyNumber(minted: 1)))
    }

    @Test("no insertion takes long, not even those at which columns and indexes grow")
    func growth() throws {
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        // The types of files are a table, which the first name makes.
        _ = MediaType(forName: "a.txt")
        var (mostProbes, mostCopied, mostBytes) = (0, 0, 0)
        for number in 0..<30_000 {
            let name = Array("Name \(number)".utf8)
            let (probes, copied) = (table.byKey.probes + table.byPlace.probes, table.texts.copied)
            let cost = try Cost.of {
                try table.put(
                    KeyNumber(minted: UInt64(number)), in: root, named: name.span,
                    facts: Self.facts)
            }
            mostProbes = max(
                mostProbes, table.byKey.probes + table.byPlace.probes - probes)
            mostCopied = max(mostCopied, table.texts.copied - copied)
            mostBytes = max(mostBytes, cost.bytes)
        }
        // Moving all rows of an index takes at least a probe for each of some thousand.
        #expect(mostProbes < 1000)
        #expect(mostCopied == 0)
        // The bitset of current rows is an array, which doubles: of 30,000 bits.
        #expect(mostBytes < 10_000)
    }

    @Test("a document takes few bytes")
    func bytes() throws {
        let names = (0..<20_000).map { number in
            let text = "Screenshot from 2024-11-23 at \(number)"
            return text + String(repeating: "x", count: 35 - text.count) + ".png"
        }
        #expect(names.allSatisfy { $0.utf8.count == 39 })
        let table = DocumentTable()
        let root = try table.folders.add(Array("/r".utf8).span, in: nil)
        try table.reserve(rows: 20_000, nameBytes: 20_000 * 39)
        for (number, name) in names.enumerated() {
            try table.put(
                KeyNumber(minted: UInt64(number)), in: root, named: Array(name.utf8).span,
                facts: Self.facts)
        }
        #expect(table.bytesInUse <= 96 * 20_000, "\(table.bytesInUse / 20_000) bytes each")
    }
}
