// The shortest names, which searches by score look at first.

import TestSupport
import Testing

@testable import PickerModel

@Suite struct ShortNamesTests {
    private static func store(_ names: [String]) -> DocumentStore {
        let store = DocumentStore(epoch: "e")
        store.apply(inserted: documents(names))
        store.table.shortNameLimits.leastDocuments = 100
        return store
    }

    private static func documents(_ names: [String], from first: Int = 0) -> [Document] {
        names.enumerated().map { number, name in
            Document(
                key: "k\(first + number)", root: "/r", path: FileName(name), size: 1,
                modified: FileTime(seconds: 1))
        }
    }

    private static func search(_ text: String, of store: DocumentStore) throws -> BestFound {
        let search = FuzzySearch(try #require(try FuzzyQuery.parse(text)))
        return try #require(
            BestFound(
                24, foundBy: RankedDocuments(of: store, in: .listed, by: search),
                sortedBy: try SortOrder(keys: ["score"]), matching: nil))
    }

    @Test("with them, few names are read to find the first of all")
    func cost() throws {
        // What is found is behind as much that begins alike.
        let store = Self.store(
            (0..<60_000).map { "a scan of \(10_000 + $0)" }
                + (0..<40).map { "the schedule of \(10_000 + $0)" })
        var steps: [Int] = []
        for isKnown in [false, true] {
            if isKnown {
                let names = try #require(store.table.shortNamesToComplete())
                while !names.advance(budget: 1000) {}
                #expect(names.count == 60_040 && names.longest == 254)
                store.table.checkInvariants()
            }
            let best = try Self.search("sch", of: store)
            while !best.advance(budget: 1000) {}
            if isKnown { #expect(best.rows == (60_000..<60_024).map { DocumentRow(UInt32($0)) }) }
            steps.append(best.stepsTaken)
        }
        // Without them, it has given up.
        #expect(steps[0] > 32_768 && steps[1] < 60_000 / 16 + 2500, "\(steps)")
    }

    @Test("the shortest are kept, as many as there is room for, and none if too many are as long")
    func limits() throws {
        let store = Self.store(
            (100..<200).map { "\($0)" } + (1000..<1200).map { "\($0)" }
                + (10_000..<20_000).map { "\($0)" })
        for (room, count, longest) in [
            (300, 300, 4), (299, 100, 3), (10_299, 300, 4), (10_300, 10_300, 254), (99, 0, 2),
            (0, 0, 2),
        ] {
            store.table.shortNames = nil
            store.table.shortNameLimits.rows = room
            let names = try #require(store.table.shortNamesToComplete())
            while !names.advance(budget: 100) {}
            #expect(names.count == count && names.longest == longest, "\(room)")
            #expect(store.table.shortNamesToComplete() == nil)
            store.table.checkInvariants()
            let best = try Self.search("1", of: store)
            while !best.advance(budget: 100) {}
            #expect(best.rows == (0..<24).map { DocumentRow(UInt32($0)) }, "\(room)")
        }
    }

    @Test("if the lengths of too many are not known, there are none")
    func unknown() throws {
        let store = Self.store((0..<200).map { " \($0)" })
        store.table.shortNameLimits.rows = 199
        let names = try #require(store.table.shortNamesToComplete())
        while !names.advance(budget: 100) {}
        #expect(names.count == 0 && names.longest == -1)
        store.table.checkInvariants()
        let best = try Self.search("1", of: store)
        while !best.advance(budget: 100) {}
        #expect(best.rows?.count == 24)
    }

    @Test("they are of no use any more when too many others were written, and are begun again")
    func written() throws {
        let store = Self.store((0..<200).map { "x \($0)" })
        store.table.shortNameLimits.written = 3
        let names = try #require(store.table.shortNamesToComplete())
        while !names.advance(budget: 100) {}
        store.apply(inserted: Self.documents(["a", "b", "c"], from: 1000))
        #expect(store.table.shortNames === names && names.written.count == 3)
        let best = try Self.search("a", of: store)
        #expect(best.advance(budget: 10_000) && best.rows == nil && best.count == 1)
        store.apply(inserted: Self.documents(["d"], from: 2000))
        #expect(store.table.shortNames == nil)
        let others = try #require(store.table.shortNamesToComplete())
        #expect(others !== names && others.written.isEmpty)
    }

    @Test("rows that others have come to are found once, by their names of now")
    func usedAgain() throws {
        let names = (100..<300).map { "report \($0)" }
        let store = Self.store(names)
        let short = try #require(store.table.shortNamesToComplete())
        while !short.advance(budget: 100) {}
        var last = Array(Self.documents(names).suffix(100))
        for round in 1...2 {
            store.apply(removed: last)
            store.table.releaseFreedRows()
            // Some are as long as before.
            last = Self.documents(
                (0..<50).map { "report \(900 + $0)" } + (0..<25).map { "a report \($0)" }
                    + (0..<25).map { "other \(100 + $0)" }, from: 1000 * round)
            store.apply(inserted: last)
        }
        #expect(store.table.rowEnd == 200 && short.written.count == 200)
        store.table.checkInvariants()
        let search = FuzzySearch(try #require(try FuzzyQuery.parse("rep")))
        let order = try SortOrder(keys: ["score"])
        let ranking = RankedDocuments(of: store, in: .listed, by: search)
        let best = try #require(
            BestFound(170, foundBy: ranking, sortedBy: order, matching: nil))
        while !best.advance(budget: 100) {}
        while !ranking.advance(budget: .max) {}
        let expected = ranking.foundBits.map { DocumentRow(UInt32($0)) }.sorted {
            store.table.compare($0, $1, by: order, rank: { ranking.rank(of: $0) }) < 0
        }
        #expect(best.count == 175 && best.rows == Array(expected.prefix(170)))
    }

    @Test(
        "a search completes them when it has found its first rows, and not again for changes meanwhile"
    )
    func making() throws {
        let store = Self.store((0..<1000).map { "report \($0)" })
        store.table.shortNameLimits.written = 3
        let search = FuzzySearch(try #require(try FuzzyQuery.parse("rep")))
        func early() throws -> EarlyRows {
            EarlyRows(
                24, foundBy: RankedDocuments(of: store, in: .listed, by: search),
                sortedBy: try SortOrder(keys: ["score"]), matching: nil, after: 0)
        }
        // Documents come all the time.
        var number = 10_000
        let busy = try early()
        var slices = 0
        while busy.advance(budget: 10) {
            slices += 1
            store.apply(inserted: Self.documents(["b \(number)"], from: number))
            number += 1
        }
        #expect(busy.findings == 1 && store.table.shortNames == nil && slices < 2000, "\(slices)")
        // A search that has all of its result does not wait for them.
        let ended = RankedDocuments(of: store, in: .listed, by: search)
        while !ended.isMatched { _ = ended.matching.advance(budget: 1000) }
        let late = EarlyRows(
            24, foundBy: ended, sortedBy: try SortOrder(keys: ["score"]), matching: nil, after: 0)
        #expect(!late.advance(budget: 10) && store.table.shortNames == nil)
        // And then no more.
        let quiet = try early()
        while quiet.advance(budget: 10) {}
        #expect(store.table.shortNames?.isComplete == true)
        let before = store.table.shortNames?.stepsTaken
        let last = try early()
        while last.advance(budget: 10) {}
        #expect(store.table.shortNames?.stepsTaken == before)
    }

    @Test(
        "they are given up when nobody has asked for anything for a while, while a search that has them ends"
    )
    func idleness() throws {
        let store = Self.store((100..<300).map { "report \($0)" })
        let names = try #require(store.table.shortNamesToComplete())
        while !names.advance(budget: 100) {}
        let best = try Self.search("rep", of: store)
        #expect(!best.advance(budget: 1))
        _ = store.giveUpUnused()
        #expect(store.table.shortNames == nil)
        store.apply(inserted: Self.documents(["report"], from: 1000))
        while !best.advance(budget: 100) {}
        #expect(best.rows == (0..<24).map { DocumentRow(UInt32($0)) })
    }

    @Test("few documents need none")
    func few() throws {
        let store = Self.store((0..<99).map { "\($0)" })
        #expect(store.table.shortNamesToComplete() == nil)
        store.apply(inserted: Self.documents(["a"], from: 1000))
        #expect(store.table.shortNamesToComplete() != nil)
    }
}
