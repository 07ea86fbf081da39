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
            for round in 0..<16 {
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
            #expect(sliced > 12, "many took several slices")
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

    @Test("The first items before the order is made are those of the revision at the start")
    func previews() throws {
        try withSeed { random in
            for round in 0..<20 {
                let session = try ListSession(&random, count: 200, spreadOver: 5000)
                session.extendQuery(&random)
                let sortOrder = try session.order(&random).withoutScore
                let surveys = SharedSurveys(of: session.store, in: session.range)
                let limit = Int.random(in: 0...60, using: &random)
                let preview = ListPreview(
                    limit, in: session.orders, sortedBy: sortOrder, query: session.query
                ) { surveys.survey(for: $0) }
                // What changes before the results are there is seen.
                for survey in surveys.made {
                    while !survey.advance(budget: Int.random(in: 1...50, using: &random)) {
                        session.edit(&random)
                    }
                }
                let wanted = generateItems(
                    documents: session.documents, search: session.query.search,
                    filter: session.query.filter, sortOrder: sortOrder)
                let beginning = session.store.rev
                while !preview.advance(budget: Int.random(in: 1...50, using: &random)) {
                    session.edit(&random)
                }
                let place = Comment(rawValue: "round \(round): seed \(random.seed)")
                let (items, count, rev) = try #require(preview.result, place)
                #expect(count == wanted.count && rev == beginning, place)
                let first = items.rows.map { session.store.table.content(of: $0) }
                #expect(first == Array(wanted.prefix(limit)), place)
                // Like its list, if that is made now.
                let making = session.making(by: sortOrder, surveys)
                while !making.advance(budget: 200) { session.edit(&random) }
                #expect(try #require(making.list).isRight(in: session), place)
            }
        }
    }

    @Test("First items that are known early are those of their revision")
    func earlyPreviews() throws {
        try withSeed { random in
            var found = 0
            for round in 0..<60 {
                let session = try ListSession(&random, count: 200, spreadOver: 5000)
                session.extendQuery(&random)
                let sortOrder = try session.order(&random).withoutScore
                while !session.orders.making(by: sortOrder).advance(budget: .max) {}
                let order = session.orders.order(by: sortOrder)
                let surveys = SharedSurveys(of: session.store, in: session.range)
                let limit = Int.random(in: 0...30, using: &random)
                let preview = ListPreview(
                    limit, in: session.orders, sortedBy: sortOrder, query: session.query,
                    early: (from: 0, after: 0)
                ) { surveys.survey(for: $0) }
                // Some documents have been tested for another list.
                for survey in surveys.made where random.chance(0.5) {
                    _ = survey.advance(budget: Int.random(in: 1...500, using: &random))
                    session.edit(&random)
                }
                let wanted = generateItems(
                    documents: session.documents, search: session.query.search,
                    filter: session.query.filter, sortOrder: sortOrder)
                let rev = session.store.rev
                let place = Comment(rawValue: "round \(round): seed \(random.seed)")
                _ = preview.advance(budget: 1)
                if let early = preview.early {
                    found += 1
                    #expect(preview.result == nil, place)
                    #expect(early.rev == rev && early.count == limit, place)
                    let first = early.items.rows.map { session.store.table.content(of: $0) }
                    #expect(first == Array(wanted.prefix(limit)), place)
                }
                while !preview.advance(budget: Int.random(in: 1...50, using: &random)) {
                    session.edit(&random)
                }
                let (items, count, end) = try #require(preview.result, place)
                #expect(items.rows.count == min(limit, count) && end >= rev, place)
                withExtendedLifetime(order) {}
            }
            #expect(found > 5, "seed \(random.seed)")
        }
    }

    @Test("While a search ranks documents, its first so far are told, and then its first of all")
    func earlyRanked() throws {
        try withSeed { random in
            var (found, best, fewer) = (0, 0, 0)
            for round in 0..<60 {
                let session = try ListSession(&random, count: 300, spreadOver: 5000)
                let search = try #require(
                    try DocumentSearch.parse(["a", "no", "zzz"][round % 3], match: .fuzzy))
                let ranked = RankedDocuments(
                    of: session.store, in: session.range, by: try #require(search.ranking))
                let orders = DocumentOrders(of: ranked)
                let sortOrder = try SortOrder(
                    keys: [["score"], ["-score", "size"]].randomElement(using: &random) ?? [])
                session.query = DocumentQuery(
                    search: search,
                    filter: random.chance(0.5) ? DocumentFilter(.size(.less, 2)) : nil)
                let surveys = SharedSurveys(of: session.store, in: session.range)
                let limit = Int.random(in: 0...30, using: &random)
                let after = Int.random(in: 0...800, using: &random)
                let preview = ListPreview(
                    limit, in: orders, sortedBy: sortOrder, query: session.query,
                    early: (from: 0, after: after)
                ) { surveys.survey(for: $0) }
                let place = Comment(rawValue: "round \(round): seed \(random.seed)")
                func first(_ documents: [Document]) -> [ItemContent] {
                    generateItems(
                        documents: documents, search: search, filter: session.query.filter,
                        sortOrder: sortOrder)
                }
                var told = 0
                while !preview.advance(budget: Int.random(in: 1...50, using: &random)) {
                    if preview.earlyCount == told {
                        if random.chance(0.01) { session.edit(&random) }
                        continue
                    }
                    told = preview.earlyCount
                    let early = try #require(preview.early, place)
                    #expect(preview.result == nil && ranked.stepsTaken >= after, place)
                    #expect(!ranked.isMatched && early.rev <= session.store.rev, place)
                    // The search has looked at no documents since they were begun.
                    guard early.rev == session.store.rev else { continue }
                    let seen = first(
                        told == 2
                            ? session.documents
                            : ranked.foundBits.map {
                                session.store.table.document(of: DocumentRow(UInt32($0)))
                            })
                    let rows = early.items.rows.map { session.store.table.content(of: $0) }
                    #expect(rows == Array(seen.prefix(limit)), place)
                    #expect(
                        told == 2 ? early.count <= seen.count : early.count == seen.count, place)
                    if told == 2 { best += 1 } else { found += 1 }
                    if rows.count < limit { fewer += 1 }
                }
                let (items, count, rev) = try #require(preview.result, place)
                // It may have begun before the last change.
                guard rev == session.store.rev else { continue }
                let all = first(session.documents)
                let rows = items.rows.map { session.store.table.content(of: $0) }
                #expect(rows == Array(all.prefix(limit)) && count == all.count, place)
            }
            #expect(
                found > 10 && best > 3 && fewer > 1,
                "\(found), \(best), \(fewer): seed \(random.seed)")
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

extension PickerList {
    /// Whether it equals the plain function.
    fileprivate func isRight(in session: ListSession) -> Bool {
        let wanted = generateItems(
            documents: session.documents, search: query.search, filter: query.filter,
            sortOrder: sortOrder)
        return contents(0..<items.count) == wanted
    }
}

/// Results shared by lists with equal queries.
private final class SharedSurveys {
    private(set) var made: [DocumentSurvey] = []
    private let store: DocumentStore
    private let range: DocumentRange

    init(of store: DocumentStore, in range: DocumentRange) {
        self.store = store
        self.range = range
    }

    func survey(for query: DocumentQuery) -> DocumentSurvey {
        if let known = made.last(where: { $0.query == query && $0.isSound }) { return known }
        let wider = made.last { $0.known != nil && query.narrows($0.query) }
        let survey = DocumentSurvey(of: store, in: range, for: query, among: wider)
        made.append(survey)
        return survey
    }
}

/// One list, and the array built from its changes alone.
private final class ListSession {
    private static let stems = [
        "a", "A", "ä", "b", "notes", "Notes", "a2", "a10", "bericht", "résumé", "日本語", "ﬁn", "ß",
        "e\u{301}tude", "Straße",
    ]
    private static let texts = ["", "a", "no", "not", "1", "É", "ss", "本", "fi", "zzz", "."]

    let store = DocumentStore(epoch: "test")
    let range: DocumentRange
    let orders: DocumentOrders
    var query = DocumentQuery()
    private(set) lazy var list = PickerList(in: orders)
    private(set) var told: [PickerItem] = []
    private let isConnected: Bool
    private var connection: Connection?
    private var typed = ""
    private var conditions: [FilterExpression] = []

    init(_ random: inout SeededRandom, isConnected: Bool = true) throws {
        range = DocumentRange.allCases.randomElement(using: &random) ?? .all
        orders = DocumentOrders(of: store, in: range)
        self.isConnected = isConnected
        if random.chance(0.5) { change(Int.random(in: 0...60, using: &random), &random) }
        follow()
    }

    /// Without a list of its own: `count` documents in as many of `rows` rows, chosen at random.
    init(_ random: inout SeededRandom, count: Int, spreadOver rows: Int) throws {
        range = random.chance(0.5) ? .all : .listed
        isConnected = false
        orders = DocumentOrders(of: store, in: range)
        change(rows, &random, areNew: true)
        let others = store.documents.shuffled(using: &random).dropFirst(count)
        store.apply(removed: Array(others))
        store.releaseFreedRows()
    }

    var documents: [Document] {
        store.documents.filter { document in
            switch range.part {
            case .all: true
            case .listed: !document.isDropped
            case .dropped: document.isDropped
            }
        }
    }

    var wanted: [ItemContent] {
        generateItems(
            documents: documents, search: list.query.search, filter: list.query.filter,
            sortOrder: list.sortOrder)
    }

    var shown: [ItemContent] { list.contents(0..<list.items.count) }

    /// Another list, all of it new.
    private func show(by order: SortOrder) {
        list = PickerList(in: orders, sortedBy: order, query: query)
        follow()
    }

    /// Makes the list anew if a change has asked too much of it.
    func refresh() {
        if !list.isSound { show(by: list.sortOrder) }
    }

    private func follow() {
        guard isConnected else { return }
        list.activate()
        connection = list.items.changes.connect { [unowned self] in $0.apply(on: &told) }
        told = list.items.value
    }

    func making(by sortOrder: SortOrder, _ surveys: SharedSurveys) -> ListMaking {
        ListMaking(in: orders, sortedBy: sortOrder, query: query) { surveys.survey(for: $0) }
    }

    // MARK: Queries

    /// A query that narrows this one, most of the time.
    func extendQuery(_ random: inout SeededRandom) {
        var search = query.search
        var filter = query.filter?.expression
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let text = Self.texts.randomElement(using: &random) ?? "a"
            let match = DocumentSearch.Match.allCases.randomElement(using: &random) ?? .contains
            search = try? DocumentSearch.parse(text, match: match)
            filter = nil
        case 1, 2:
            let letter = ["a", "t", "1", "e"].randomElement(using: &random) ?? "a"
            search = try? DocumentSearch.parse((search?.text ?? "") + letter)
        default:
            let small = FilterExpression.size(.atMost, UInt64.random(in: 1...3, using: &random))
            let other = FilterExpression.modified(.greater, 1)
            let new = [small, other, .not(.liked)].randomElement(using: &random) ?? small
            filter = filter.map { .all([$0, new]) } ?? new
        }
        query = DocumentQuery(search: search, filter: filter.map { DocumentFilter($0) })
    }

    /// Another filter: none, one more condition, one fewer, or any.
    private func filter(_ random: inout SeededRandom) throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: conditions = []
        case 1..<4: conditions.append(try RandomFilters.expression(&random, depth: 3))
        case 4: conditions = conditions.shuffled(using: &random).dropLast()
        default: conditions = [try RandomFilters.expression(&random)]
        }
        query = DocumentQuery(
            search: query.search,
            filter: conditions.isEmpty ? nil : DocumentFilter(.all(conditions)))
    }

    /// A letter more, a letter less, or another text.
    private func typeLetter(_ random: inout SeededRandom) throws {
        switch Int.random(in: 0..<4, using: &random) {
        case 0..<2:
            typed.append(
                contentsOf: ["a", "o", "t", "e", "1"].randomElement(using: &random) ?? "a")
        case 2: typed = String(typed.dropLast())
        default: typed = Self.texts.randomElement(using: &random) ?? ""
        }
        query = DocumentQuery(search: try DocumentSearch.parse(typed), filter: query.filter)
    }

    func order(_ random: inout SeededRandom) throws -> SortOrder {
        let fields = SortOrder.Field.known.shuffled(using: &random)
        let keys = fields.prefix(Int.random(in: 1...3, using: &random)).map {
            (random.chance(0.5) ? "-" : "") + $0.key
        }
        return try SortOrder(keys: keys)
    }

    // MARK: Steps

    /// Changes the documents, or shows another list.
    func step(_ random: inout SeededRandom) throws -> String {
        switch Int.random(in: 0..<16, using: &random) {
        case 12..<15:
            try filter(&random)
            show(by: list.sortOrder)
            return "filter \(String(describing: query.filter?.expression))"
        case 15:
            try typeLetter(&random)
            try filter(&random)
            show(by: try order(&random))
            return "order, search and filter at once"
        case 0..<4:
            change(Int.random(in: 1...20, using: &random), &random)
            return "documents"
        case 4:
            let count = Int.random(in: 2...5, using: &random)
            transaction { for _ in 0..<count { change(3, &random) } }
            return "documents, several times at once"
        case 5..<7:
            show(by: try order(&random))
            return "order \(list.sortOrder.keys)"
        case 7..<9:
            try typeLetter(&random)
            show(by: list.sortOrder)
            return "search '\(typed)'"
        case 9, 10:
            drop(&random)
            return "marks"
        default:
            let budget = Int.random(in: 1...40, using: &random)
            ObservableScheduler.current.performDeferredWork(budget: budget)
            return "a slice of \(budget)"
        }
    }

    /// A small change, after which freed rows may be used again.
    func edit(_ random: inout SeededRandom) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: drop(&random)
        case 1: transaction { for _ in 0..<2 { change(2, &random) } }
        default: change(Int.random(in: 1...5, using: &random), &random)
        }
        if random.chance(0.5) { store.releaseFreedRows() }
    }

    /// Drops a document, or restores it.
    private func drop(_ random: inout SeededRandom) {
        let known = store.documents.sorted { $0.key < $1.key }
        guard let document = known.randomElement(using: &random) else { return }
        var planner = MarkPlanner(for: store)
        _ = planner.plan(document.isDropped ? .restore : .drop, for: document.key)
        store.mark(planner.changes)
    }

    /// Adds, changes, renames and removes documents, as one change of the set.
    func change(_ count: Int, _ random: inout SeededRandom, areNew: Bool = false) {
        var known =
            areNew ? [] : store.documents.sorted { $0.key < $1.key }.shuffled(using: &random)
        var removed: [Document] = []
        var inserted: [Document] = []
        for _ in 0..<count {
            let kind = Int.random(in: 0..<10, using: &random)
            guard kind > 3, let old = known.popLast() else {
                inserted.append(
                    Document(
                        key: store.mintKey(), root: "/r", path: path(&random),
                        size: UInt64.random(in: 0...3, using: &random),
                        modified: FileTime(seconds: Int64.random(in: 0...5, using: &random))))
                continue
            }
            removed.append(old)
            switch kind {
            case 4..<6: break
            case 6..<8: inserted.append(old.with(root: "/r", path: path(&random)))
            case 8: inserted.append(old.with(isLiked: !old.isLiked))
            default:
                inserted.append(
                    old.with(
                        size: old.size + 1,
                        modified: FileTime(seconds: Int64.random(in: 0...5, using: &random))))
            }
        }
        store.apply(removed: removed, inserted: inserted)
    }

    private var nextPath = 0

    private func path(_ random: inout SeededRandom) -> FileName {
        nextPath += 1
        let stem = Self.stems.randomElement(using: &random) ?? "a"
        let suffix = [".md", ".txt", "", ".PDF"].randomElement(using: &random) ?? ""
        // The folder makes the path unique; names repeat.
        return FileName("d\(nextPath)/\(stem)\(suffix)")
    }
}
