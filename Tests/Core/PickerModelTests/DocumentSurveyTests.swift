// A query of all documents in slices, while they change, compared with one of all at once.

import Observables
import PickerModel
import TestSupport
import Testing

@Suite struct DocumentSurveyTests {
    private final class Bench {
        let store = DocumentStore(epoch: "e")
        private var names = 0

        /// `count` documents, in as many of `rows` rows, chosen at random: a slice matches some thousand rows.
        init(count: Int = 0, spreadOver rows: Int = 0, _ random: inout SeededRandom) {
            // Some search with others.
            store.table.searchers = Int.random(in: 1...3, using: &random)
            store.table.leastBlocksTogether = 2
            add(rows, &random)
            let others = store.documents.shuffled(using: &random).dropFirst(count)
            store.apply(removed: Array(others))
            store.releaseFreedRows()
        }

        private func makeDocument(_ random: inout SeededRandom) -> Document {
            names += 1
            return Document(
                key: store.mintKey(), root: "/r", path: FileName("n\(names)"),
                size: UInt64.random(in: 0...9, using: &random),
                modified: FileTime(seconds: Int64.random(in: 0...9, using: &random)))
        }

        func add(_ count: Int, _ random: inout SeededRandom) {
            store.apply(inserted: (0..<count).map { _ in makeDocument(&random) })
        }

        func change(_ random: inout SeededRandom, count: Int) {
            var known = store.documents.sorted { $0.key < $1.key }
            var removed: [Document] = []
            var inserted: [Document] = []
            for _ in 0..<count {
                let kind = known.isEmpty ? 0 : Int.random(in: 0..<6, using: &random)
                if kind < 2 {
                    inserted.append(makeDocument(&random))
                    continue
                }
                let old = known.remove(at: Int.random(in: known.indices, using: &random))
                switch kind {
                case 2: removed.append(old)
                case 3: inserted.append(old.with(isLiked: !old.isLiked))
                case 4:
                    names += 1
                    inserted.append(old.with(root: "/r", path: FileName("d1/m\(names)")))
                default:
                    inserted.append(
                        old.with(
                            size: UInt64.random(in: 0...9, using: &random), modified: old.modified))
                }
            }
            store.apply(removed: removed, inserted: inserted)
        }

        /// Drops a document, or restores it.
        func drop(_ random: inout SeededRandom) {
            let known = store.documents.sorted { $0.key < $1.key }
            guard let document = known.randomElement(using: &random) else { return }
            var planner = MarkPlanner(for: store)
            _ = planner.plan(document.isDropped ? .restore : .drop, for: document.key)
            store.mark(planner.changes)
        }

        /// One of these, or none, after which freed rows may be used again.
        func edit(_ random: inout SeededRandom) {
            if random.chance(0.4) {
                change(&random, count: Int.random(in: 1...3, using: &random))
            } else if random.chance(0.3) {
                drop(&random)
            } else if random.chance(0.1) {
                transaction {
                    change(&random, count: 2)
                    drop(&random)
                    change(&random, count: 2)
                }
            }
            if random.chance(0.4) { store.releaseFreedRows() }
        }
    }

    /// Keys of documents that there are or were, will be, and never are.
    private static var keys: DocumentKeys {
        DocumentKeys(
            stride(from: 0, to: 9300, by: 7).map { KeyNumber.text(ofMinted: $0) }
                + ["x", "f", "F1", "f00"])
    }

    private static var queries: [DocumentQuery] {
        let small = FilterExpression.size(.less, 5)
        let some = FilterExpression.keys(keys)
        return [
            DocumentQuery(), DocumentQuery(filter: DocumentFilter(small)),
            DocumentQuery(filter: DocumentFilter(.any([.liked, .not(small)]))),
            DocumentQuery(search: try? DocumentSearch.parse("1")),
            DocumentQuery(
                search: try? DocumentSearch.parse("1"), filter: DocumentFilter(.not(.liked))),
            DocumentQuery(search: try? DocumentSearch.parse("1 2", match: .words)),
            DocumentQuery(search: try? DocumentSearch.parse("d1 | !2", match: .fuzzy)),
            DocumentQuery(filter: DocumentFilter(some)),
            DocumentQuery(filter: DocumentFilter(.all([some, .not(.liked), small]))),
            DocumentQuery(filter: DocumentFilter(.any([some, .liked]))),
            DocumentQuery(
                search: try? DocumentSearch.parse("1"), filter: DocumentFilter(some)),
        ]
    }

