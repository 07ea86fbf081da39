import TestSupport
import Testing

@testable import AttributesPlugin
@testable import PickerModel

@Suite("How many documents are still to be read")
struct PendingCountTests {
    private func rows(_ keys: [String], _ fixture: ReadingFixture) -> ShownRows {
        ShownRows(
            keys.compactMap { fixture.documents.row(key: $0).map { PickerItem($0) } },
            of: fixture.documents.table)
    }

    @Test("To count those of an answer takes no step for each of its documents")
    func cost() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<8000)
        let awaited = AwaitedRows(
            rows(keys, fixture), condition: nil, in: fixture.directory)
        #expect(awaited.advance(budget: .max))
        let read = fixture.directory.beginReading()
        var count: Int?
        let cost = Cost.of { count = awaited.unreadCount(read) }
        #expect(count == 8000)
        #expect(cost.retains < 2000 && cost.allocations < 500, "\(cost)")
        var next: [DocumentRow] = []
        let search = Cost.of { next = awaited.unread(read, atMost: 10) }
        #expect(next.count == 10)
        #expect(search.retains < 2000 && search.allocations < 500, "\(search)")
        fixture.directory.endReading(read)
    }

    @Test("After every random step those of an answer that are not read are known")
    func random() throws {
        try withSeed { random in
            for _ in 0..<testRounds(20) {
                let condition = DocumentFilter(.suffix([Array("jpg".utf8)]))
                let fixture = try ReadingFixture()
                let documents = fixture.documents
                var keys = fixture.add(0..<150) + fixture.add(0..<20, "t", "txt")
                let shown = keys.shuffled(using: &random).prefix(100)
                let awaited = AwaitedRows(
                    rows(Array(shown), fixture), condition: condition, in: fixture.directory)
                let wanted = shown.filter {
                    documents[key: $0]?.name.text.hasSuffix("jpg") ?? false
                }
                let read = fixture.directory.beginReading()
                for step in 0..<120 {
                    let key = keys.randomElement(using: &random) ?? ""
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0: keys += fixture.add(1000 + step..<1001 + step)
                    case 1:
                        if let document = documents[key: key], random.chance(0.3) {
                            documents.apply(removed: [document])
                        }
                    case 2: if documents[key: key] != nil { try fixture.write(key, size: 7) }
                    case 3:
                        var planner = MarkPlanner(for: documents)
                        _ = planner.plan(random.chance(0.5) ? .drop : .restore, for: key)
                        documents.mark(planner.changes)
                    case 4: documents.releaseFreedRows()
                    case 5: _ = awaited.advance(budget: 10)
                    default: if let row = documents.row(key: key) { read.insert(row) }
                    }
                    guard awaited.isDone else {
                        #expect(awaited.unreadCount(read) == nil)
                        continue
                    }
                    let unread = wanted.compactMap { documents.row(key: $0) }
                        .filter { !read.contains($0) }
                    #expect(
                        awaited.unreadCount(read) == unread.count,
                        "step \(step): seed \(random.seed)")
                    let next = awaited.unread(read, atMost: 20)
                    #expect(
                        next.count == min(20, unread.count) && Set(next).isSubset(of: unread),
                        "step \(step): seed \(random.seed)")
                }
                fixture.directory.endReading(read)
            }
        }
    }

    @Test("An answer that has ended is followed no more")
    func end() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<3)
        #expect(fixture.documents.table.attributes.isEmpty)
        var awaited: AwaitedRows? = AwaitedRows(
            rows(keys, fixture), condition: nil, in: fixture.directory)
        #expect(!fixture.documents.table.attributes.isEmpty)
        withExtendedLifetime(awaited) {}
        awaited = nil
        #expect(fixture.documents.table.attributes.isEmpty)
    }

    @Test("The list of attributes counts those of answers, and of searches that are under way")
    func listed() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<40)
        let use = try fixture.use(shown: ["a.width"])
        use.awaited = rows(Array(keys.prefix(10)), fixture)
        fixture.loop.turn()
        #expect(try fixture.listed() == ["known": 0, "pending": 10, "failed": 0])
        #expect(try fixture.listed("a.title")["pending"] == 10, "it comes from the same reading")
        // Each document counts once. Those that are needed are still being looked for.
        let other = try fixture.need()
        #expect(fixture.loop.runOne())
        #expect(try fixture.listed() == ["known": 0, "pending": 40, "failed": 0])
        try fixture.readAll()
        #expect(try fixture.listed() == ["known": 40, "pending": 0, "failed": 0])
        withExtendedLifetime(other) {}
    }

    @Test("The list of attributes counts the items that are still to be given values")
    func given() throws {
        let fixture = try ReadingFixture()
        let collection = fixture.documents.sources.add("p:s", title: "S")
        try fixture.documents.sources.edit(
            collection,
            putting: (0..<1000).map {
                SourcedItem(
                    id: "\($0)", name: "n\($0)", uri: "x:\($0)",
                    values: ["a.width": .integer(Int64($0))])
            })
        fixture.loop.turn()
        func use(_ name: String) throws -> AttributeUse {
            try fixture.directory.use(
                AttributeWish(
                    shown: [], needed: [try #require(fixture.directory.attribute(named: name))],
                    query: DocumentQuery(),
                    range: DocumentRange(.listed, of: CollectionSet(["p:s"]))))
        }
        /// Gives values until there are none, while each item either has one or is counted.
        func follow(_ name: String, beside other: String) throws {
            let before = try fixture.listed(other)
            var seen: Set<Int> = []
            while fixture.loop.runOne() {
                let counts = try fixture.listed(name)
                let pending = try #require(counts["pending"])
                if pending > 0 { #expect(try #require(counts["known"]) + pending == 1000) }
                #expect(try fixture.listed(other) == before, "nothing is to be given")
                seen.insert(pending)
            }
            #expect(seen.count > 5, "\(seen)")
            #expect(try fixture.listed(name) == ["known": 1000, "pending": 0, "failed": 0])
        }
        let first = try use("a.width")
        try follow("a.width", beside: "uri")
        let second = try use("uri")
        try follow("uri", beside: "a.width")
        #expect(first.isSettled && second.isSettled)
    }

    @Test("The list of attributes counts the documents whose frecency is still to be set")
    func frecency() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<600)
        var planner = MarkPlanner(for: fixture.documents)
        for key in keys { _ = planner.plan(.visit(1), for: key) }
        fixture.documents.mark(planner.changes)
        fixture.loop.turn()
        #expect(try fixture.listed("frecency") == ["known": 0, "pending": 0, "failed": 0])
        let use = try fixture.need(["frecency"])
        var seen: [Int] = []
        while fixture.loop.runOne() {
            let counts = try fixture.listed("frecency")
            let pending = try #require(counts["pending"])
            if pending > 0 { #expect(try #require(counts["known"]) + pending == 600) }
            if seen.last != pending { seen.append(pending) }
        }
        #expect(seen.contains { $0 > 0 } && seen.last == 0 && use.isSettled, "\(seen)")
        #expect(try fixture.listed("frecency") == ["known": 600, "pending": 0, "failed": 0])
    }
}
