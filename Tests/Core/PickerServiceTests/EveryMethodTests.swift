// All methods with 20,000 documents and another client: measured by the work of one handler, not by time.

import DocumentsPlugin
import EventsPlugin
import FeedPlugin
import ItemsPlugin
import JSONText
import LayoutsPlugin
import ListRequests
import Observables
import PickerModel
import PluginInterface
import StatisticsPlugin
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

/// Serialized: each has 20,000 documents.
@Suite(.serialized) struct EveryMethodTests {
    private static let documents = 20_000

    /// The most work of one handler, in retained objects: some accesses per document, but no sort of them. (A
    /// debug build retains many per row, in the small chunks of tests. Sorting all documents at once takes
    /// 4,000,000, matching them with the filter below 11,000,000.)
    private static let mostInOneGo = 2_000_000

    /// Methods that may do more: an answer is one line, and is written in one go until that is full.
    private static let exceptions = ["items.get": 3_000_000, "batch": 3_000_000]

    /// The most handlers before the answer to a ping that was sent right after a request.
    private static let mostHandlersBefore = 12

    private struct Case {
        let method: String
        let params: JSONValue
        /// Earlier requests of the same client.
        var before: [(method: String, params: JSONValue, id: JSONValue)] = []
    }

    /// Expensive, but within the budget of a request.
    private static let dear: JSONValue = .array(
        ["anyof"] + (0..<20).map { ["imatch", JSONValue("*q\($0)*z")] })

    private final class Scene {
        let folder: TemporaryFolder
        let fixture: ServerFixture
        let keys: [String]

        init() throws {
            folder = try TemporaryFolder()
            try folder.write("a.md", "a")
            var limits = SurveyLimits()
            // The clock of the tests stands still: a slice ends by its number of steps.
            limits.slice = 4000
            fixture = ServerFixture(
                plugins: [
                    EventsPlugin(), FeedPlugin(), DocumentsPlugin(), ItemsPlugin(limits: limits),
                    StatisticsPlugin(limits: limits), LayoutsPlugin(),
                ], settings: HostSettings(roots: [FileName(folder.path)]))
            fixture.loop.turn()
            let store = fixture.documents
            let documents = (0..<EveryMethodTests.documents).map { (number: Int) -> Document in
                let week = number * 7919 % EveryMethodTests.documents
                let name = "report of week \(week).\(number % 3)"
                return Document(
                    key: store.mintKey(), root: "/r", path: FileName("f\(number / 200)/\(name)"),
                    size: UInt64(number * 31 % 997),
                    modified: FileTime(seconds: Int64(number * 17 % 5003)))
            }
            keys = documents.sorted(by: SortOrder.name.comparator).map(\.key)
            fixture.documents.apply(removed: [], inserted: documents)
            fixture.loop.turn()
        }

        /// The retains of the loop's largest step until the request is done, the number of handlers before the
        /// answer to another client's ping, and the request's answer.
        func run(_ example: Case) throws -> (most: Int, handlers: Int, reply: JSONValue?) {
            let greedy = try fixture.connect()
            let modest = try fixture.connect()
            defer {
                greedy.close()
                modest.close()
                fixture.loop.turn()
            }
            for (method, params, id) in example.before {
                greedy.send(method, params, id: id)
                settle(greedy)
            }
            fixture.loop.turn()
            greedy.send(example.method, example.params, id: "tried")
            modest.send("daemon.ping", id: "ping")
            var most = 0
            var reply: JSONValue?
            var handlers = 0
            var isServed = false
            var count = 0
            SelfChecks.$areMade.withValue(false) {
                var isLeft = true
                while isLeft, count < 20_000 {
                    count += 1
                    let cost = Cost.of { isLeft = fixture.loop.runOne() }
                    most = max(most, cost.retains)
                    if !isServed {
                        handlers += 1
                        isServed = (try? modest.takeReply(to: "ping")) != nil
                    }
                    if let found = try? greedy.takeReply(to: "tried") { reply = found }
                    if !isLeft, reply == nil {
                        isLeft = fixture.loop.run(within: patience) { !fixture.loop.isIdle }
                    }
                }
            }
            return (most, isServed ? handlers : .max, reply)
        }