    /// Queries, and others that narrow them.
    private static var pairs: [(wider: DocumentQuery, narrower: DocumentQuery)] {
        func query(
            _ text: String?, _ match: DocumentSearch.Match = .contains,
            _ filter: FilterExpression? = nil
        ) -> DocumentQuery {
            DocumentQuery(
                search: try? DocumentSearch.parse(text, match: match),
                filter: filter.map { DocumentFilter($0) })
        }
        let small = FilterExpression.size(.less, 5)
        let both = FilterExpression.all([small, .liked])
        return [
            (query("1"), query("12")), (query("1"), query("1", .contains, small)),
            (query(nil, .contains, small), query("2", .contains, both)),
            (query(nil, .contains, small), query(nil, .contains, both)),
            (query("1", .words), query("1 2", .words, small)),
            (query("n1", .fuzzy), query("n1 2", .fuzzy)), (query(nil), query("3")),
            (query("1"), query("1", .contains, .keys(keys))),
            (query(nil, .contains, .keys(keys)), query("n", .fuzzy, .all([.keys(keys), small]))),
        ]
    }

    /// Whether the results are those of all documents at once.
    private static func isRight(_ survey: DocumentSurvey, of store: DocumentStore) -> Bool {
        survey.matches.checkInvariants()
        var rows: [Int] = []
        var found: [Document] = []
        for row in store.documents(in: survey.range).value {
            let document = store.table.document(of: row)
            let isMatch = survey.query.matches(document)
            if survey.query.matches(row, of: store.table) != isMatch { return false }
            if !isMatch { continue }
            rows.append(row.index)
            found.append(document)
        }
        if let statistics = survey.statistics, statistics != DocumentStatistics(of: found) {
            return false
        }
        return survey.matches.sorted() == rows.sorted() && survey.matches.count == rows.count
    }

