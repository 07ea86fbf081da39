// Open lists with attributes, and requests that wait for them.

import EventLoops
import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite("Lists with attributes")
struct AttributeListTests {
    private let bench: AttributeBench

    init() throws { bench = try AttributeBench(["a", "b", "c"]) }

    private var lists: ListFixture { bench.lists }

    private func open(_ params: JSONObject) throws -> [JSONValue] {
        _ = try lists.session.call("items.open", .object(params)).get()
        return lists.read()
    }

    private func only(_ lines: [JSONValue], _ method: String) throws -> JSONValue {
        #expect(lines.map { $0["method"] } == [.string(method)])
        return try #require(lines.first?["params"])
    }

    @Test("A value that comes, changes and goes is an update of that member alone")
    func updates() throws {
        let reset = try open(["fields": ["name", "x.integer"]])
        #expect(reset.count == 1)
        func updated() throws -> JSONValue? {
            let delta = try only(lists.read(), "items.delta")
            #expect(delta["deleted"] == [] && delta["moved"] == [] && delta["inserted"] == [])
            let update = delta["updated"]?.arrayValue?.first?.arrayValue
            #expect(update?.first == 2, "the second document")
            return update?.last
        }
        try bench.give("b", [.integer: .integer(5)])
        #expect(try updated() == ["x.integer": 5])
        try bench.give("b", [.integer: .integer(6)])
        #expect(try updated() == ["x.integer": 6])
        try bench.give("b", [.integer: nil])
        #expect(try updated() == ["x.integer": .null])
    }

    @Test("A value that the client did not ask for is no news, nor one that is the same")
    func noNews() throws {
        let use = try bench.wantAll()
        _ = try open(["fields": ["name", "x.integer"]])
        try bench.give("b", [.text: .text("x")])
        #expect(lists.read().isEmpty)
        try bench.give("b", [.integer: .integer(5)])
        #expect(lists.read().count == 1)
        try bench.give("b", [.integer: .integer(5), .text: .text("x")])
        #expect(lists.read().isEmpty)
        withExtendedLifetime(use) {}
    }

    @Test("A list that is sorted and filtered by an attribute moves as values arrive")
    func moves() throws {
        var copy = ListCopy(sub: 1)
        for line in try open([
            "sort": ["-x.integer"], "where": ["attr", "x.integer", "known", true],
            "fields": ["name", "x.integer"],
        ]) { try copy.take(line) }
        func names() -> String { copy.rows.compactMap { $0.name?.text }.joined(separator: " ") }
        #expect(names() == "")
        for (name, value, expected) in [
            ("a", 1, "a"), ("b", 2, "b a"), ("c", nil, "b a"), ("a", 3, "a b"), ("b", nil, "a"),
        ] as [(String, Int64?, String)] {
            try bench.give(name, [.integer: value.map { .integer($0) }])
            for line in lists.read() { try copy.take(line) }
            #expect(names() == expected)
        }
    }

    @Test("How many documents are to be read is told when it changes, and that there are none once")
    func pending() throws {
        let reset = try open(["sort": ["x.integer"]])
        #expect(reset.count == 1 && reset[0]["params"]?["complete"] == false)
        /// What was told, and whether the list is complete if that has changed.
        func told() throws -> JSONValue {
            let lines = lists.read()
            let pending = try #require(lines.first?["params"])
            #expect(lines.first?["method"] == "items.pending")
            let isOver = pending["attributes"]?.objectValue?.members.allSatisfy { $0.value == 0 }
            for delta in lines.dropFirst() {
                #expect(delta["method"] == "items.delta" && lines.count == 2)
                #expect(delta["params"]?["complete"] == .bool(isOver == true))
            }
            return pending
        }
        bench.setPending(0)
        let first = try only(lists.read(), "items.delta")
        #expect(first["complete"] == true, "a list that waits for nothing is told nothing else")
        bench.setPending(3)
        #expect(try told() == ["sub": 1, "attributes": ["x.integer": 3]])
        bench.setPending(3)
        #expect(lists.read().isEmpty)
        bench.setPending(0)
        #expect(try told() == ["sub": 1, "attributes": ["x.integer": 0]])
        bench.setPending(2)
        #expect(try told()["attributes"] == ["x.integer": 2])
        // A request that needs something else, and one that needs nothing, wait for the former no more.
        _ = try lists.session.call("items.update", ["sub": 1, "sort": ["x.text"]], id: 2).get()
        _ = lists.read()
        bench.setPending(4)
        #expect(try told()["attributes"] == ["x.integer": 0, "x.text": 4])
        bench.setPending(4)
        #expect(lists.read().isEmpty)
        _ = try lists.session.call("items.update", ["sub": 1, "sort": ["name"]], id: 3).get()
        let last = lists.read().filter { $0["method"] == "items.pending" }
        #expect(last.compactMap { $0["params"]?["attributes"] } == [["x.text": 0]])
        #expect(bench.directory.users.isEmpty)
    }

