// Orders sorted in slices, while documents change, compared with a plain sort.

import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite struct OrderMakingTests {
    private static let names = [
        "report 1.txt", "report 2.md", "report 10.pdf", "Report.md", "a", "", "ä", "e\u{301}.md",
        "zz\u{FB01}.txt",
        "report of a long week 1", "report of a long week 12", "report of a long week 2",
    ]

    private static func document(
        _ store: DocumentStore, _ number: Int, _ random: inout SeededRandom
    ) -> Document {
        let name =
            (names.randomElement(using: &random) ?? "") + (random.chance(0.5) ? "\(number)" : "")
        let folder =
            random.chance(0.5) ? "f\(Int.random(in: 0..<3, using: &random))/" : "\(number)/"
        return Document(
            key: store.mintKey(), root: random.chance(0.5) ? "/r" : "/s",
            path: FileName(folder + "\(number)" + name),
            size: random.chance(0.1) ? .max : UInt64.random(in: 0...5, using: &random),
            modified: FileTime(
                seconds: Int64.random(in: -3...3, using: &random),
                nanoseconds: UInt32.random(in: 0...2, using: &random))
        ).with(isLiked: random.chance(0.3))
    }

    private static let orders: [[String]] = [
        ["name"], ["-name"], ["path"], ["-path", "size"], ["size"], ["-size", "name"],
        ["size", "-path"],
        ["modified"], ["-modified", "name"], ["type", "-modified"], ["-type", "-name"],
        ["liked", "-type", "name"],
        ["-liked", "path"], ["date"],
    ]

    @Test("an order sorted in slices is that of the documents at its end")
    func randomChanges() throws {
        try withSeed { random in
            for round in 0..<testRounds(60) {
                let store = DocumentStore(epoch: "e")
                var number = 0
                // Some of the removed ones return as they were.
                var away: [Document] = []
                func change(_ count: Int, _ random: inout SeededRandom) {
                    var known = store.documents.sorted { $0.key < $1.key }
                    var removed: [Document] = []
                    var inserted: [Document] = []
                    if random.chance(0.5), let back = away.popLast() { inserted.append(back) }
                    for _ in 0..<count {
                        number += 1
                        if known.isEmpty || random.chance(0.6) {
                            inserted.append(document(store, number, &random))
                            continue
                        }
                        let old = known.remove(at: Int.random(in: known.indices, using: &random))
                        if random.chance(0.5) {
                            removed.append(old)
                        } else {
                            inserted.append(old.with(size: 3, modified: FileTime(seconds: 1)))
                        }
                    }
                    store.apply(removed: removed, inserted: inserted)
                    if random.chance(0.4) { store.releaseFreedRows() }
                    away += removed
                }
                func document(
                    _ store: DocumentStore, _ number: Int, _ random: inout SeededRandom
                ) -> Document { Self.document(store, number, &random) }
                func drop(_ random: inout SeededRandom) {
                    // Leaves the set, and may return.
                    let known = store.documents.sorted { $0.key < $1.key }
                    guard let document = known.randomElement(using: &random) else { return }
                    var planner = MarkPlanner(for: store)
                    let isDropped = store.marks.marks(of: document.key).contains(.dropped)
                    _ = planner.plan(isDropped ? .restore : .drop, for: document.key)
                    store.mark(planner.changes)
                }
                change(Int.random(in: 0...300, using: &random), &random)
                let keys = try #require(Self.orders.randomElement(using: &random))
                let sortOrder = try SortOrder(keys: keys)
                let orders = DocumentOrders(of: store, in: .listed)
                // Perhaps there is another order from which it is made, or one is being made.
                var other: AnyObject?
                if let source = sortOrder.sources.randomElement(using: &random)?.order {
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: other = orders.order(by: source)
                    case 1:
                        let making = orders.making(by: source)
                        _ = making.advance(budget: Int.random(in: 0...400, using: &random))
                        other = making
                    default: break
                    }
                }
                defer { withExtendedLifetime(other) {} }
                let making = orders.making(by: sortOrder)
                #expect(orders.making(by: sortOrder) === making)
                #expect(orders.count == (other == nil ? 1 : 2))
                #expect(orders.has(sortOrder) && !orders.isAtHand(sortOrder))
                // Occasionally far more documents arrive than there were.
                let most = random.chance(0.1) ? 400 : 4
                while true {
                    let before = making.stepsTaken
                    let budget = Int.random(in: 1...400, using: &random)
                    if making.advance(budget: budget) { break }
                    #expect(making.stepsTaken - before < budget + 20_000, "a slice has its budget")
                    if random.chance(0.3) {
                        change(
                            Int.random(
                                in: 1...(most > 4 && number > 2000 ? 4 : most), using: &random),
                            &random)
                    }
                    if random.chance(0.2) { drop(&random) }
                }
                let order = try #require(making.order)
                func check(_ when: String) {
                    let wanted = store.documents.filter { !$0.isDropped }
                        .sorted(by: sortOrder.comparator)
                    let items = order.items.value
                    let rows = items.compactMap { item in
                        item.row.map { store.table.document(of: $0) }
                    }
                    #expect(items.first == .newDocument && rows.count == items.count - 1)
                    #expect(rows == wanted, "round \(round), \(keys), \(when)")
                }
                check("at its end")
                #expect(orders.isAtHand(sortOrder) && orders.order(by: sortOrder) === order)
                for _ in 0..<2 {
                    change(3, &random)
                    drop(&random)
                    check("later")
                }
            }
        }
    }

    private static func store(_ count: Int, _ random: inout SeededRandom) -> DocumentStore {
        let store = DocumentStore(epoch: "e")
        store.apply(inserted: (0..<count).map { document(store, $0, &random) })
        return store
    }

    /// What `sortOrder` is made of, and whether a sort was needed for it.
    private static func isDerived(
        _ keys: [String], from source: [String], in store: DocumentStore
    ) throws -> Bool {
        let orders = DocumentOrders(of: store, in: .listed)
        let sortOrder = try SortOrder(keys: keys)
        let other = orders.making(by: try SortOrder(keys: source))
        let making = orders.making(by: sortOrder)
        while !making.advance(budget: 100) {}
        let rows = try #require(making.order).items.value.compactMap(\.row)
        let wanted = store.documents.sorted(by: sortOrder.comparator)
        #expect(rows.map { store.table.document(of: $0) } == wanted, "\(keys) of \(source)")
        return other.order != nil && !making.hasSorted
    }

    @Test("an order is made from another one where that needs no sort")
    func derived() throws {
        try withSeed { random in
            let store = Self.store(400, &random)
            let sources = [
                (["-name"], ["name"]), (["name"], ["-name"]), (["size"], ["-size"]),
                (["-modified", "name"], ["modified", "-name"]), (["-path"], ["path"]),
                (["type", "name"], ["name"]), (["-type", "-name"], ["-name"]),
                (["type", "-name"], ["-type", "name"]), (["liked", "path"], ["path"]),
                (["-liked", "-type", "size"], ["-type", "size"]),
            ]
            for (keys, source) in sources {
                let isDerived = try Self.isDerived(keys, from: source, in: store)
                #expect(isDerived, "\(keys) of \(source)")
            }
            for (keys, source) in [
                (["-name"], ["size"]), (["-modified"], ["modified", "name"]),
                (["size", "name"], ["name"]), (["type", "name"], ["-name"]),
            ] {
                let isDerived = try Self.isDerived(keys, from: source, in: store)
                #expect(!isDerived, "\(keys) of \(source)")
            }
        }
    }

    @Test("an order that is reversed keeps many equal documents in order, in slices")
    func longRuns() throws {
        let store = DocumentStore(epoch: "e")
        let documents = (0..<2600).map {
            Document(
                key: store.mintKey(), root: "/r", path: FileName("\($0)"),
                size: $0 % 100 < 2 ? 1 : $0 < 2500 ? 2 : 3, modified: FileTime(seconds: 0))
        }
        store.apply(inserted: documents)
        let orders = DocumentOrders(of: store, in: .listed)
        let sortOrder = try SortOrder(keys: ["-size"])
        let making = orders.making(by: try #require(sortOrder.reversed))
        #expect(making.advance(budget: .max))
        let rows = try #require(making.order?.sortedRows)
        let derived = DerivedRows(of: sortOrder, from: rows, .reversing, in: store.table)
        var slices = 0
        var steps = 0
        while !derived.advance(&steps, budget: 100) {
            slices += 1
            #expect(steps < 100 + 2048)
            steps = 0
        }
        #expect(slices > 5, "\(slices) slices")
        let wanted = documents.sorted(by: sortOrder.comparator)
        #expect(derived.rows.all.map { store.table.document(of: $0) } == wanted)
    }

    @Test("an order that is reversed compares only what has changed since it was made before")
    func reversedAgain() throws {
        try withSeed { random in
            for keys in [["-size"], ["size"], ["-name"], ["modified", "-size"]] {
                let sortOrder = try SortOrder(keys: keys)
                let store = Self.store(1000, &random)
                func rows(_ order: SortOrder) -> PreparedRows<DocumentRow> {
                    let all = store.bits(in: .listed).map { DocumentRow($0) }
                    return PreparedRows(
                        all.sorted { store.table.compare($0, $1, by: order) < 0 })
                }
                let hold = store.table.hold()
                let former = rows(sortOrder)
                var known = store.bits(in: .listed)
                let left = store.documents.filter { _ in random.chance(0.1) }
                store.apply(
                    removed: left,
                    inserted: (0..<100).map { Self.document(store, 1000 + $0, &random) })
                known.formIntersection(store.bits(in: .listed))
                let arrived = store.bits(in: .listed).count - known.count
                let derived = DerivedRows(
                    of: sortOrder, from: rows(try #require(sortOrder.reversed)), .reversing,
                    after: former,
                    known: known, in: store.table)
                var steps = 0
                while !derived.advance(
                    &steps, budget: steps + Int.random(in: 1...200, using: &random))
                {}
                #expect(derived.rows.all == rows(sortOrder).all, "\(keys)")
                #expect((1...4 * arrived).contains(derived.wordsRead), "\(keys)")
                withExtendedLifetime(hold) {}
            }
        }
    }

    @Test("orders that may be made from each other do not wait in a circle")
    func noCircle() throws {
        try withSeed { random in
            for _ in 0..<testRounds(8) {
                let store = Self.store(300, &random)
                var limits = OrderFollowing.Limits()
                limits.alwaysFollowed = 0
                limits.editsAtOnce = 50
                store.following.limits = limits
                var number = 300
                let orders = DocumentOrders(of: store, in: .listed)
                let all = try [["name"], ["-name"], ["type", "name"], ["-type", "-name"]].map {
                    try SortOrder(keys: $0)
                }
                var makings: [SortOrder: OrderMaking] = [:]
                var made: [SortOrder: DocumentOrder] = [:]
                var slices = 0
                while made.count < all.count, slices < 100_000 {
                    slices += 1
                    let sortOrder = try #require(all.randomElement(using: &random))
                    let making = makings[sortOrder] ?? orders.making(by: sortOrder)
                    makings[sortOrder] = making
                    if made[sortOrder] == nil,
                        making.advance(budget: Int.random(in: 1...500, using: &random))
                    {
                        // Another one had it made, and it has fallen behind since.
                        let isBehind = making.order?.isBehind ?? true
                        if isBehind {
                            makings[sortOrder] = nil
                        } else {
                            made[sortOrder] = making.order
                        }
                    }
                    guard slices < 500, random.chance(0.05) else { continue }
                    store.apply(
                        inserted: (0..<100).map { Self.document(store, number + $0, &random) })
                    number += 100
                    for (sortOrder, order) in made where order.isBehind {
                        made[sortOrder] = nil
                        makings[sortOrder] = nil
                    }
                }
                #expect(made.count == all.count)
                for (sortOrder, order) in made {
                    let rows = order.items.value.compactMap(\.row)
                    let wanted = store.documents.sorted(by: sortOrder.comparator)
                    #expect(rows.map { store.table.document(of: $0) } == wanted)
                }
            }
        }
    }

    @Test("an unreferenced sort is given up, and a completed order stays with its owner")
    func givenUp() throws {
        let store = DocumentStore(epoch: "e")
        store.apply(
            inserted: (0..<100).map {
                Document(
                    key: store.mintKey(), root: "/r", path: FileName("\($0)"), size: 1,
                    modified: FileTime(seconds: 0))
            })
        let orders = DocumentOrders(of: store, in: .listed)
        var making: OrderMaking? = orders.making(by: .date)
        #expect(making?.advance(budget: 10) == false)
        making = nil
        #expect(!orders.has(.date) && orders.count == 0)
        making = orders.making(by: .date)
        #expect(making?.advance(budget: .max) == true)
        for keys in [["size"], ["-size"], ["path"], ["-path"], ["type"]] {
            _ = orders.order(by: try SortOrder(keys: keys))
        }
        #expect(orders.isAtHand(.date))
        making = nil
        #expect(!orders.isAtHand(.date))
    }

    @Test("rows freed during a sort remain readable until it ends, or nobody has it any more")
    func holds() throws {
        let store = DocumentStore(epoch: "e")
        var documents = (0..<400).map {
            Document(
                key: store.mintKey(), root: "/r", path: FileName("\($0)"), size: 1,
                modified: FileTime(seconds: 0))
        }
        store.apply(inserted: documents)
        let orders = DocumentOrders(of: store, in: .listed)
        for isGivenUp in [false, true] {
            var making: OrderMaking? = orders.making(by: isGivenUp ? .date : .name)
            #expect(making?.advance(budget: 10) == false)
            for index in 0..<300 {
                documents[index] = documents[index].with(
                    size: documents[index].size + 1, modified: FileTime(seconds: Int64(index)))
            }
            store.apply(inserted: Array(documents[..<300]))
            store.releaseFreedRows()
            #expect(store.table.rowsInUse == 700)
            if isGivenUp { making = nil } else { #expect(making?.advance(budget: .max) == true) }
            store.releaseFreedRows()
            #expect(store.table.rowsInUse == 400)
            if let order = making?.order {
                let rows = order.items.value.compactMap(\.row)
                let wanted = documents.sorted(by: SortOrder.name.comparator)
                #expect(rows.map { store.table.document(of: $0) } == wanted)
            }
        }
    }

    /// For some texts, another that finds all that they find.
    private static let wideners = ["rep": "re", "f1 !2": "f", "/a": "/"]

    @Test("documents ranked in slices while they change are those that the search finds, in order")
    func ranked() throws {
        try withSeed { random in
            for round in 0..<60 {
                let store = DocumentStore(epoch: "e")
                var number = 0
                func change(_ count: Int, _ random: inout SeededRandom) {
                    let known = store.documents.sorted { $0.key < $1.key }
                    var removed: [Document] = []
                    var inserted: [Document] = []
                    for old in known.shuffled(using: &random).prefix(count / 2) {
                        if random.chance(0.5) {
                            removed.append(old)
                        } else {
                            inserted.append(old.with(size: 3, modified: FileTime(seconds: 1)))
                        }
                    }
                    for _ in 0..<(count - count / 2) {
                        number += 1
                        inserted.append(Self.document(store, number, &random))
                    }
                    store.apply(removed: removed, inserted: inserted)
                    if random.chance(0.4) { store.releaseFreedRows() }
                }
                change(Int.random(in: 0...300, using: &random), &random)
                let text = ["rep", "r1 | md", "f1 !2", "/a"].randomElement(using: &random)
                let search = try #require(try DocumentSearch.parse(text, match: .fuzzy))
                guard let ranking = search.ranking else { continue }
                let keys = [["score"], ["-score", "path"], ["liked", "score"]]
                let sortOrder = try SortOrder(keys: keys[round % 3])
                // Perhaps among what another search has found, which goes on following the documents.
                var wider: RankedDocuments?
                if let other = Self.wideners[search.text], random.chance(0.7) {
                    let search = try #require(try DocumentSearch.parse(other, match: .fuzzy))
                    let widerRanking = try #require(search.ranking)
                    #expect(ranking.query.narrows(widerRanking.query))
                    let whole = RankedDocuments(of: store, in: .listed, by: widerRanking)
                    if random.chance(0.8) { _ = whole.matching.advance(budget: .max) }
                    change(Int.random(in: 1...6, using: &random), &random)
                    wider = whole
                }
                let documents = RankedDocuments(
                    of: store, in: .listed, by: ranking, among: wider)
                #expect(documents.isFew && documents.found.value.isEmpty)
                if random.chance(0.5) {
                    // The bits are right before the set is.
                    while !documents.matching.advance(
                        budget: Int.random(in: 1...400, using: &random))
                    {
                        if random.chance(0.5) {
                            change(Int.random(in: 1...6, using: &random), &random)
                        }
                    }
                    let found = store.documents.filter { search.matches($0) }
                    #expect(documents.isMatched && documents.foundBits.count == found.count)
                }
                let orders = DocumentOrders(of: documents)
                let making = orders.making(by: sortOrder)
                let works: [any SlicedWork] = [documents, making]
                for work in works {
                    while !work.advance(budget: Int.random(in: 1...400, using: &random)) {
                        if random.chance(0.5) {
                            change(Int.random(in: 1...6, using: &random), &random)
                        }
                    }
                }
                let order = try #require(making.order)
                for _ in 0..<4 {
                    let wanted = generateItems(
                        documents: store.documents, search: search, sortOrder: sortOrder)
                    let rows = order.items.value.compactMap(\.row)
                    let found = rows.map { ItemContent.document(store.table.document(of: $0)) }
                    #expect(found == wanted, "round \(round), '\(search.text)'")
                    #expect(documents.found.value == Set(rows))
                    #expect(documents.foundBits.sorted() == rows.map(\.index).sorted())
                    for row in rows {
                        let rank = ranking.rank(of: store.table.document(of: row))?.order
                        #expect(documents.rank(of: row) == rank)
                    }
                    change(Int.random(in: 1...6, using: &random), &random)
                }
            }
        }
    }
}