    @Test(
        "whatever changes between the slices, the results are those of the current documents",
        arguments: [80, 9000])
    func randomChanges(rows: Int) throws {
        try withSeed { random in
            let spread = Bench(count: 150, spreadOver: 9000, &random)
            for round in 0..<(rows == 80 ? 150 : 30) {
                let bench =
                    rows == 9000
                    ? spread
                    : Bench(
                        count: Int.random(in: 0...80, using: &random), spreadOver: rows, &random)
                let query = try #require(Self.queries.randomElement(using: &random))
                let range = DocumentRange.allCases.randomElement(using: &random) ?? .all
                let answers = DocumentSurvey(of: bench.store, in: range, for: query)
                let sums = DocumentSurvey(
                    of: bench.store, in: range, for: query, keepsStatistics: true)
                #expect(sums.stepsPerDocument > answers.stepsPerDocument)
                while !answers.isDone || !sums.isDone {
                    #expect(answers.known == nil || answers.isDone)
                    if !answers.isDone,
                        answers.advance(budget: Int.random(in: 1...800, using: &random))
                    {
                        #expect(Self.isRight(answers, of: bench.store), "round \(round)")
                    }
                    if sums.advance(budget: Int.random(in: 1...800, using: &random)) {
                        #expect(Self.isRight(sums, of: bench.store), "round \(round)")
                    }
                    bench.edit(&random)
                }
                // Both are kept up to date.
                for _ in 0..<5 {
                    bench.edit(&random)
                    for survey in [answers, sums] {
                        #expect(survey.isSound && survey.known == survey.matches)
                        #expect(
                            Self.isRight(survey, of: bench.store), "round \(round), after the end")
                    }
                    #expect(sums.statistics != nil && answers.statistics == nil)
                }
            }
        }
    }

    @Test("a query among the results of a wider one has the same results as one of all documents")
    func amongOthers() throws {
        try withSeed { random in
            let bench = Bench(count: 200, spreadOver: 9000, &random)
            for round in 0..<30 {
                let (wide, narrow) = try #require(Self.pairs.randomElement(using: &random))
                #expect(narrow.narrows(wide))
                let range: DocumentRange = random.chance(0.7) ? .listed : .all
                let wider = DocumentSurvey(of: bench.store, in: range, for: wide)
                let survey = DocumentSurvey(
                    of: bench.store, in: range, for: narrow, among: wider,
                    keepsStatistics: random.chance(0.5))
                // Sometimes it begins before the other one is done.
                var isEarly = random.chance(0.2)
                while !isEarly, !wider.advance(budget: 400) { bench.edit(&random) }
                if !isEarly {
                    #expect(survey.candidateCount == wider.matches.count)
                    for _ in 0..<Int.random(in: 0...3, using: &random) { bench.edit(&random) }
                }
                while !survey.advance(budget: Int.random(in: 1...800, using: &random)) {
                    bench.edit(&random)
                    if isEarly, wider.advance(budget: 1) { isEarly = false }
                }
                let place = Comment(rawValue: "round \(round): seed \(random.seed)")
                #expect(Self.isRight(survey, of: bench.store), place)
                for _ in 0..<3 {
                    bench.edit(&random)
                    #expect(Self.isRight(survey, of: bench.store), place)
                }
            }
        }
    }

    @Test("a query among the results of a wider one tests only these")
    func costAmongOthers() throws {
        withSeed { random in
            let bench = Bench(count: 5000, spreadOver: 5000, &random)
            let few = DocumentQuery(filter: DocumentFilter(.size(.equal, 3)))
            let fewer = DocumentQuery(
                filter: DocumentFilter(.all([.size(.equal, 3), .modified(.less, 5)])))
            let wider = DocumentSurvey(of: bench.store, in: .listed, for: few)
            #expect(wider.candidateCount == 5000 && wider.advance(budget: .max))
            #expect(wider.stepsTaken >= 5 * 5000)
            let survey = DocumentSurvey(of: bench.store, in: .listed, for: fewer, among: wider)
            #expect(survey.candidateCount == wider.matches.count)
            #expect(survey.advance(budget: .max))
            let blocks = bench.store.table.blockCount
            #expect(survey.stepsTaken <= blocks + wider.matches.count * survey.stepsPerDocument)
            #expect(Self.isRight(survey, of: bench.store))
        }
    }

    @Test("documents that are named by their keys are found by them, however many others there are")
    func costOfKeys() throws {
        withSeed { random in
            let bench = Bench(count: 20_000, spreadOver: 20_000, &random)
            let known = bench.store.documents.map(\.key).shuffled(using: &random)
            let some = FilterExpression.keys(DocumentKeys(Array(known.prefix(50)) + ["x", "f"]))
            for (expression, count) in [
                (some, 50), (.all([.not(.liked), some]), 50),
                (.all([some, .keys(DocumentKeys([]))]), 0),
            ] {
                let query = DocumentQuery(filter: DocumentFilter(expression))
                let survey = DocumentSurvey(of: bench.store, in: .listed, for: query)
                #expect(survey.candidateCount <= 52)
                // A step for a block of each, and those of its test.
                let most = 50 * (1 + survey.stepsPerDocument)
                #expect(survey.advance(budget: most + 1), "within \(most) steps")
                #expect(survey.stepsTaken <= most && survey.matches.count == count)
                #expect(Self.isRight(survey, of: bench.store))
            }
            // One that may hold for others, too, is tested with all of them.
            for expression in [FilterExpression.any([some, .liked]), .not(some)] {
                let query = DocumentQuery(filter: DocumentFilter(expression))
                let survey = DocumentSurvey(of: bench.store, in: .listed, for: query)
                #expect(survey.candidateCount == 20_000 && survey.advance(budget: .max))
                #expect(Self.isRight(survey, of: bench.store))
            }
        }
    }

    @Test("keys that are not the daemon's own name documents, too")
    func otherKeys() throws {
        let store = DocumentStore(epoch: "e")
        func document(_ key: String) -> Document {
            Document(
                key: key, root: "/r", path: FileName("n-" + key), size: 1,
                modified: FileTime(seconds: 0))
        }
        store.apply(inserted: ["a:1", "a:2", "f5"].map(document))
        let keys = FilterExpression.keys(DocumentKeys(["a:1", "f5", "a:3"]))
        let survey = DocumentSurvey(
            of: store, in: .listed, for: DocumentQuery(filter: DocumentFilter(keys)))
        #expect(survey.advance(budget: .max) && survey.matches.count == 2)
        // One of them comes later.
        store.apply(inserted: [document("a:3"), document("a:4")])
        #expect(survey.matches.count == 3 && Self.isRight(survey, of: store))
    }

    @Test("a slice ends with the row that uses up its budget")
    func slices() throws {
        withSeed { random in
            let bench = Bench(count: 20_000, spreadOver: 20_000, &random)
            let query = DocumentQuery(filter: DocumentFilter(.size(.less, 5)))
            let survey = DocumentSurvey(of: bench.store, in: .listed, for: query)
            var slices = 0
            var isDone = false
            while !isDone {
                let before = survey.stepsTaken
                isDone = survey.advance(budget: 100)
                slices += 1
                #expect(survey.stepsTaken - before < 100 + 2 * survey.stepsPerDocument)
            }
            #expect(slices > 500)
            #expect(Self.isRight(survey, of: bench.store))
        }
    }

    @Test("rows freed during a survey remain readable until it ends, or nobody has it any more")
    func holds() throws {
        withSeed { random in
            let bench = Bench(count: 9000, spreadOver: 9000, &random)
            let store = bench.store
            for isGivenUp in [false, true] {
                var survey: DocumentSurvey? = DocumentSurvey(
                    of: store, in: .listed,
                    for: DocumentQuery(filter: DocumentFilter(.size(.less, 5))))
                #expect(survey?.advance(budget: 1) == false)
                bench.change(&random, count: 20)
                store.releaseFreedRows()
                #expect(store.table.rowsInUse > store.count)
                if isGivenUp {
                    survey = nil
                } else {
                    #expect(survey?.advance(budget: .max) == true)
                }
                store.releaseFreedRows()
                #expect(store.table.rowsInUse == store.count)
                if let survey { #expect(Self.isRight(survey, of: store)) }
            }
        }
    }

    @Test("a pattern costs its comparisons, and a filter estimates its cost in advance")
    func steps() throws {
        func cost(_ expression: FilterExpression, _ name: String) throws -> (Int, Int) {
            let store = DocumentStore(epoch: "e")
            store.apply(inserted: [
                Document(
                    key: "f0", root: "/r", path: FileName(name), size: 1,
                    modified: FileTime(seconds: 0))
            ])
            let filter = DocumentFilter(expression)
            var steps = 0
            _ = filter.matches(try #require(store.row(key: "f0")), of: store.table, steps: &steps)
            return (steps, filter.steps)
        }
        let short = try cost(.glob(try Glob("*a")), "bbbb")
        let long = try cost(.glob(try Glob("*a")), String(repeating: "b", count: 200))
        #expect(short.0 < 20 && long.0 >= 200)
        // A pattern that backtracks repeatedly costs each comparison.
        let nested = try cost(
            .glob(try Glob("*aaaaaaab")), String(repeating: "a", count: 200))
        #expect(nested.0 > 1_000)
        let many = try cost(
            .any((0..<250).map { .size(.equal, UInt64($0 + 2)) }), "x")
        #expect(many.0 == 250 && many.1 == 250)
        #expect(try cost(.all([.liked, .liked]), "x").0 == 1, "what is not asked costs nothing")
    }

    @Test("results follow one change, and end with one that would take too long to follow")
    func dearChange() throws {
        let store = DocumentStore(epoch: "e")
        var number = 0
        func add(_ count: Int) {
            store.apply(
                inserted: (0..<count).map { _ in
                    number += 1
                    return Document(
                        key: store.mintKey(), root: "/r", path: FileName("q1 \(number) z"), size: 1,
                        modified: FileTime(seconds: 0))
                })
        }
        let filter = DocumentFilter(.any(try (0..<20).map { .glob(try Glob("*q\($0)*z")) }))
        let query = DocumentQuery(search: nil, filter: filter)
        add(20)
        let survey = DocumentSurvey(of: store, in: .all, for: query, keepsStatistics: true)
        let plain = DocumentSurvey(of: store, in: .all, for: query)
        #expect(survey.advance(budget: .max) && plain.advance(budget: .max))
        #expect(survey.statistics?.count == 20)
        // As many as may be matched at once, and one more.
        let most = 400_000 / survey.stepsPerDocument
        add(1)
        #expect(survey.statistics?.count == 21)
        add(most)
        #expect(survey.statistics == DocumentStatistics(of: store.documents.filter(query.matches)))
        #expect(plain.known?.count == 21 + most && survey.known == plain.known)
        add(400_000 / plain.stepsPerDocument + 1)
        for survey in [survey, plain] {
            #expect(!survey.isSound && survey.known == nil && survey.statistics == nil)
        }
        add(1)
        #expect(survey.statistics == nil && survey.known == nil, "it can't make up for it")
        // Others don't begin with what it has, and don't end with a change before they are done.
        let narrower = DocumentQuery(
            filter: DocumentFilter(.all([filter.expression, .size(.less, 5)])))
        let next = DocumentSurvey(of: store, in: .all, for: narrower, among: survey)
        #expect(next.candidateCount == store.count)
        add(6000)
        #expect(!next.advance(budget: 1))
        add(most + 1)
        #expect(next.advance(budget: .max) && next.known?.count == store.count)
    }
}