        /// Completes all requests of a client, and reads their results.
        func settle(_ client: TestClient) {
            while fixture.loop.turn() > 0 { _ = try? client.takeReply(to: "none") }
            _ = try? client.takeReply(to: "none")
        }
    }

    // MARK: What is tried

    /// The required parameters of a method.
    private static func needed(by method: String, key: JSONValue) -> JSONObject {
        switch method {
        case "batch": ["calls": []]
        case "events.publish": ["topic": "a.b"]
        case "events.subscribe", "events.replay": ["topics": ["a"]]
        case "events.unsubscribe": ["sub": 900]
        case "items.close", "items.update": ["sub": 901]
        case "items.like", "items.drop", "items.restore", "documents.get": ["key": key]
        case "layout.open": ["items": 901, "kind": "force", "bounds": [100, 100]]
        case "layout.close", "layout.update": ["sub": 903]
        case "layout.push": ["sub": 903, "key": key, "force": [1, 1]]
        case "layout.measure": ["sub": 902, "sizes": []]
        case "documents.create": ["name": "new"]
        default: [:]
        }
    }

    /// Each method in its usual form, and with each of its parameters.
    private static func plain(_ scene: Scene) throws -> [Case] {
        let document = try scene.fixture.schema().document
        let probes = SchemaProbes(in: document)
        let opened: [(String, JSONValue, JSONValue)] = [
            ("events.subscribe", ["topics": ["none"]], 900), ("items.open", [:], 901),
            ("layout.open", ["items": 901, "kind": "flow", "bounds": [100, 100]], 902),
            ("layout.open", ["items": 901, "kind": "force", "bounds": [100, 100]], 903),
        ]
        var cases: [Case] = []
        for method in document["methods"]?.arrayValue ?? [] {
            let name = try #require(method["name"]?.stringValue)
            // It ends the daemon and all sessions.
            guard method["result"] != nil, name != "daemon.stop" else { continue }
            let base = needed(by: name, key: JSONValue(scene.keys[7]))
            cases.append(Case(method: name, params: .object(base), before: opened))
            for parameter in method["params"]?.arrayValue ?? [] {
                let member = try #require(parameter["name"]?.stringValue)
                if base[member] != nil { continue }
                var params = base
                if ["keys", "path", "all"].contains(member) { params["key"] = nil }
                if member == "since", name == "items.open" { params["have"] = [] }
                if member == "have", name == "items.open" { params["since"] = "e:0" }
                params[member] = probes.sample(of: parameter["schema"] ?? [:])
                cases.append(Case(method: name, params: .object(params), before: opened))
            }
        }
        return cases
    }

    private static let all: JSONValue = ["start": 0, "count": .null]
    private static let some: JSONValue = ["start": 0, "count": 50]

