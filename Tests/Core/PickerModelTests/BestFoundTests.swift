// The first rows of a search that ranks documents, before all are ranked.

import TestSupport
import Testing

@testable import PickerModel

@Suite struct BestFoundTests {
    private static func store(_ names: [String]) -> DocumentStore {
        let store = DocumentStore(epoch: "e")
        store.apply(inserted: documents(names))
        return store
    }

    /// Half of them have a size of 0.
    private static func documents(_ names: [String], from first: Int = 0) -> [Document] {
        names.enumerated().map { number, name in
            Document(
                key: "k\(first + number)", root: "/r", path: FileName(name),
                size: UInt64(number % 2), modified: FileTime(seconds: 1))
        }
    }

    @Test("no document has more points than a query says, nor a shorter name than its row says")
    func bounds() throws {
        let seed = SeededNumbers.seed()
        var fuzzy = SeededFuzzy(seed: seed)
        var texts = SeededTexts(seed: seed)
        let odd = [
            " a", "a ", "\u{2003}é", "é\u{3000}", "ﬁ ﷺ", "e\u{301}", "日本 ", "\u{A0}", "👍🏽", "ß",
        ]
        let names = Set(
            odd + (0..<300).map { _ in texts.name() } + (0..<300).map { _ in fuzzy.text(1...20) }
        ).filter { !$0.isEmpty && !$0.contains("/") && $0.utf8.count < 200 }.sorted()
        let store = Self.store(names)
        var (most, exact) = (0, 0)
        // Single letters are in many names, whatever the seed is.
        let letters = ["a", "b", "e", "i", "o", "r", "1"]
        for round in 0..<40 + letters.count {
            let text =
                round < 40
                ? PickerModelTests.query(of: fuzzy.sets()) : letters[round - 40]
            let query = try #require(try FuzzyQuery.parse(text))
            let search = FuzzySearch(query)
            for row in store.bits(in: .listed) {
                let row = DocumentRow(UInt32(row))
                guard let rank = search.rank(of: row, in: store.table), query.isRanked else {
                    continue
                }
                let name = store.table.document(of: row).name.text
                let least = store.table.leastLetters(of: row)
                #expect(least <= rank.length, "seed \(seed): \(name.hexScalars)")
                #expect(rank.points <= query.mostPoints, "seed \(seed): '\(query.text)' \(name)")
                if least == rank.length { exact += 1 }
                if rank.points == query.mostPoints { most += 1 }
            }
        }
        #expect(most > 10 && exact > 1000, "\(most), \(exact): seed \(seed)")
    }

    @Test(
        "rows are found by the letters that their names have at least, up to the longest, in whole blocks and the rest"
    )
    func byLetters() throws {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        var texts = SeededTexts(seed: seed)
        var names: Set<String> = [" a"]
        // 254 bytes more than letters, and more than there is room for.
        for count in [1, 126, 127, 128, 600] {
            names.insert(String(repeating: "日", count: count))
            names.insert(String(repeating: "a", count: count))
        }
        while names.count < 150 {
            let name = texts.name()
            if !name.isEmpty, !name.contains("/"), !name.contains("\0") { names.insert(name) }
        }
        let table = Self.store(names.sorted()).table
        let lengths = (0..<table.rowEnd).map { table.leastLetters(of: DocumentRow($0)) }
        #expect(Set(lengths).isSuperset(of: [0, 1, 126, 127, 128, 600]), "seed \(seed)")
        let ends: [UInt16] = [0, 1, 127, 128, 254, 255, 256, 600, .max]
        var ranges = ends.flatMap { first in ends.filter { $0 >= first }.map { first...$0 } }
        for _ in 0..<40 {
            let first = UInt16.random(in: 0...40, using: &random)
            ranges.append(first...first + .random(in: 0...40, using: &random))
        }
        for range in ranges {
            for block in 0..<(table.rowEnd + 63) / 64 {
                var wanted: UInt64 = 0
                for row in block * 64..<min(table.rowEnd, block * 64 + 64)
                where range.contains(UInt16(lengths[row])) {
                    wanted |= 1 << UInt64(row % 64)
                }
                let found = table.rows(ofBlock: block, among: .max, withLetters: range)
                #expect(found == wanted, "seed \(seed): \(range), \(block)")
            }
        }
    }

