// Results of queries that are shared, kept for the next query, and begun with those of wider ones.

import ListRequests
import Observables
import PickerModel
import TestSupport
import Testing

@Suite struct SurveyCacheTests {
    private let store = DocumentStore(epoch: "e")
    private let cache: SurveyCache

    init() {
        cache = SurveyCache(of: store)
        store.apply(
            inserted: (0..<300).map {
                Document(
                    key: store.mintKey(), root: "/r", path: FileName("\($0).txt"),
                    size: UInt64($0 % 10), modified: FileTime(seconds: Int64($0)))
            })
    }

    private func query(
        _ text: String?, _ filter: FilterExpression? = nil,
        _ match: DocumentSearch.Match = .contains
    ) throws -> DocumentQuery {
        DocumentQuery(
            search: try DocumentSearch.parse(text, match: match),
            filter: filter.map { DocumentFilter($0) })
    }

    private func answered(
        _ query: DocumentQuery, in range: DocumentRange = .listed
    ) -> DocumentSurvey {
        let survey = cache.survey(for: query, in: range)
        #expect(survey.advance(budget: .max))
        cache.keep(survey)
        return survey
    }

    private func isRight(_ survey: DocumentSurvey) -> Bool {
        let rows = store.documents(in: survey.range).value.filter {
            survey.query.matches(store.table.document(of: $0))
        }
        return survey.known?.sorted() == rows.map(\.index).sorted()
    }

    @Test("equal queries of one range share their results")
    func shared() throws {
        let survey = cache.survey(for: try query("1", .liked), in: .listed)
        #expect(try cache.survey(for: query("1", .liked), in: .listed) === survey)
        #expect(try cache.survey(for: query("1", .liked), in: .all) !== survey)
        #expect(try cache.survey(for: query("1"), in: .listed) !== survey)
        #expect(try cache.survey(for: query("1", .liked, .words), in: .listed) !== survey)
        #expect(survey.query.search?.text == "1" && survey.range == .listed)
        #expect(!survey.isDone && survey.stepsTaken == 0, "someone must advance them")
        #expect(survey.advance(budget: .max))
        #expect(try cache.survey(for: query("1", .liked), in: .listed).isDone)
    }

    @Test("the sixteen results completed last are kept, and others as long as somebody has them")
    func kept() throws {
        let queries = try (0..<17).map { try query("x\($0)") }
        weak let first = answered(queries[0])
        weak let second = answered(queries[1])
        let third = answered(queries[2])
        for query in queries[3..<16] { _ = answered(query) }
        #expect(first != nil && second != nil)
        // It is used once more.
        _ = cache.survey(for: queries[0], in: .listed)
        _ = answered(queries[16])
        #expect(first != nil && second == nil)
        for number in 0..<16 { _ = answered(try query("y\(number)")) }
        #expect(first == nil)
        #expect(cache.survey(for: queries[2], in: .listed) === third, "someone has it")
        cache.removeAll()
        #expect(cache.survey(for: queries[2], in: .listed) !== third)
        weak let incomplete = cache.survey(for: queries[3], in: .listed)
        #expect(incomplete == nil, "nobody advances it")
    }

    @Test("results for which nobody asks while many documents change follow no more of them")
    func unasked() throws {
        let queries = try (0..<4).map { try query("x\($0)") }
        for query in queries { _ = answered(query) }
        var number = 0
        func change(_ rows: Int) {
            for _ in 0..<rows / 64 {
                store.apply(
                    inserted: (0..<64).map {
                        Document(
                            key: store.mintKey(), root: "/r",
                            path: FileName("x1 \(number + $0).txt"), size: 1,
                            modified: FileTime(seconds: 0))
                    })
                number += 64
            }
        }
        change(ChangeMeter.rowsUntilTold)
        #expect(cache.count == 4, "all were asked for before")
        // Only for this one somebody asks again.
        let survey = answered(queries[1])
        #expect(survey.matches.count == ChangeMeter.rowsUntilTold)
        change(ChangeMeter.rowsUntilTold - 1024)
        #expect(cache.count == 4)
        change(1024)
        #expect(cache.count == 1)
        #expect(cache.survey(for: queries[1], in: .listed) === survey && isRight(survey))
        #expect(answered(queries[2]).stepsTaken > 0)
        cache.isNeeded = { query, range in query == queries[2] && range == .listed }
        change(2 * ChangeMeter.rowsUntilTold)
        #expect(cache.count == 1 && isRight(cache.survey(for: queries[2], in: .listed)))
        cache.isNeeded = { _, _ in false }
        change(2 * ChangeMeter.rowsUntilTold)
        #expect(cache.count == 0)
        #expect(isRight(answered(queries[1])))
    }