    @Test("A list wants what it shows of the rows in view, and says when these change")
    func views() throws {
        lists.add((0..<50).map { "n\($0)" })
        var told = 0
        bench.directory.whenViewChanges = { told += 1 }
        _ = try open(["fields": ["name", "x.integer"], "window": ["start": 0, "count": 10]])
        #expect(told == 1)
        let use = try #require(bench.directory.users.first)
        #expect(use.wish.shown == [try bench.attribute(.integer)] && use.wish.needed.isEmpty)
        #expect(use.viewer?.shownRows.count == 10)
        _ = try lists.session.call(
            "items.update", ["sub": 1, "window": ["start": 20, "count": 10]], id: 2
        ).get()
        _ = lists.read()
        #expect(told == 2)
        #expect(bench.directory.users.first === use, "the wish is the same")
        _ = try lists.session.call("items.close", ["sub": 1], id: 3).get()
        #expect(bench.directory.users.count == 1, "the test holds it")
    }

    @Test("A one-time request waits until all has been read that it depends on")
    func waits() throws {
        let later = lists.session.begin("items.get", ["sort": ["x.integer"]])
        lists.loop.advance(by: .seconds(3))
        bench.setPending(3)
        lists.loop.advance(by: .seconds(3))
        #expect(later.value == nil)
        try bench.give("b", [.integer: .integer(5)])
        bench.setPending(0)
        lists.loop.turn()
        let answer = try #require(later.value).get()
        #expect(answer["items"]?.arrayValue?.dropFirst().first?["name"] == "b")
        #expect(answer["pending"] == nil)
    }

    @Test("After ten seconds it is answered with how many were not read")
    func tooLong() throws {
        let later = lists.session.begin(
            "items.get", ["where": ["attr", "x.integer", "known", true], "sort": ["x.text"]])
        lists.loop.turn()
        bench.setPending(2)
        lists.loop.advance(by: .milliseconds(9990))
        #expect(later.value == nil)
        lists.loop.advance(by: .milliseconds(20))
        let answer = try #require(later.value).get()
        #expect(answer["pending"] == ["x.integer": 2, "x.text": 2])
    }

    @Test("A client that goes is waited for no more, and wants nothing")
    func abandoned() throws {
        let later = lists.session.begin("items.get", ["sort": ["x.integer"]])
        lists.loop.turn()
        #expect(bench.directory.users.count == 1)
        later.abandon()
        lists.loop.advance(by: .seconds(11))
        #expect(later.value == nil)
        #expect(bench.directory.users.isEmpty)
    }

    @Test("A list with attributes is not resumed but sent anew")
    func resume() throws {
        for (params, isResumed) in [
            (["sort": ["x.integer"]], false), (["fields": ["name", "x.text"]], false),
            (["sort": ["name"]], true),
        ] as [(JSONObject, Bool)] {
            var params = params
            params["since"] = .string(bench.documents.token(at: bench.documents.rev))
            params["have"] = []
            let opened = try lists.session.call("items.open", .object(params)).get()
            #expect(opened["resumed"] == .bool(isResumed), "\(opened)")
            let methods = lists.read().map { $0["method"]?.stringValue }
            #expect(methods == [isResumed ? "items.delta" : "items.reset"])
            _ = try lists.session.call("items.close", ["sub": 1], id: 2).get()
        }
    }
}