    @Test("names that begin with what is sought are found first, and most others passed over")
    func passing() throws {
        // Some are as long as the best, and are told apart by their names; some have accents.
        let names = (0..<25_600).map { number in
            ["report ", "the report ", "réport "][number % 3]
                + String(repeating: "x", count: number * 7919 % 97) + " \(number)"
        }
        let store = Self.store(names)
        let search = FuzzySearch(try #require(try FuzzyQuery.parse("rep")))
        let ranking = RankedDocuments(of: store, in: .listed, by: search)
        let order = try SortOrder(keys: ["score"])
        let best = try #require(
            BestFound(20, foundBy: ranking, sortedBy: order, matching: nil))
        var slices = 0
        while !best.advance(budget: 100) { slices += 1 }
        #expect(slices > 20)
        while !ranking.advance(budget: .max) {}
        let all = ranking.foundBits.map { DocumentRow(UInt32($0)) }.sorted {
            store.table.compare($0, $1, by: order, rank: { ranking.rank(of: $0) }) < 0
        }
        #expect(best.rows == Array(all.prefix(20)))
        #expect(best.count < 2000, "so many were ranked")
        #expect(best.stepsTaken * 4 < ranking.stepsTaken)
        #expect(BestFound(20, foundBy: ranking, sortedBy: .name, matching: nil) == nil)
    }

    @Test("where nothing has the most points, it gives up soon")
    func givingUp() throws {
        let store = Self.store((0..<40_000).map { "the-report-\($0)" })
        let search = FuzzySearch(try #require(try FuzzyQuery.parse("rep")))
        let ranking = RankedDocuments(of: store, in: .listed, by: search)
        let best = try #require(
            BestFound(
                20, foundBy: ranking, sortedBy: try SortOrder(keys: ["score"]), matching: nil))
        #expect(best.advance(budget: .max >> 1) && best.rows == nil)
        #expect(best.count == 16_384)
        // The first of the shortest names, by then of 4,096.
        #expect(best.soFar == (0..<20).map { DocumentRow(UInt32($0)) })
    }

