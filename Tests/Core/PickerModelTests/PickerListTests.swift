// The list as a composition of observables, compared with the plain function that defines it.

import Observables
import PickerModel
import TestSupport
import Testing

@Suite("The live list")
struct PickerListTests {
    @Test(
        "After every random step the list equals the plain function, looked at or told by changes")
    func randomSteps() throws {
        try withSeed { random in
            for _ in 0..<8 {
                let session = try ListSession(&random)
                for step in 0..<120 {
                    let what = try session.step(&random)
                    let wanted = session.wanted
                    #expect(session.shown == wanted, "step \(step), \(what): seed \(random.seed)")
                    #expect(
                        session.told == session.list.items.value,
                        "told of step \(step), \(what): seed \(random.seed)")
                    guard session.shown == wanted else { return }
                    if random.chance(0.3) { session.store.releaseFreedRows() }
                }
            }
        }
    }

    @Test("A list without a connection is correct whenever it is read")
    func notConnected() throws {
        try withSeed { random in
            let session = try ListSession(&random, isConnected: false)
            for step in 0..<100 {
                let what = try session.step(&random)
                if random.chance(0.3) {
                    session.refresh()
                    let shown = session.shown
                    guard session.list.isSound else { continue }
                    #expect(shown == session.wanted, "step \(step), \(what): seed \(random.seed)")
                }
                if random.chance(0.3) { session.store.releaseFreedRows() }
            }
        }
    }

    @Test("Several changes in one transaction are delivered as one")
    func oneTransaction() throws {
        let store = DocumentStore(epoch: "test")
        let orders = DocumentOrders(of: store, in: .all)
        let downwards = SortOrder(first: .init(.name, isReversed: true))
        let search = try DocumentSearch.parse("b")
        let list = PickerList(
            in: orders, sortedBy: downwards, query: DocumentQuery(search: search))
        var told = 0
        let connection = list.items.changes.connect { _ in told += 1 }
        transaction {
            for name in ["b2", "a", "b10"] {
                let document = Document(
                    key: store.mintKey(), root: "/r", path: FileName(name), size: 1,
                    modified: FileTime(seconds: 1))
                store.apply(removed: [], inserted: [document])
            }
        }
        #expect(told == 1)
        let names = list.contents(0..<list.items.count).map {
            if case .document(let document) = $0 { document.name.text } else { "new" }
        }
        #expect(names == ["b10", "b2"])
        connection.disconnect()
    }

    @Test("A list made in slices while documents change is right at its end, and later")
    func madeInSlices() throws {
        try withSeed { random in
            var sliced = 0
            for round in 0..<8 {
                let session = try ListSession(
                    &random, count: random.chance(0.3) ? 700 : 150, spreadOver: 6000)
                let surveys = SharedSurveys(of: session.store, in: session.range)
                var lists: [PickerList] = []
                // Most queries narrow the one before.
                for number in 0..<3 {
                    session.extendQuery(&random)
                    let making = session.making(
                        by: random.chance(0.5) ? .name : try session.order(&random).withoutScore,
                        surveys)
                    var slices = 0
                    while !making.advance(budget: Int.random(in: 1...50, using: &random)) {
                        slices += 1
                        if random.chance(0.3) { session.edit(&random) }
                        if random.chance(0.2) {
                            ObservableScheduler.current.performDeferredWork(budget: 30)
                        }
                        if slices > 100_000 { break }
                    }
                    sliced += slices > 1 ? 1 : 0
                    let list = try #require(making.list, "round \(round): seed \(random.seed)")
                    lists.append(list)
                    #expect(
                        list.isRight(in: session),
                        "list \(number) of round \(round): seed \(random.seed)")
                }
                for edit in 0..<3 {
                    session.edit(&random)
                    for (number, list) in lists.enumerated() {
                        #expect(
                            list.isSound && list.isRight(in: session),
                            "list \(number), edit \(edit) of round \(round): seed \(random.seed)")
                    }
                }
            }
            #expect(sliced > 6, "many took several slices")
        }
    }

    @Test("Lists by score are made in slices, too, and follow the documents")
    func byScore() throws {
        try withSeed { random in
            for round in 0..<12 {
                let session = try ListSession(&random, count: 200, spreadOver: 500)
                let search = try #require(try DocumentSearch.parse("a1", match: .fuzzy))
                let ranking = try #require(search.ranking)
                let documents = RankedDocuments(
                    of: session.store, in: session.range, by: ranking)
                let orders = DocumentOrders(of: documents)
                let sortOrder = try SortOrder(keys: [["score"], ["-score", "size"]][round % 2])
                session.query = DocumentQuery(
                    search: search,
                    filter: random.chance(0.5) ? DocumentFilter(.size(.less, 2)) : nil)
                let sorting = orders.making(by: sortOrder)
                let surveys = SharedSurveys(of: session.store, in: session.range)
                let making = ListMaking(
                    in: orders, sortedBy: sortOrder, query: session.query
                ) { surveys.survey(for: $0) }
                let works: [any SlicedWork] = [documents, sorting, making]
                for work in works {
                    while !work.advance(budget: Int.random(in: 1...300, using: &random)) {
                        if random.chance(0.3) { session.edit(&random) }
                    }
                }
                let list = try #require(making.list)
                for edit in 0..<6 {
                    #expect(
                        list.isRight(in: session),
                        "edit \(edit) of round \(round): seed \(random.seed)")
                    session.edit(&random)
                }
            }
        }
    }

    @Test("A great change while a list is made ends the results, which are computed again")
    func greatChange() throws {
        try withSeed { random in
            for isEarly in [false, true] {
                // Too many rows for the list to find them one by one.
                let session = try ListSession(&random, count: 1400, spreadOver: 1400)
                session.query = DocumentQuery(filter: DocumentFilter.dear)
                let surveys = SharedSurveys(of: session.store, in: session.range)
                let size = try SortOrder(keys: ["size"])
                let making = session.making(by: size, surveys)
                while !session.orders.making(by: size).advance(budget: .max) {}
                let survey = try #require(surveys.made.first)
                let steps = survey.stepsPerDocument
                while survey.known == nil { #expect(!making.advance(budget: 1)) }
                if !isEarly { #expect(!making.advance(budget: 1), "the rows are not all tested") }
                session.change(400_000 / steps + 1, &random, areNew: true)
                #expect(!survey.isSound && survey.known == nil)
                while !making.advance(budget: 2000) {
                    if random.chance(0.1) { session.edit(&random) }
                }
                #expect(surveys.made.count == 2)
                let list = try #require(making.list)
                #expect(list.isSound && list.isRight(in: session), "seed \(random.seed)")
                session.edit(&random)
                #expect(list.isRight(in: session), "seed \(random.seed)")
            }
        }
    }

    @Test("A list of few documents is found by their places, and tests no other row")
    func fewMatches() throws {
        let store = DocumentStore(epoch: "test")
        store.apply(
            inserted: (0..<3000).map {
                Document(
                    key: store.mintKey(), root: "/r", path: FileName("n\($0)"), size: UInt64($0),
                    modified: FileTime(seconds: 0))
            })
        let orders = DocumentOrders(of: store, in: .listed)
        let bySize = try SortOrder(keys: ["-size"])
        let sorting = orders.making(by: bySize)
        #expect(sorting.advance(budget: .max))
        func steps(_ filter: FilterExpression) throws -> (afterSurvey: Int, list: PickerList) {
            let surveys = SharedSurveys(of: store, in: .listed)
            let query = DocumentQuery(filter: DocumentFilter(filter))
            let making = ListMaking(in: orders, sortedBy: bySize, query: query) {
                surveys.survey(for: $0)
            }
            #expect(making.stepsLeft > 3000)
            #expect(making.advance(budget: .max))
            let survey = try #require(surveys.made.first)
            return (making.stepsTaken - survey.stepsTaken, try #require(making.list))
        }
        let few = try steps(.size(.less, 3))
        #expect(few.afterSurvey == 300)
        let sizes = few.list.contents(0..<few.list.items.count).map { item -> UInt64? in
            if case .document(let document) = item { document.size } else { nil }
        }
        #expect(sizes == [nil, 2, 1, 0])
        let many = try steps(.size(.atLeast, 1000))
        #expect(many.afterSurvey > 600 && many.list.items.count == 2001)
    }
}

extension DocumentFilter {
    /// A filter of which some hundred documents can be tested at once; it keeps about half of those of a session.
    fileprivate static var dear: DocumentFilter? {
        let globs = (0..<20).compactMap { try? Glob("*q\($0)*z*") }
        return DocumentFilter(.any(globs.map { .glob($0) } + [.size(.less, 2)]))
    }
}
