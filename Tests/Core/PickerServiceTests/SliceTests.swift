// Requests that read all documents, and another client: measured in slices and steps, not in time.

import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import ItemsPlugin
@testable import ListRequests
@testable import PickerService
@testable import StatisticsPlugin

@Suite struct SliceTests {
    private static let documents = 25_000

    /// The most expensive condition: no pattern matches, and each is compared with the whole name.
    private static let dearest: JSONValue = .array(
        ["anyof"] + (0..<250).map { ["imatch", JSONValue("*q\($0)*z")] })

    /// A request that reads documents, and its cancellation.
    struct Case: CustomStringConvertible {
        let method: String
        let params: JSONValue
        /// The list, if there is one; otherwise the request itself waits for its answer.
        var isList = false

        var description: String { method }
    }

    private static let cases = [
        Case(method: "items.get", params: ["where": dearest]),
        Case(method: "items.page", params: ["where": dearest, "size": 1000]),
        Case(method: "documents.stats", params: ["where": dearest]),
        Case(method: "items.open", params: ["where": dearest], isList: true),
        Case(method: "items.update", params: ["sub": 1, "where": dearest], isList: true),
    ]

    @Test(
        "while one client's request reads documents, another is answered between any two slices",
        arguments: cases)
    func others(_ example: Case) throws {
        let items = ItemsPlugin()
        let statistics = StatisticsPlugin()
        let fixture = ServerFixture(plugins: [items, statistics])
        fixture.add((0..<Self.documents).map { "report of week \($0).txt" })
        let greedy = try fixture.connect()
        let modest = try fixture.connect()
        if example.method == "items.update" {
            _ = try greedy.result("items.open", ["window": ["count": 5]], id: 1)
        }
        greedy.send(example.method, example.params, id: 7)
        let queues = [items.builder?.surveys, statistics.surveys].compactMap { $0 }
        let most = try #require(queues.first).limits.slice
        for round in 0..<20 {
            modest.send("daemon.ping", id: .integer(Int64(round)))
            let slices = queues.reduce(0) { $0 + $1.slices }
            var handlers = 0
            while modest.readBytes() == 0, handlers < 100 {
                fixture.loop.runOne()
                handlers += 1
            }
            #expect(try modest.takeLines().map { $0["id"] } == [.integer(Int64(round))])
            let between = queues.reduce(0) { $0 + $1.slices } - slices
            #expect(between <= 2, "\(between) slices before a ping was answered")
            // The work continues, whatever the other client requests.
            fixture.loop.turn(limit: 2)
        }
        greedy.readBytes()
        #expect(queues.reduce(0) { $0 + $1.slices } >= 10)
        #expect(queues.reduce(0) { $0 + $1.count } == 1, "it is not done yet")
        // A slice ends with the document that uses it up, or with a part of a sort.
        let largest = queues.map(\.largestSlice)
        #expect(largest.allSatisfy { $0 < most + 24_000 }, "\(largest)")

        // It is cancelled: it ends, and nothing is left of it.
        let lines = try greedy.takeLines()
        if example.isList {
            #expect(lines.contains { $0["id"] == 7 }, "the list is open")
            #expect(
                lines.allSatisfy { $0["params"]?["complete"] != true || $0["params"]?["gen"] != 1 })
            greedy.send("items.close", ["sub": example.method == "items.open" ? 7 : 1], id: 8)
        } else {
            #expect(lines.isEmpty)
            greedy.send("{\"method\":\"$/cancel\",\"params\":{\"id\":7}}")
        }
        fixture.loop.turn()
        #expect(queues.allSatisfy { $0.count == 0 })
        greedy.readBytes()
        let answers = try greedy.takeLines()
        #expect(answers.contains { $0["id"] == (example.isList ? 8 : 7) })
        #expect(fixture.loop.isIdle && fixture.loop.nextTimer == nil)
    }

    @Test("the end of a session ends its requests", arguments: cases)
    func closed(_ example: Case) throws {
        let items = ItemsPlugin()
        let statistics = StatisticsPlugin()
        let fixture = ServerFixture(plugins: [items, statistics])
        fixture.add((0..<2_000).map { "report of week \($0).txt" })
        let client = try fixture.connect()
        _ = try client.result("items.open", [:], id: 1)
        client.send(example.method, example.params, id: 7)
        fixture.loop.turn(limit: 8)
        let queues = [items.builder?.surveys, statistics.surveys].compactMap { $0 }
        #expect(queues.reduce(0) { $0 + $1.count } == 1)
        // A client that has only closed its sending side would get the answer.
        fixture.firstSession?.close()
        #expect(queues.allSatisfy { $0.count == 0 })
        fixture.loop.turn()
        #expect(fixture.loop.isIdle)
        // That of a server without clients runs out.
        fixture.loop.advance(by: .seconds(3))
        #expect(fixture.loop.isIdle && fixture.loop.nextTimer == nil)
    }

    @Test("requests behind a running one wait for it, and the answers come in order")
    func order() throws {
        var limits = SurveyLimits()
        limits.direct = 0
        limits.slice = 200
        limits.stepsPerClockCheck = 100
        let fixture = ServerFixture(
            plugins: [ItemsPlugin(limits: limits), StatisticsPlugin(limits: limits)])
        fixture.add((0..<200).map { "\($0).txt" })
        let client = try fixture.connect()
        client.send("items.get", ["search": "7", "window": ["count": 1]], id: 1)
        client.send("documents.stats", ["where": ["match", "1*"]], id: 2)
        client.send("items.page", ["where": ["suffix", "txt"], "size": 1], id: 3)
        client.send("daemon.ping", id: 4)
        let answers = try client.exchange()
        #expect(answers.map { $0["id"] } == [1, 2, 3, 4])
        #expect(answers.first?["result"]?["total"] == 38)
        #expect(answers[1]["result"]?["count"] == 111)
        #expect(answers[2]["result"]?["count"] == 201)
    }

    @Test("a request that exceeds the work budget is refused with its cost and a remedy")
    func budget() throws {
        var limits = SurveyLimits()
        limits.request = 100_000
        let fixture = ServerFixture(
            plugins: [ItemsPlugin(limits: limits), StatisticsPlugin(limits: limits)])
        fixture.add((0..<100).map { "\($0).txt" })
        let client = try fixture.connect()
        _ = try client.result("items.open", [:], id: 1)
        for example in Self.cases {
            let error = try client.error(example.method, example.params)
            #expect(error.kind == .limitExceeded && error.limit == 100_000)
            #expect(error.message.contains("of 100 documents"), "\(error)")
            #expect(error.message.contains("1000 for each"), "\(error)")
        }
        // The refused request changed nothing, and a cheaper one is executed.
        #expect(try client.result("items.get", ["where": ["match", "1*"]])["total"] == 12)
        #expect(fixture.loop.isIdle)
    }

    @Test("usual requests are within the budget; one that would take a minute is not")
    func reasonable() throws {
        let limits = SurveyLimits()
        func allows(_ params: JSONValue, _ documents: Int) -> Bool {
            do {
                let filter = try WhereReader.filter(
                    JSONView(params), knowing: DocumentStore(epoch: "e").attributes)
                try limits.check(DocumentQuery(filter: filter), of: documents)
                return true
            } catch {
                return false
            }
        }
        #expect(allows(["match", "*.annual-report-of-20*.pdf"], 1_000_000))
        #expect(
            allows(
                .array(["anyof"] + (0..<20).map { ["imatch", JSONValue("*a\($0)*")] }), 1_000_000))
        #expect(allows(Self.dearest, 50_000))
        #expect(!allows(Self.dearest, 1_000_000))
    }
}