    @Test("where the best have long names, the first of the others are told before")
    func soFar() throws {
        let store = Self.store(
            (0..<5000).map { "the-report-\($0)" }
                + (0..<30).map { "report " + String(repeating: "x", count: 20) + "\($0)" })
        let search = FuzzySearch(try #require(try FuzzyQuery.parse("rep")))
        let ranking = RankedDocuments(of: store, in: .listed, by: search)
        let early = EarlyRows(
            20, foundBy: ranking, sortedBy: try SortOrder(keys: ["score"]), matching: nil, after: 16
        )
        #expect(!early.advance(budget: 100), "the search is to begin")
        _ = ranking.matching.advance(budget: 1)
        var told: [[Int]] = []
        while early.advance(budget: 1000) {
            if early.findings > told.count {
                told.append(early.found?.items.rows.compactMap { $0.item?.row?.index } ?? [])
            }
        }
        #expect(told == [Array(0..<20), Array(5000..<5020)])
        #expect(early.found?.count ?? 0 > 4096)
    }

    @Test("where short names do not match, what is found is told once it fills a screen")
    func foundSoFar() throws {
        let names =
            (100..<400).map { "the report of a year \($0)" } + (0..<20_000).map { "x\($0)" }
        for (limit, isEnough) in [(66, true), (120, false)] {
            let store = Self.store(names)
            let search = FuzzySearch(try #require(try FuzzyQuery.parse("rep")))
            let ranking = RankedDocuments(of: store, in: .listed, by: search)
            let early = EarlyRows(
                limit, foundBy: ranking, sortedBy: try SortOrder(keys: ["score"]), matching: nil,
                after: 16)
            #expect(!early.advance(budget: 100), "the search is to begin")
            // Of 66 rows 24 are enough, and of 120 it takes 40.
            while ranking.foundBits.count < 30 { _ = ranking.matching.advance(budget: 1) }
            let count = ranking.foundBits.count
            #expect(count < 40)
            var (told, steps, revs): ([Range<Int>], [Int], [Int]) = ([], [], [])
            var number = names.count
            while early.advance(budget: 1000) {
                // What comes meanwhile is in neither: rows of a later revision would have to be taken back.
                store.apply(inserted: Self.documents(["report \(number)"], from: number))
                number += 1
                guard early.findings > told.count else { continue }
                let rows = early.found?.items.rows.compactMap { $0.item?.row?.index } ?? []
                told.append(0..<rows.count)
                steps.append(early.stepsTaken)
                revs.append(early.found?.rev ?? 0)
                #expect(rows == Array(0..<rows.count))
            }
            // Those that come too late are the first of the best.
            #expect(told == [0..<(isEnough ? count : 40), 0..<limit])
            #expect(revs[0] == revs[1])
            #expect(store.bits(in: .listed).count == number && number > names.count + 10)
            // About a millisecond.
            if isEnough { #expect((12_000...14_000).contains(steps[0]), "\(steps)") }
        }
    }

    @Test("finds what sorting all finds, for random names, searches, orders and conditions")
    func equalsSorting() throws {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        var fuzzy = SeededFuzzy(seed: seed)
        var (found, whole) = (0, 0)
        for round in 0..<30 {
            let letters = Array(round % 2 == 0 ? "ab " : "abc1_-. é")
            let names = Set(
                (0..<Int.random(in: 1...1500, using: &random)).map { _ in
                    fuzzy.text(1...(round % 3 == 0 ? 12 : 5), of: letters)
                }
            ).filter { !$0.allSatisfy { $0 == "." } }.sorted().shuffled(using: &random)
            let store = Self.store(names)
            // Some have left, and others have come to their rows.
            let gone = names.indices.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
            let all = Self.documents(names)
            store.apply(removed: gone.map { all[$0] })
            store.apply(
                inserted: Self.documents(gone.map { "a" + names[$0] + "b" }, from: names.count))
            store.table.checkInvariants()
            let wider = RankedDocuments(
                of: store, in: .listed,
                by: FuzzySearch(try #require(try FuzzyQuery.parse("a"))))
            while !wider.advance(budget: .max) {}
            let search = FuzzySearch(
                try #require(try FuzzyQuery.parse("a" + fuzzy.text(0...2, of: Array("ab ")))))
            let ranking = RankedDocuments(
                of: store, in: .listed, by: search, among: round % 4 == 0 ? wider : nil)
            _ = ranking.matching.advance(budget: 1)
            let order = try SortOrder(
                keys: [["score"], ["score", "-name"]].randomElement(using: &random) ?? [])
            let query =
                round % 5 == 0
                ? DocumentQuery(filter: DocumentFilter(.size(.less, 1))) : nil
            let limit = Int.random(in: 1...60, using: &random)
            let best = try #require(
                BestFound(limit, foundBy: ranking, sortedBy: order, matching: query))
            while !best.advance(budget: Int.random(in: 1...400, using: &random)) {}
            while !ranking.advance(budget: .max) {}
            let expected = ranking.foundBits.map { DocumentRow(UInt32($0)) }
                .filter { query?.matches($0, of: store.table) ?? true }
                .sorted {
                    store.table.compare($0, $1, by: order, rank: { ranking.rank(of: $0) }) < 0
                }
            #expect(best.rows == Array(expected.prefix(limit)), "seed \(seed), round \(round)")
            found += expected.count
            if best.count < expected.count { whole += 1 }
        }
        #expect(found > 1000 && whole > 5, "\(found), \(whole)")
    }

    @Test("however long the search and the names are, a slice takes one document too many at most")
    func slices() throws {
        let letters = String(repeating: "rep", count: 60)
        let store = Self.store((0..<256).map { letters + "\($0)" })
        let search = FuzzySearch(try #require(try FuzzyQuery.parse(letters)))
        let ranking = RankedDocuments(of: store, in: .listed, by: search)
        while !ranking.isMatched { _ = ranking.matching.advance(budget: 1) }
        let order = try SortOrder(keys: ["score"])
        let best = try #require(BestFound(400, foundBy: ranking, sortedBy: order, matching: nil))
        let patterns = DocumentQuery(
            filter: DocumentFilter(.all((0..<200).map { .size(.less, UInt64($0 + 2)) })))
        let first = FirstFound(400, foundBy: ranking, sortedBy: order, matching: patterns)
        let ofDocument = search.query.steps(forName: letters.utf8.count + 3)
        var (most, mostTests) = (0, 0)
        var isDone = false
        while !isDone {
            let before = best.stepsTaken
            isDone = best.advance(budget: 100)
            if !isDone { most = max(most, best.stepsTaken - before) }
        }
        isDone = false
        while !isDone {
            let before = first.stepsTaken
            isDone = first.advance(budget: 100)
            if !isDone { mostTests = max(mostTests, first.stepsTaken - before) }
        }
        // Finding the candidates of a block is one step for 64 bytes and letter.
        let ofBlock = 64 * (letters.utf8.count / 64 + 2) + letters.utf8.count * 8
        #expect(most < 100 + ofDocument + ofBlock && most > ofDocument)
        #expect(mostTests < 100 + 2 * 200)
    }
}
