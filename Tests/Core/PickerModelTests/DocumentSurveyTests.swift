// A query of all documents in slices, while they change, compared with one of all at once.

import Observables
import PickerModel
import TestSupport
import Testing

@Suite struct DocumentSurveyTests {
    private final class Bench {
        let store = DocumentStore(epoch: "e")
        private var names = 0

        func change(_ random: inout SeededRandom, count: Int) {
            var known = store.documents.sorted { $0.key < $1.key }
            var removed: [Document] = []
            var inserted: [Document] = []
            for _ in 0..<count {
                names += 1
                let kind = known.isEmpty ? 0 : Int.random(in: 0..<5, using: &random)
                if kind < 2 {
                    inserted.append(
                        Document(
                            key: store.mintKey(), root: "/r", path: FileName("n\(names)"),
                            size: UInt64.random(in: 0...9, using: &random),
                            modified: FileTime(seconds: Int64.random(in: 0...9, using: &random))))
                    continue
                }
                let old = known.remove(at: Int.random(in: known.indices, using: &random))
                switch kind {
                case 2: removed.append(old)
                case 3: inserted.append(old.with(isLiked: !old.isLiked))
                default:
                    inserted.append(
                        old.with(
                            size: UInt64.random(in: 0...9, using: &random), modified: old.modified))
                }
            }
            store.apply(removed: removed, inserted: inserted)
        }

        /// Drops a document, or restores it as the same value.
        func drop(_ random: inout SeededRandom) {
            let known = store.documents.sorted { $0.key < $1.key }
            guard let document = known.randomElement(using: &random) else { return }
            let isDropped = store.marks.marks(of: document.key).contains(.dropped)
            var planner = MarkPlanner(for: store)
            _ = planner.plan(isDropped ? .restore : .drop, for: document.key)
            store.mark(planner.changes)
        }
    }

    private static var queries: [DocumentQuery] {
        let small = FilterExpression.size(.less, 5)
        return [
            DocumentQuery(), DocumentQuery(filter: DocumentFilter(small)),
            DocumentQuery(filter: DocumentFilter(.any([.liked, .not(small)]))),
            DocumentQuery(search: try? DocumentSearch.parse("1")),
            DocumentQuery(search: try? DocumentSearch.parse("1 2", match: .words)),
            DocumentQuery(search: try? DocumentSearch.parse("d1 | !2", match: .fuzzy)),
        ]
    }

    @Test(
        "whatever changes between the slices, the results are those of the current documents")
    func randomChanges() throws {
        try withSeed { random in
            for round in 0..<300 {
                let bench = Bench()
                bench.change(&random, count: Int.random(in: 0...80, using: &random))
                let query = try #require(Self.queries.randomElement(using: &random))
                let answers = DocumentSurvey(of: bench.store.listed, for: query)
                let sums = DocumentSurvey(
                    of: bench.store.listed, for: query, keepsStatistics: true)
                while !answers.isDone || !sums.isDone {
                    let before = answers.stepsTaken
                    let budget = Int.random(in: 1...60, using: &random)
                    if !answers.isDone, answers.advance(budget: budget) {
                        // The identical values of the lists: the indexes may have equal ones.
                        for document in bench.store.listed.value {
                            #expect(
                                answers.answer(for: document) == query.matches(document),
                                "round \(round)")
                        }
                    }
                    #expect(answers.stepsTaken - before < budget + 40, "a slice has its budget")
                    if sums.advance(budget: Int.random(in: 1...200, using: &random)) {
                        Self.compare(sums, bench.store, query, "round \(round)")
                    }
                    if random.chance(0.4) {
                        bench.change(&random, count: Int.random(in: 1...3, using: &random))
                    } else if random.chance(0.3) {
                        bench.drop(&random)
                    }
                }
                // Statistics are kept up to date.
                for _ in 0..<5 {
                    bench.change(&random, count: 2)
                    bench.drop(&random)
                    Self.compare(sums, bench.store, query, "round \(round), after the end")
                }
            }
        }
    }

    private static func compare(
        _ survey: DocumentSurvey, _ store: DocumentStore, _ query: DocumentQuery,
        _ comment: Comment
    ) {
        let wanted = DocumentStatistics(
            of: store.documents.filter { !$0.isDropped && query.matches($0) })
        #expect(survey.statistics == wanted, comment)
    }

    @Test("a pattern costs its comparisons, and a filter estimates its cost in advance")
    func steps() throws {
        func cost(_ expression: FilterExpression, _ name: String) -> (Int, Int) {
            let document = Document(
                key: "f", root: "/r", path: FileName(name), size: 1, modified: FileTime(seconds: 0))
            let filter = DocumentFilter(expression)
            var steps = 0
            _ = filter.matches(document, steps: &steps)
            return (steps, filter.steps)
        }
        let short = cost(.glob(try Glob("*a")), "bbbb")
        let long = cost(.glob(try Glob("*a")), String(repeating: "b", count: 200))
        #expect(short.0 < 20 && long.0 >= 200)
        // A pattern that backtracks repeatedly costs each comparison.
        let nested = cost(
            .glob(try Glob("*aaaaaaab")), String(repeating: "a", count: 200))
        #expect(nested.0 > 1_000)
        let many = cost(
            .any((0..<250).map { .size(.equal, UInt64($0 + 2)) }), "x")
        #expect(many.0 == 250 && many.1 == 250)
        #expect(cost(.all([.liked, .liked]), "x").0 == 1, "what is not asked costs nothing")
    }

    @Test("statistics follow one change, and end with one that would take too long to follow")
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
        let survey = DocumentSurvey(of: store.all, for: query, keepsStatistics: true)
        #expect(survey.advance(budget: .max))
        #expect(survey.statistics?.count == 20)
        // As many as may be matched at once, and one more.
        let most = 400_000 / query.stepsPerDocument
        add(1)
        #expect(survey.statistics?.count == 21)
        add(most)
        #expect(survey.statistics == DocumentStatistics(of: store.documents.filter(query.matches)))
        add(most + 1)
        #expect(survey.statistics == nil)
        add(1)
        #expect(survey.statistics == nil, "what it missed it can't make up for")
    }
}