    @Test("a narrower query tests what the narrowest one before it has found")
    func narrower() throws {
        let all = cache.survey(for: try query("1"), in: .listed)
        #expect(all.candidateCount == 300)
        let unfinished = cache.survey(for: try query("12"), in: .listed)
        #expect(unfinished.candidateCount == 300, "the wider one is not done")
        #expect(all.advance(budget: .max))
        let few = answered(try query("1", .size(.less, 5)))
        #expect(few.matches.count < all.matches.count)
        let narrow = cache.survey(for: try query("12", .size(.less, 5)), in: .listed)
        #expect(narrow.candidateCount == few.matches.count)
        #expect(narrow.advance(budget: .max))
        for survey in [all, few, narrow] { #expect(isRight(survey)) }
        // Neither a query that it does not narrow nor another range is of any use.
        #expect(try cache.survey(for: query("2"), in: .listed).candidateCount == 300)
        #expect(try cache.survey(for: query("12"), in: .all).candidateCount == 300)
        let other = cache.survey(for: try query("2", .size(.less, 5)), in: .listed)
        #expect(other.candidateCount == 300)
    }

    @Test("results that a great change has ended are found anew, and begin nothing")
    func ended() throws {
        let patterns = try (0..<20).map { FilterExpression.glob(try Glob("*\($0)*t")) }
        let dear = FilterExpression.any(patterns)
        let survey = answered(try query(nil, dear))
        #expect(isRight(survey))
        let count = 400_000 / survey.stepsPerDocument + 1
        store.apply(
            inserted: (0..<count).map {
                Document(
                    key: store.mintKey(), root: "/r", path: FileName("new \($0).txt"), size: 1,
                    modified: FileTime(seconds: 0))
            })
        #expect(!survey.isSound)
        let narrow = cache.survey(for: try query(nil, .all([dear, .size(.less, 5)])), in: .listed)
        #expect(narrow.candidateCount == 300 + count)
        let again = answered(try query(nil, dear))
        #expect(again !== survey && isRight(again))
    }

    @Test("whatever is typed while documents change, each result is right")
    func typing() throws {
        try withSeed { random in
            var text = ""
            for step in 0..<300 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0..<3: text += ["1", "2", "t", "."].randomElement(using: &random) ?? "1"
                case 3, 4: text = String(text.dropLast())
                default: text = ""
                }
                let limit: FilterExpression? = random.chance(0.3) ? .size(.less, 5) : nil
                let survey = cache.survey(
                    for: try query(text, limit), in: random.chance(0.8) ? .listed : .all)
                // Some are given up.
                if random.chance(0.2) { continue }
                while !survey.advance(budget: 200) {}
                #expect(isRight(survey), "step \(step), '\(text)': seed \(random.seed)")
                let known = store.documents.sorted { $0.key < $1.key }
                guard let old = known.randomElement(using: &random) else { continue }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: store.apply(removed: [old])
                case 1:
                    store.apply(inserted: [
                        old.with(root: "/r", path: FileName("\(random.next() % 3000).txt"))
                    ])
                case 2:
                    store.apply(inserted: [
                        Document(
                            key: store.mintKey(), root: "/r", path: FileName("12 \(step).txt"),
                            size: UInt64(step % 10), modified: FileTime(seconds: 0))
                    ])
                default: store.apply(inserted: [old.with(isLiked: !old.isLiked)])
                }
                if random.chance(0.5) { store.releaseFreedRows() }
                #expect(isRight(survey), "later in step \(step): seed \(random.seed)")
            }
        }
    }

    @Test("results that are given up do not keep freed rows in use")
    func givenUp() throws {
        let documents = (0..<9000).map {
            Document(
                key: store.mintKey(), root: "/r", path: FileName("many \($0)"), size: 1,
                modified: FileTime(seconds: 0))
        }
        store.apply(inserted: documents)
        // A client types on: nobody advances the first letter's results any more.
        #expect(try !cache.survey(for: query("m"), in: .listed).advance(budget: 1))
        _ = answered(try query("ma"))
        store.apply(removed: Array(documents[..<100]))
        store.releaseFreedRows()
        #expect(store.table.rowsInUse == store.count)
    }
}
