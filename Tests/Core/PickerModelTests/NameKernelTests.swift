// The search kernel with memory of its own: between pages that can't be read, so that a read outside the texts ends
// the tests.

import CDocumentKernels
import Glibc
import TestSupport
import Testing

@testable import PickerModel

@Suite struct NameKernelTests {
    /// Bytes whose last one is followed by a page that can't be read; the first of the pages can't be read, either.
    @safe private struct GuardedBytes: ~Copyable {
        private let pages: UnsafeMutableRawPointer
        private let size: Int
        let bytes: UnsafeMutableBufferPointer<UInt8>

        init(_ contents: [UInt8]) throws {
            let page = names_page_size()
            size = (contents.count + page - 1) / page * page + 2 * page
            // New pages of the given size, of which the first and the last are closed.
            unsafe pages = try #require(names_map(size))
            unsafe mprotect(pages, page, PROT_NONE)
            unsafe mprotect(pages + size - page, page, PROT_NONE)
            let start = unsafe (pages + size - page - contents.count)
                .bindMemory(to: UInt8.self, capacity: max(1, contents.count))
            unsafe bytes = UnsafeMutableBufferPointer(start: start, count: contents.count)
            _ = unsafe bytes.update(fromContentsOf: contents)
        }

        deinit { unsafe names_unmap(pages, size) }
    }

    /// Texts in blocks, some of which belong to no row, with what is around them.
    private struct Arena {
        var bytes: [UInt8] = []
        var blocks: [names_block] = []
        var starts: [UInt32] = []
        var counts: [UInt16] = []
        /// By row; nil for a row without text.
        var texts: [[UInt8]?] = []

        /// Adds a block with these texts, in random order if they may be shuffled.
        mutating func add(
            _ block: [[UInt8]?], strays: [[UInt8]], mayShuffle: Bool = true,
            _ random: inout SeededNumbers
        ) {
            let first = texts.count
            texts += block + Array(repeating: nil, count: 64 - block.count)
            starts += Array(repeating: UInt32.random(in: 0...99, using: &random), count: 64)
            counts += Array(repeating: 0, count: 64)
            var added = names_block(start: UInt32(bytes.count), used: 0, occupied: 0)
            var rows: [Int?] = block.indices.filter { block[$0] != nil }
            rows += Array(repeating: nil, count: strays.count)
            if mayShuffle, Bool.random(using: &random) { rows.shuffle(using: &random) }
            var stray = strays.makeIterator()
            for row in rows {
                guard let row, let text = block[row] else {
                    bytes += (stray.next() ?? []) + [0xFF]
                    continue
                }
                starts[first + row] = UInt32(bytes.count)
                counts[first + row] = UInt16(text.count)
                added.occupied |= 1 << UInt64(row)
                bytes += text + [0xFF]
            }
            added.used = UInt32(bytes.count) - added.start
            blocks.append(added)
        }

        func plainSearch(_ needle: [UInt8], among: [UInt64]) -> [UInt64] {
            var result = blocks.map { _ in UInt64(0) }
            for (row, text) in texts.enumerated() {
                let bit: UInt64 = 1 << UInt64(row % 64)
                guard let text, among[row / 64] & bit != 0 else { continue }
                if Self.contains(text, needle) { result[row / 64] |= bit }
            }
            return result
        }

        private static func contains(_ text: [UInt8], _ needle: [UInt8]) -> Bool {
            guard text.count >= needle.count else { return false }
            return (0...text.count - needle.count).contains {
                text[$0..<$0 + needle.count].elementsEqual(needle)
            }
        }

