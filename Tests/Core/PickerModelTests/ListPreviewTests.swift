// The first items of a list, before it is made.

import Observables
import PickerModel
import TestSupport
import Testing

@Suite("The first items of a list")
struct ListPreviewTests {
    @Test("The first items before the order is made are those of the revision at the start")
    func previews() throws {
        try withSeed { random in
            for round in 0..<testRounds(10) {
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
            for round in 0..<24 {
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
            #expect(found > 1, "seed \(random.seed)")
        }
    }

    @Test(
        "While a search ranks documents, its first of all are told, and in another order its first so far"
    )
    func earlyRanked() throws {
        try withSeed { random in
            var (found, best, fewer) = (0, 0, 0)
            for round in 0..<30 {
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
                let after = random.chance(0.1) ? 0 : Int.random(in: 0...800, using: &random)
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
                let isByScore = sortOrder.terms.first == SortOrder.Term(.score)
                var told = 0
                while !preview.advance(budget: Int.random(in: 1...50, using: &random)) {
                    if preview.earlyCount == told {
                        if random.chance(0.01) { session.edit(&random) }
                        continue
                    }
                    told = preview.earlyCount
                    let early = try #require(preview.early, place)
                    #expect(
                        preview.result == nil
                            && ranked.stepsTaken >= (isByScore ? after / 16 : after), place)
                    #expect(told == 1, place)
                    #expect(!ranked.isMatched && early.rev <= session.store.rev, place)
                    // The search has looked at no documents since they were begun.
                    guard early.rev == session.store.rev else { continue }
                    let soFar = first(
                        ranked.foundBits.map {
                            session.store.table.document(of: DocumentRow(UInt32($0)))
                        })
                    let rows = early.items.rows.map { session.store.table.content(of: $0) }
                    if isByScore, rows != Array(soFar.prefix(limit)) {
                        let all = first(session.documents)
                        #expect(rows == Array(all.prefix(min(limit, 24))), place)
                        #expect(early.count <= all.count, place)
                        best += 1
                    } else {
                        // By score, these are told if few have the most points.
                        #expect(rows == Array(soFar.prefix(limit)), place)
                        #expect(early.count == soFar.count, place)
                        found += 1
                    }
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
                found > 4 && best > 1 && fewer > 0,
                "\(found), \(best), \(fewer): seed \(random.seed)")
        }
    }
}
