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
        var (most, exact, tested, passed, passedInVain) = (0, 0, 0, 0, 0)
        // Single letters are in many names, whatever the seed is.
        let letters = ["a", "b", "e", "i", "o", "r", "1"]
        for round in 0..<40 + letters.count {
            let text =
                round < 40
                ? PickerModelTests.query(of: fuzzy.sets()) : letters[round - 40]
            let query = try #require(try FuzzyQuery.parse(text))
            let search = FuzzySearch(query)
            let wanted = WantedBeginnings(of: query)
            for row in store.bits(in: .listed) {
                let row = DocumentRow(UInt32(row))
                var steps = 0
                let mayHaveMost = search.mayHaveMostPoints(row, of: store.table, steps: &steps)
                let beginnings = store.table.withSearchBytes(of: row) { WordBeginnings(of: $0) }
                let mayBegin = wanted.mayBegin(beginnings)
                #expect(mayBegin || !mayHaveMost, "seed \(seed): '\(query.text)' \(row.index)")
                if query.isRanked {
                    tested += 1
                    if mayHaveMost { passed += 1 } else if mayBegin { passedInVain += 1 }
                }
                guard let rank = search.rank(of: row, in: store.table), query.isRanked else {
                    continue
                }
                let name = store.table.document(of: row).name.text
                let least = store.table.leastLetters(of: row)
                #expect(least <= rank.length, "seed \(seed): \(name.hexScalars)")
                #expect(rank.points <= query.mostPoints, "seed \(seed): '\(query.text)' \(name)")
                if least == rank.length { exact += 1 }
                if rank.points == query.mostPoints {
                    most += 1
                    #expect(mayHaveMost, "seed \(seed): '\(query.text)' \(name.hexScalars)")
                }
            }
        }
        #expect(most > 10 && exact > 1000, "\(most), \(exact): seed \(seed)")
        #expect(passed * 2 < tested, "\(passed) of \(tested) are ranked: seed \(seed)")
        #expect(passedInVain * 4 < tested, "\(passedInVain) of \(tested): seed \(seed)")
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
        #expect(slices > 10)
        while !ranking.advance(budget: .max) {}
        let all = ranking.foundBits.map { DocumentRow(UInt32($0)) }.sorted {
            store.table.compare($0, $1, by: order, rank: { ranking.rank(of: $0) }) < 0
        }
        #expect(best.rows == Array(all.prefix(20)))
        #expect(best.count < 2000, "so many were ranked")
        #expect(best.stepsTaken * 4 < ranking.stepsTaken)
        #expect(BestFound(20, foundBy: ranking, sortedBy: .name, matching: nil) == nil)
    }

    @Test("what may have the most points begins a word with all letters together")
    func wordBeginnings() throws {
        let cases: [(query: String, name: String, isPossible: Bool)] = [
            ("rep", "report", true), ("rep", "the report", true), ("rep", "the\treport", true),
            ("rep", "a-report", false), ("rep", "r e p", false), ("rep", "re", false),
            ("rep", "rrep", false), ("rep", "日report", true), ("rep", "rep", true),
            ("rep bud", "budget report", true), ("rep bud", "report a-budget", false),
            ("rep | bud", "budget", true), ("rep | bud", "x budge report", true),
            ("rep | bud", "xbudget", false), ("rep !bud", "report budget", true),
            ("!rep", "x", true), ("\\ rep", "a rep", true), ("'rep", "a rep", true),
            ("rep$", "a report", true), ("é", "xé", false), ("é", "é", true), ("日", "x日", true),
        ]
        for (text, name, isPossible) in cases {
            let query = try #require(try FuzzyQuery.parse(text))
            let folded = FoldedName.bytes(of: name)
            var steps = 0
            let found = query.mayHaveMostPoints(folded.span, steps: &steps)
            #expect(found == isPossible, "'\(text)' in '\(name)'")
        }
    }

    @Test("what is typed on may have the most points only where what was typed may have them")
    func typedOn() throws {
        let cases: [(narrower: String, wider: String, isLike: Bool)] = [
            ("rep", "re", true), ("re", "rep", false), ("rep bud", "re bu", true),
            ("rep bud", "re", true), ("rep bud", "bu", false), ("xre", "re", false),
            ("'rep", "re", true), ("rep | bud", "re | bu", true), ("rep | bud", "re", false),
            ("rep", "re | bu", true), ("rep !bud", "re !x", true), ("!rep", "re", false),
            ("rep !bud", "re !bud", true), ("rep", "", true), ("é", "e", true),
        ]
        for (narrower, wider, isLike) in cases {
            let query = try #require(try FuzzyQuery.parse(narrower))
            guard let wider = try FuzzyQuery.parse(wider) else { continue }
            #expect(query.beginsLike(wider) == isLike, "'\(narrower)' and '\(wider.text)'")
        }
        // Many alternatives are not compared with many others.
        let many = Array(repeating: "a", count: 33).joined(separator: " | ")
        let alternatives = try #require(try FuzzyQuery.parse(many))
        #expect(!alternatives.beginsLike(alternatives))
        #expect(alternatives.beginsLike(try #require(try FuzzyQuery.parse("a"))))
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        var fuzzy = SeededFuzzy(seed: seed)
        var (like, most) = (0, 0)
        for _ in 0..<400 {
            let text = PickerModelTests.query(of: fuzzy.sets())
            let query = try #require(try FuzzyQuery.parse(text))
            let before = String(text.prefix(Int.random(in: 0...text.count, using: &random)))
            guard let wider = try FuzzyQuery.parse(before), query.beginsLike(wider) else {
                continue
            }
            like += 1
            for _ in 0..<20 {
                let name = FoldedName.bytes(of: fuzzy.text(1...12))
                var steps = 0
                guard query.mayHaveMostPoints(name.span, steps: &steps) else { continue }
                most += 1
                #expect(
                    wider.mayHaveMostPoints(name.span, steps: &steps),
                    "seed \(seed): '\(text)' and '\(before)' in \(name)")
            }
        }
        #expect(like > 50 && most > 50, "\(like), \(most): seed \(seed)")
    }

    @Test("where very many names of one length have the most points, the search ranks them")
    func ranked() throws {
        let store = Self.store((0..<20_000).map { "report \(100_000 + $0)" })
        let search = FuzzySearch(try #require(try FuzzyQuery.parse("rep")))
        let best = try #require(
            BestFound(
                24, foundBy: RankedDocuments(of: store, in: .listed, by: search),
                sortedBy: try SortOrder(keys: ["score"]), matching: nil))
        while !best.advance(budget: 1000) {}
        #expect(best.rows == nil && (16_384..<16_500).contains(best.count), "\(best.count)")
    }

    @Test("what is typed on is sought among what began words before")
    func amongBeginnings() throws {
        let store = Self.store(
            (0..<20_000).map { "x-really-\($0)" } + (0..<100).map { "the report of \($0)" })
        func ranking(_ text: String, among wider: RankedDocuments?) throws -> RankedDocuments {
            RankedDocuments(
                of: store, in: .listed,
                by: FuzzySearch(try #require(try FuzzyQuery.parse(text))), among: wider)
        }
        let wider = try ranking("r", among: nil)
        while !wider.advance(budget: .max) {}
        #expect(wider.foundBits.count == 20_100)
        var steps: [Int] = []
        for base in [wider, nil] {
            let ranked = try ranking("re", among: base)
            _ = ranked.matching.advance(budget: 1)
            // What is new since is not passed over.
            let number = store.bits(in: .listed).count
            store.apply(inserted: Self.documents(["a report"], from: number))
            let best = try #require(
                BestFound(
                    24, foundBy: ranked, sortedBy: try SortOrder(keys: ["score"]), matching: nil))
            #expect(best.advance(budget: .max >> 1))
            #expect(best.rows?.first?.index ?? 0 >= 20_100 && best.rows?.count == 24)
            steps.append(best.stepsTaken)
        }
        #expect(steps[0] < 5000 && steps[1] > 20_000, "\(steps)")
    }

    @Test("what a name is compared with takes steps, for whatever query and name")
    func comparing() throws {
        // Each beginning of a word is nearly the text.
        let name = FoldedName.bytes(of: String(repeating: "a ", count: 2000) + "b")
        let query = try #require(
            try FuzzyQuery.parse(String(repeating: "a\\ ", count: 1000) + "c"))
        var steps = 0
        #expect(!query.mayHaveMostPoints(name.span, steps: &steps))
        // 1,000 places with 2,000 letters each.
        #expect((2_000_000 / 64...2_200_000 / 64).contains(steps), "\(steps)")
        steps = 0
        let terms = try #require(
            try FuzzyQuery.parse(Array(repeating: "a", count: 1000).joined(separator: " ")))
        #expect(terms.mayHaveMostPoints(name.span, steps: &steps) && steps >= 999)
    }

    @Test("where nothing has the most points, it gives up soon")
    func givingUp() throws {
        for (count, isRanked) in [(40_000, false), (300_000, true)] {
            // All of those that would have to be ranked are as long.
            let store = Self.store(
                (0..<count).map { (isRanked ? "report " : "the-report-") + "\(1_000_000 + $0)" })
            let search = FuzzySearch(try #require(try FuzzyQuery.parse("rep")))
            let ranking = RankedDocuments(of: store, in: .listed, by: search)
            let best = try #require(
                BestFound(
                    20, foundBy: ranking, sortedBy: try SortOrder(keys: ["score"]), matching: nil))
            #expect(best.advance(budget: .max >> 1) && best.rows == nil)
            #expect(best.count == 0 && best.stepsTaken < 60_000, "\(best.stepsTaken)")
        }
    }

    @Test("where the best are found late, the first of what the search has found are told before")
    func foundSoFar() throws {
        let names =
            (100..<400).map { "the report of a year \($0)" } + (0..<30_000).map { "x\($0)" }
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
            var (told, steps, revs): ([Int], [Int], [Int]) = ([], [], [])
            var number = names.count
            while early.advance(budget: 1000) {
                // What comes meanwhile is in neither: rows of a later revision would have to be taken back.
                store.apply(inserted: Self.documents(["report \(number)"], from: number))
                number += 1
                guard early.findings > told.count else { continue }
                let rows = early.found?.items.rows.compactMap { $0.item?.row?.index } ?? []
                told.append(early.found?.count ?? 0)
                steps.append(early.stepsTaken)
                revs.append(early.found?.rev ?? 0)
                #expect(rows == Array(0..<(isEnough ? 24 : 40)))
            }
            // All of the best have names of one length.
            #expect(told == (isEnough ? [count, 300] : [300]))
            #expect(Set(revs).count == 1)
            #expect(store.bits(in: .listed).count == number && number > names.count + 10)
            // Two or three milliseconds.
            if isEnough { #expect((24_000...26_000).contains(steps[0]), "\(steps)") }
        }
    }

    @Test(
        "where the length that is looked at has enough, it does not take long until all of that are tested"
    )
    func nearlyEnough() throws {
        let names =
            (0..<5000).map { "x\($0)" } + (0..<10_000).map { "report \(100_000 + $0)" }
        let search = FuzzySearch(try #require(try FuzzyQuery.parse("rep")))
        let ranking = RankedDocuments(of: Self.store(names), in: .listed, by: search)
        let best = try #require(
            BestFound(
                24, foundBy: ranking, sortedBy: try SortOrder(keys: ["score"]), matching: nil))
        var wasLongAt: Int?
        while !best.advance(budget: 100) {
            if best.isLong, wasLongAt == nil { wasLongAt = best.stepsTaken }
        }
        #expect(best.count == 10_000)
        #expect((40_000..<41_000).contains(wasLongAt ?? 0), "\(wasLongAt ?? 0)")
        #expect(best.rows == (5000..<5024).map { DocumentRow(UInt32($0)) })
    }

    @Test("finds what sorting all finds, for random names, searches, orders and conditions")
    func equalsSorting() throws {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        var fuzzy = SeededFuzzy(seed: seed)
        var (found, missing, withShort, number) = (0, 0, 0, 1_000_000)
        for round in 0..<30 {
            let letters = Array(round % 2 == 0 ? "ab " : "abc1_-. é")
            let names = Set(
                (0..<Int.random(in: 1...1500, using: &random)).map { _ in
                    fuzzy.text(1...(round % 3 == 0 ? 12 : 5), of: letters)
                }
            ).filter { !$0.allSatisfy { $0 == "." } }.sorted().shuffled(using: &random)
            let store = Self.store(names)
            let table = store.table
            // The shortest names are known, or some of them, or so many are as long that none are.
            table.shortNameLimits.leastDocuments = round % 3 == 0 ? .max : 0
            table.shortNameLimits.rows = [5, 100, 196_608].randomElement(using: &random) ?? 0
            table.shortNameLimits.written = [20, 4096].randomElement(using: &random) ?? 0
            let short = table.shortNamesToComplete()
            _ = short?.advance(
                budget: Bool.random(using: &random) ? 10_000 : .random(in: 1...400, using: &random))
            // Some have left, and others have come to their rows.
            let gone = names.indices.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
            let all = Self.documents(names)
            store.apply(removed: gone.map { all[$0] })
            store.apply(
                inserted: Self.documents(gone.map { "a" + names[$0] + "b" }, from: names.count))
            while short?.advance(budget: 100) == false { table.checkInvariants() }
            table.checkInvariants()
            let wider = RankedDocuments(
                of: store, in: .listed,
                by: FuzzySearch(try #require(try FuzzyQuery.parse("a"))))
            while !wider.advance(budget: .max) {}
            let search = FuzzySearch(
                try #require(try FuzzyQuery.parse("a" + fuzzy.text(0...2, of: Array("ab ")))))
            let ranking = RankedDocuments(
                of: store, in: .listed, by: search, among: round % 4 == 0 ? wider : nil)
            // Others come and go before the search begins, and after it has.
            for _ in 0..<2 {
                let all = store.bits(in: .listed).map {
                    store.table.document(of: DocumentRow(UInt32($0)))
                }
                number += 5
                store.apply(
                    removed: Array(all.shuffled(using: &random).prefix(all.count / 8)),
                    inserted: Self.documents(
                        ["a", "ab", "b a", "c"].map { $0 + fuzzy.text(1...4) }, from: number))
                _ = ranking.matching.advance(budget: 1)
            }
            table.checkInvariants()
            if table.shortNames?.isComplete == true { withShort += 1 }
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
            // They are found where so many have the most points.
            let most = UInt64(Int32.max - search.query.mostPoints)
            let ofMost = expected.count { ranking.rank(of: $0) >> 32 == most }
            let wanted = ofMost >= limit ? Array(expected.prefix(limit)) : nil
            #expect(best.rows == wanted, "seed \(seed), round \(round)")
            if wanted == nil { missing += 1 } else { found += 1 }
        }
        #expect(found > 3 && missing > 3, "\(found), \(missing): seed \(seed)")
        #expect(withShort > 3, "\(withShort): seed \(seed)")
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