        /// The results of each instruction set.
        func search(_ needle: [UInt8], among: [UInt64]) throws -> [[UInt64]] {
            let guarded = try GuardedBytes(bytes)
            let pattern = try GuardedBytes(needle)
            var results: [[UInt64]] = []
            for instructions in SearchInstructions.available {
                var result = blocks.map { _ in UInt64.max }
                // All arrays have as many elements as the kernel reads.
                unsafe blocks.withUnsafeBufferPointer { blocks in
                    unsafe starts.withUnsafeBufferPointer { starts in
                        unsafe counts.withUnsafeBufferPointer { counts in
                            var texts = unsafe names_texts(
                                bytes: guarded.bytes.baseAddress, size: guarded.bytes.count,
                                blocks: blocks.baseAddress, starts: starts.baseAddress,
                                counts: counts.baseAddress)
                            _ = unsafe names_search(
                                instructions.number, &texts, 0, UInt32(blocks.count), among,
                                pattern.bytes.baseAddress, needle.count, &result)
                        }
                    }
                }
                results.append(result)
            }
            return results
        }
    }

    /// Compares all instruction sets with the plain search, among all rows and among some.
    private func check(
        _ arena: Arena, _ needle: [UInt8], _ random: inout SeededNumbers, _ note: String
    ) throws {
        let all = arena.blocks.map { _ in UInt64.max }
        let some = arena.blocks.map { _ in
            UInt64.random(in: 0...UInt64.max, using: &random)
                & UInt64.random(in: 0...UInt64.max, using: &random)
        }
        let few = arena.blocks.map { _ -> UInt64 in 1 << UInt64.random(in: 0..<64, using: &random) }
        for among in [all, some, few] {
            let wanted = arena.plainSearch(needle, among: among)
            for (index, found) in try arena.search(needle, among: among).enumerated()
            where found != wanted {
                Issue.record(
                    "\(note): \(SearchInstructions.available[index]), needle \(needle.prefix(20))")
            }
        }
    }