    /// Requests for many rows at once.
    private static func dearest(_ scene: Scene) throws -> [Case] {
        var cases: [Case] = []
        for field in SortOrder.Field.known.map(\.key) {
            for sign in ["", "-"] {
                let sort: JSONValue = [JSONValue(sign + field), field == "size" ? "path" : "size"]
                cases.append(
                    Case(
                        method: "items.open",
                        params: ["sort": sort, "window": all, "fields": ["key"]]))
            }
        }
        func list(_ window: JSONValue) -> [(method: String, params: JSONValue, id: JSONValue)] {
            [("items.open", ["window": window, "fields": ["key"]], 1)]
        }
        // Fewer than the limit: in the small chunks of tests, each costs as much as a thousand rows.
        let keys = scene.keys.prefix(100).map { JSONValue($0) }
        cases += [
            Case(
                method: "items.open",
                params: ["sort": ["path", "-modified"], "search": "9", "window": some]),
            Case(method: "items.open", params: ["where": dear, "window": all]),
            Case(method: "items.open", params: ["window": all]),
            Case(
                method: "items.get",
                params: [
                    "sort": ["type", "-name"], "window": ["count": 10_000], "fields": ["key"],
                ]),
            Case(method: "items.get", params: ["sort": ["type", "-path"], "window": all]),
            Case(method: "items.get", params: ["search": "week 9"]),
            Case(
                method: "items.page",
                params: ["sort": ["liked", "-path"], "index": 30, "size": 1000]),
            Case(method: "items.update", params: ["sub": 1, "search": "9"], before: list(some)),
            Case(method: "items.update", params: ["sub": 1, "search": "9"], before: list(all)),
            Case(method: "items.update", params: ["sub": 1, "where": dear], before: list(all)),
            Case(
                method: "items.update", params: ["sub": 1, "sort": ["liked", "size"]],
                before: list(all)),
            Case(method: "items.update", params: ["sub": 1, "window": all], before: list(some)),
            Case(method: "items.update", params: ["sub": 1, "window": some], before: list(all)),
            Case(method: "items.close", params: ["sub": 1], before: list(all)),
            Case(method: "documents.stats", params: [:]),
            Case(method: "documents.stats", params: ["where": dear]),
            Case(
                method: "items.open",
                params: [
                    "window": ["count": 5000], "since": JSONValue(scene.fixture.documents.token),
                    "have": .array(scene.keys.prefix(5000).map { JSONValue($0) }),
                ]),
            Case(
                method: "items.like", params: ["keys": .array(keys), "liked": true],
                before: list(all)),
            Case(method: "items.drop", params: ["keys": .array(keys)], before: list(some)),
            Case(method: "items.restore", params: ["all": true], before: list(some)),
            Case(method: "events.replay", params: ["topics": ["nobody"]]),
            Case(method: "events.replay", params: ["topics": ["*"], "limit": 1000]),
            Case(method: "events.subscribe", params: ["topics": ["*"], "replay": 65_536]),
        ]
        for kind in ["list", "grid", "flow", "force"] {
            let open: JSONValue = ["items": 1, "kind": JSONValue(kind), "bounds": [1000, 800]]
            cases.append(Case(method: "layout.open", params: open, before: list(["count": 10_000])))
            if kind == "force" { continue }
            cases.append(Case(method: "layout.open", params: open, before: list(all)))
            let opened = list(all) + [("layout.open", open, 2)]
            cases.append(
                Case(
                    method: "layout.update", params: ["sub": 2, "bounds": [640, 480]],
                    before: opened))
            cases.append(Case(method: "layout.close", params: ["sub": 2], before: opened))
            cases.append(
                Case(method: "items.update", params: ["sub": 1, "search": "8"], before: opened))
        }
        let sizes = scene.keys.prefix(3000).map { JSONValue.array([JSONValue($0), 40, 30]) }
        cases.append(
            Case(
                method: "layout.measure", params: ["sub": 2, "sizes": .array(sizes)],
                before: list(["count": 10_000]) + [
                    ("layout.open", ["items": 1, "kind": "flow", "bounds": [1000, 800]], 2)
                ]))
        let calls: [JSONValue] = cases.compactMap { example in
            ["items.get", "items.page", "documents.stats", "events.replay"].contains(example.method)
                ? ["method": JSONValue(example.method), "params": example.params] : nil
        }
        cases.append(Case(method: "batch", params: ["calls": .array(calls)]))
        return cases
    }

    // MARK: The tests

    private func check(_ cases: [Case], in scene: Scene) throws {
        for example in cases {
            let (most, handlers, reply) = try scene.run(example)
            let text = "\(example.method) \(example.params.shortened)"
            #expect(reply != nil, "no answer to \(text)")
            #expect(
                most <= Self.exceptions[example.method] ?? Self.mostInOneGo,
                "\(text) holds the loop")
            #expect(handlers <= Self.mostHandlersBefore, "\(text) comes first for too long")
        }
    }

    @Test("no method blocks the loop, with any of its parameters")
    func plain() throws {
        let scene = try Scene()
        let cases = try Self.plain(scene)
        #expect(Set(cases.map(\.method)).count > 25 && cases.count > 80)
        try check(cases, in: scene)
    }

    @Test("nor do requests for tens of thousands of rows at once")
    func dearest() throws {
        let scene = try Scene()
        let events: [JSONValue] = (0..<1000).map { number in
            [
                "method": "events.publish",
                "params": ["topic": "a.b", "data": .integer(Int64(number))],
            ]
        }
        let publisher = try scene.fixture.connect()
        for _ in 0..<66 {
            publisher.send("batch", ["calls": .array(events)], id: 1)
            scene.settle(publisher)
        }
        publisher.close()
        try check(try Self.dearest(scene), in: scene)
    }
}
