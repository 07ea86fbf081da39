// Requests that only show attributes, and what a list shows next.

import EventLoops
import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite("Attributes that are only shown")
struct ShownAttributeTests {
    private let bench: AttributeBench

    init() throws { bench = try AttributeBench(["a", "b", "c"]) }

    private var lists: ListFixture { bench.lists }

    private func row(_ name: String, of answer: JSONValue) -> JSONValue? {
        (answer["items"] ?? answer["results"])?.arrayValue?.first { $0["name"] == .string(name) }
    }

    @Test(
        "A one-time request that only shows attributes waits for the rows of its answer",
        arguments: [
            ("items.get", ["window": ["start": 1, "count": 2]]),
            ("items.page", ["size": 2, "index": 1]),
            ("items.get", ["window": ["start": 1, "count": 2], "sort": ["x.time"]]),
        ] as [(String, JSONObject)])
    func shownOnly(method: String, params: JSONObject) throws {
        lists.add((0..<600).map { "n\($0)" })
        let anyone = try bench.wantAll()
        var params = params
        params["fields"] = ["name", "x.integer"]
        let later = lists.session.begin(method, .object(params))
        lists.loop.turn()
        let use = try #require(bench.directory.users.first { $0 !== anyone })
        if params["sort"] != nil {
            #expect(use.awaited == nil, "what decides the rows comes first")
            bench.setPending(0)
            lists.loop.turn()
        }
        #expect(later.value == nil)
        let names = use.awaited?.rows.compactMap { $0.item?.row }.map {
            bench.documents.table.name(of: $0).text
        }
        #expect(names?.contains("a") == true && (names?.count ?? 9) <= 2)
        #expect(use.wish.shown == [try bench.attribute(.integer)])
        bench.setPending(1)
        lists.loop.advance(by: .seconds(9))
        #expect(later.value == nil)
        try bench.give("a", [.integer: .integer(5)])
        bench.setPending(0)
        lists.loop.turn()
        let answer = try #require(later.value, "it waits").get()
        #expect(row("a", of: answer)?["x.integer"] == 5)
        #expect(answer["pending"] == nil)
    }

    @Test("If other documents come into the rows that are awaited, these are awaited too")
    func otherRows() throws {
        let later = lists.session.begin(
            "items.get", ["fields": ["name", "x.integer"], "window": ["start": 1, "count": 1]])
        lists.loop.turn()
        lists.add(["Z", "0"])
        bench.setPending(0)
        lists.loop.turn()
        #expect(later.value == nil)
        try bench.give("0", [.integer: .integer(7)])
        bench.setPending(0)
        lists.loop.turn()
        let answer = try #require(later.value, "it waits").get()
        #expect(row("0", of: answer)?["x.integer"] == 7)
    }

    @Test(
        "After ten seconds, for the order and for the rows together, the answer says what is not known",
        arguments: ["items.get", "items.page"])
    func shownTooLate(method: String) throws {
        let later = lists.session.begin(
            method, ["sort": ["x.time"], "fields": ["name", "x.integer", "x.text"]])
        lists.loop.advance(by: .seconds(6))
        bench.setPending(0)
        lists.loop.turn()
        bench.setPending(2)
        lists.loop.advance(by: .milliseconds(3990))
        #expect(later.value == nil)
        lists.loop.advance(by: .milliseconds(20))
        let answer = try #require(later.value).get()
        #expect(answer["pending"] == ["x.integer": 2, "x.text": 2, "x.time": 2])
        #expect(bench.directory.users.isEmpty)
    }

    @Test("Who shows all attributes that are known waits for none of them")
    func allShown() throws {
        let anyone = try bench.wantAll()
        try bench.give("b", [.integer: .integer(5)])
        let later = lists.session.begin("items.get", ["fields": ["name", "attributes"]])
        lists.loop.turn()
        let answer = try #require(later.value, "it waits").get()
        #expect(row("b", of: answer)?["x.integer"] == 5)
        withExtendedLifetime(anyone) {}
    }

    @Test("A client that goes while rows are awaited is waited for no more")
    func abandonedRows() throws {
        let later = lists.session.begin("items.get", ["fields": ["x.integer"]])
        lists.loop.turn()
        #expect(bench.directory.users.first?.awaited != nil)
        later.abandon()
        lists.loop.advance(by: .seconds(11))
        #expect(later.value == nil && bench.directory.users.isEmpty)
    }

    @Test(
        "Beside a window are the rows of one window behind it and one before, as far as there are any",
        arguments: [
            (20, 10, 100, Array(30..<40) + Array(10..<20)), (0, 10, 100, Array(10..<20)),
            (45, 10, 100, Array(40..<45)), (3, 10, 100, Array(13..<23) + Array(0..<3)),
            (20, 10, 12, Array(30..<40) + Array(18..<20)), (20, 10, 4, Array(30..<34)),
            (20, 10, 0, []), (60, 10, 100, []), (20, 0, 100, []),
        ])
    func nearby(start: Int, count: Int, limit: Int, expected: [Int]) throws {
        lists.add((0..<50).map { "n\($0 + 100)" })
        let params: JSONValue = [
            "fields": ["x.integer"], "search": "n1",
            "window": ["start": .integer(Int64(start)), "count": .integer(Int64(count))],
        ]
        _ = try lists.session.call("items.open", params).get()
        _ = lists.read()
        let use = try #require(bench.directory.users.first)
        let rows = use.viewer?.rowsNearby(atMost: limit) ?? []
        let names = rows.map { row in
            row.item?.row.map { bench.documents.table.name(of: $0).text }
        }
        // A search leaves the offer of a new document out.
        #expect(names == expected.map { "n\($0 + 100)" })
    }
}