    @Test("each instruction set finds what a plain search finds, in random texts")
    func random() throws {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        #expect(SearchInstructions.available.count > 1 || SearchInstructions.best == .plain)
        for round in 0..<150 {
            var arena = Arena()
            let letters = UInt8.random(in: 1...4, using: &random)
            let longest = [2, 20, 70, 400].randomElement(using: &random) ?? 1
            func text() -> [UInt8] {
                let count = Int.random(in: 0...longest, using: &random)
                return (0..<count).map { _ in 0x61 + UInt8.random(in: 0..<letters, using: &random) }
            }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let block = (0..<Int.random(in: 0...64, using: &random)).map { _ in
                    Int.random(in: 0..<6, using: &random) == 0 ? nil : text()
                }
                arena.add(block, strays: [text(), text()], &random)
            }
            for _ in 0..<6 {
                var needle = Array(text().prefix(Int.random(in: 1...40, using: &random)))
                if needle.isEmpty { needle = [0x61] }
                try check(arena, needle, &random, "seed \(seed), round \(round)")
            }
        }
    }

    @Test("full blocks, whose texts are in the order of their rows, are searched alike")
    func fullBlocks() throws {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        for round in 0..<60 {
            var arena = Arena()
            let letters = UInt8.random(in: 1...6, using: &random)
            let longest = [0, 1, 3, 20, 63, 64, 65, 130].randomElement(using: &random) ?? 1
            func text() -> [UInt8] {
                let count = Int.random(in: 0...longest, using: &random)
                return (0..<count).map { _ in 0x61 + UInt8.random(in: 0..<letters, using: &random) }
            }
            for _ in 0..<3 {
                arena.add((0..<64).map { _ in text() }, strays: [], mayShuffle: false, &random)
            }
            for length in 1...6 {
                let needle = (0..<length).map { _ in
                    0x61 + UInt8.random(in: 0..<letters, using: &random)
                }
                try check(arena, needle, &random, "seed \(seed), round \(round)")
            }
        }
    }

    @Test("needles at both ends of the texts are found, at each length")
    func ends() throws {
        var random = SeededNumbers(seed: 1)
        for count in Array(1...140) + [255, 256, 1000, 4096] {
            var arena = Arena()
            let needle = [UInt8(ascii: "(")] + Array(repeating: 0x78, count: count)
            let other = Array(repeating: UInt8(0x78), count: count)
            // Two texts, of which only the second is the needle, at the very end; or only the first.
            arena.add([other, Array(needle.prefix(count))], strays: [], &random)
            arena.add([Array(needle.prefix(count)), other], strays: [], &random)
            try check(arena, Array(needle.prefix(count)), &random, "length \(count)")
            // Longer than each text, and than the arena.
            try check(arena, needle, &random, "length \(count)")
            try check(arena, needle + other + other + other + other, &random, "length \(count)")
        }
    }

    @Test("what follows a full block is read no further than there are bytes")
    func behindFullBlock() throws {
        var random = SeededNumbers(seed: 3)
        func letters(_ count: Int) -> [UInt8] { Array(repeating: 0x61, count: count) }
        for count in 3...12 {
            // The block ends at each place of a vector, and the bytes behind it at each of some.
            for last in 0..<64 {
                for rest in [32, 33, 40, 64, 65, 72] {
                    var arena = Arena()
                    arena.add(
                        Array(repeating: letters(count), count: 63) + [letters(last)], strays: [],
                        mayShuffle: false, &random)
                    arena.add([letters(count + rest - 1)], strays: [], &random)
                    let all = arena.blocks.map { _ in UInt64.max }
                    let wanted = arena.plainSearch(letters(count), among: all)
                    let found = try arena.search(letters(count), among: all)
                    #expect(found.allSatisfy { $0 == wanted }, "\(count), \(last), \(rest)")
                }
            }
        }
    }

    @Test("no match crosses the end of a text")
    func boundaries() throws {
        var random = SeededNumbers(seed: 2)
        var arena = Arena()
        for _ in 0..<3 {
            let texts = (0..<64).map { index in Array(repeating: UInt8(0x61), count: index % 5) }
            arena.add(texts, strays: [[0x61]], &random)
        }
        for count in 1...70 {
            try check(arena, Array(repeating: 0x61, count: count), &random, "\(count) equal bytes")
        }
        try check(arena, [0x61, 0x62], &random, "ab")
    }

    @Test("the folding of ASCII equals that of names, and knows the capitals")
    func folding() {
        let seed = SeededNumbers.seed()
        var names = TableNames(random: SeededNumbers(seed: seed))
        var scratch = [UInt8](repeating: 0, count: DocumentTable.longestName)
        for _ in 0..<2000 {
            let name = names.name()
            guard let stored = StoredName(name.span, &scratch) else {
                Issue.record("\(name) is no name")
                continue
            }
            var folded: [UInt8] = []
            unsafe stored.withFolded(scratch) { unsafe folded = Array($0) }
            #expect(folded == FoldedName.bytes(of: String(decoding: name, as: UTF8.self)))
            let capitals = name.enumerated().filter { 0x41...0x5A ~= $0.element }.map(\.offset)
            if name.allSatisfy({ $0 < 0x80 }), capitals.allSatisfy({ $0 < 32 }) {
                #expect(stored.difference == nil)
                #expect(stored.capitals == capitals.reduce(0) { $0 | 1 << UInt32($1) })
            } else {
                #expect(stored.difference != nil && stored.capitals == nil)
            }
        }
    }

    @Test("the hash is SipHash-1-3")
    func hash() {
        // Computed by another implementation, for the bytes 00, 01 … as key and as message, of 8, 15 and 41 bytes.
        let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
        let bytes = (8..<64).map { UInt8($0) }
        var found: [UInt64] = []
        for count in [0, 7, 33] {
            // As many bytes as the array has at least.
            unsafe found.append(names_hash(key.0, key.1, 0x0706_0504_0302_0100, bytes, count))
        }
        #expect(found == [0x3690_9511_8D29_9A8E, 0xD320_D86D_2A51_9956, 0x667C_C192_3F1A_D944])
    }

    @Test("processors that search together find what one finds", arguments: 1...5)
    func together(searchers: Int) throws {
        try withSeed { random in
            let table = DocumentTable()
            table.searchers = searchers
            // Some parts of 64 blocks, and a rest.
            for number in 0..<20_000 {
                let words = ["a", "ab", "abc", "b c", "ß"]
                let name = (0..<Int.random(in: 1...4, using: &random))
                    .map { _ in words.randomElement(using: &random) ?? "" }.joined()
                try table.addPlain(name + " \(number)")
            }
            for round in 0..<60 {
                let text = ["a", "abc", "ca", "bss", "c 7", "none", "1999"]
                    .randomElement(using: &random)
                let search = try #require(try NameSearch.parse(text))
                let start = Int.random(in: 0..<table.blockCount, using: &random)
                let blocks = start..<Int.random(in: start...table.blockCount, using: &random)
                var base: RowBitset?
                if random.chance(0.5) {
                    var rows = RowBitset(bound: table.rowEnd)
                    for row in 0..<table.rowEnd where random.chance(0.3) { rows.insert(row) }
                    base = rows
                }
                var one = RowBitset(bound: table.rowEnd)
                one.insert(0)
                var together = one
                table.search(search, blocks: blocks, in: base, result: &one)
                var next = start
                while next < blocks.upperBound {
                    let rest = next..<blocks.upperBound
                    let found = table.searchTogether(
                        search, blocks: rest, in: base, result: &together)
                    #expect(found.end > next)
                    next = found.end
                }
                #expect(one == together, "round \(round): \(search.text) in \(blocks)")
            }
        }
    }

    @Test("processors search together where there are some that do not rest")
    func companions() throws {
        let table = DocumentTable()
        table.searchers = 1
        #expect(!table.canSearchTogether && table.others == nil)
        table.searchers = 2
        let others = try #require(table.others)
        #expect(table.canSearchTogether)
        let begun = ContinuousClock.now
        others.beginRest()
        #expect(!table.canSearchTogether || begun.duration(to: .now) >= SearchRest.shortest)
    }

    @Test("a rest that begins soon after another is twice as long, up to the longest")
    func rests() {
        var rest = SearchRest()
        var now = ContinuousClock.now
        let step = Duration.nanoseconds(1)
        #expect(!rest.isOn(at: now))
        for length in [200, 400, 800, 1600, 3200, 6400, 6400] {
            let length = Duration.milliseconds(length)
            rest.begin(at: now)
            #expect(rest.isOn(at: now) && rest.isOn(at: now + length - step))
            #expect(!rest.isOn(at: now + length))
            // The latest time that is soon.
            now += length * 2 - step
        }
        now += step
        rest.begin(at: now)
        #expect(rest.isOn(at: now + SearchRest.shortest - step))
        #expect(!rest.isOn(at: now + SearchRest.shortest))
    }

    @Test("processors that search together stop after some steps, and tell where", arguments: 2...3)
    func togetherAtWorst(searchers: Int) throws {
        let table = DocumentTable()
        table.searchers = searchers
        // The needle begins nearly everywhere.
        for number in 0..<4 * 64 * ParallelSearch.blocksPerPart {
            try table.addPlain(String(repeating: "a", count: 100) + "b\(number)")
        }
        let text = String(repeating: "a", count: 10) + "ba"
        let search = try #require(try NameSearch.parse(text))
        var start = 0
        var calls = 0
        while start < table.blockCount {
            var result = RowBitset(bound: table.rowEnd)
            for row in 0..<table.rowEnd { result.insert(row) }
            let blocks = start..<table.blockCount
            let found = table.searchTogether(search, blocks: blocks, in: nil, result: &result)
            #expect(found.end > start)
            // Nothing matches, and what was not searched is not told to.
            #expect(result.count == start * 64)
            let part = ParallelSearch.blocksPerPart * 64 * 100
            #expect(found.steps <= 40_000 + part, "each ends the part that it has begun")
            start = found.end
            calls += 1
        }
        // Each takes one of the four parts.
        #expect(calls >= 2)
    }
}

extension DocumentTable {
    /// Adds a document with this name, and a key by its number.
    fileprivate func addPlain(_ name: String) throws {
        let path = Array("/r".utf8)
        let root =
            try folders.folder(in: nil, named: path.span) ?? folders.add(path.span, in: nil)
        try put(
            KeyNumber(minted: UInt64(rowEnd)), in: root, named: Array(name.utf8).span,
            facts: DocumentFacts(size: 1, modified: FileTime(seconds: 0), device: 7))
    }
}
