// Every parameter of every method with values of the wrong type and out of range.

import DataBus
import DocumentsPlugin
import EventsPlugin
import ItemsPlugin
import JSONText
import PickerModel
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct ParameterTests {
    /// An invalid request: the method, its parameters, and the path in the error.
    private struct Wrong {
        let method: String
        let params: JSONValue
        let at: String
    }

    private static let noString: [JSONValue] = [1, 1.5, true, [], ["x"], [:]]
    private static let noInteger: [JSONValue] = ["1", "", 1.5, 1e300, true, [], [1], [:]]
    private static let noArray: [JSONValue] = ["x", 1, false, [:]]
    private static let noObject: [JSONValue] = ["x", 1, false, [], [[:]]]
    private static let noIdentifier: [JSONValue] = [1.5, true, [], [:]]

    /// `base` with a member set to each of `values`.
    private static func rows(
        _ method: String, _ base: JSONObject, _ name: String, _ values: [JSONValue],
        at: String? = nil
    ) -> [Wrong] {
        values.map { value in
            var params = base
            params[name] = value
            return Wrong(method: method, params: .object(params), at: at ?? name)
        }
    }

    /// The common parameters of all methods that describe a list.
    private static func listRows(_ method: String, _ base: JSONObject) -> [Wrong] {
        var rows: [Wrong] = []
        rows += Self.rows(method, base, "sort", [1, true, [:], [], "sise", "", "-"])
        rows += Self.rows(method, base, "sort", [[1], [[:]], ["sise"], [""]], at: "sort[0]")
        rows += Self.rows(method, base, "sort", [["name", "x"], ["name", 1]], at: "sort[1]")
        rows += Self.rows(method, base, "search", noString)
        let long = JSONValue(String(repeating: "x", count: 4097))
        rows += Self.rows(method, base, "search", [long])
        rows += Self.rows(method, base, "match", noString + ["exact", ""])
        rows += Self.rows(method, base, "highlights", [1, "true", [], [:]])
        rows += Self.rows(method, base, "window", noObject)
        rows += Self.rows(method, base, "gen", noInteger + [-1, 2_147_483_648])
        for start in noInteger + [-1] {
            rows += Self.rows(method, base, "window", [["start": start]], at: "window.start")
        }
        for count in noInteger + [-1, 100_001] {
            rows += Self.rows(method, base, "window", [["count": count]], at: "window.count")
        }
        let anchors: [JSONValue] = ["foo", "key:", "", "KEY:f1", "key", "f1", " key:f1"]
        let longKey = JSONValue("key:" + String(repeating: "k", count: 1025))
        for anchor in noString + anchors + [longKey] {
            rows += Self.rows(method, base, "window", [["anchor": anchor]], at: "window.anchor")
        }
        let both: [JSONValue] = [0, 9].map { ["anchor": "key:f1", "start": $0] }
        rows += Self.rows(method, base, "window", both, at: "window.start")
        for offset in noInteger + [-1, 100_001] {
            rows += Self.rows(
                method, base, "window", [["anchor": "key:f1", "offset": offset]],
                at: "window.offset")
        }
        rows += Self.rows(method, base, "window", [["offset": 1]], at: "window.offset")
        return rows
    }

    private static func fieldRows(_ method: String) -> [Wrong] {
        rows(method, [:], "fields", noArray)
            + rows(method, [:], "fields", [[1], ["sise"], [""]], at: "fields[0]")
            + rows(method, [:], "fields", [["name", "sise"], ["name", [:]]], at: "fields[1]")
    }

    private static func topicRows(_ method: String) -> [Wrong] {
        let many = JSONValue.array((0..<257).map { JSONValue("a\($0)") })
        return rows(method, [:], "topics", noArray + [[], ["!a"], many])
            + rows(
                method, [:], "topics", [[1], ["A"], [""], ["a..b"], ["*.a"], ["a b"]],
                at: "topics[0]")
            + rows(method, [:], "topics", [["a", "b."]], at: "topics[1]")
            + [Wrong(method: method, params: [:], at: "topics")]
    }

    private static var serviceRows: [Wrong] {
        var rows: [Wrong] = []
        rows += Self.rows("daemon.hello", [:], "client", noString)
        rows += Self.rows("daemon.hello", [:], "protocol", noInteger + [-1])
        for name in ["required", "optional"] {
            rows += Self.rows("daemon.hello", [:], name, noArray)
            rows += Self.rows("daemon.hello", [:], name, [[1], [.null]], at: "\(name)[0]")
            rows += Self.rows("daemon.hello", [:], name, [["items", [:]]], at: "\(name)[1]")
        }
        rows += Self.rows("daemon.hello", [:], "units", noString + ["utf7", ""])
        rows += Self.rows("daemon.hello", [:], "aliveMs", noInteger + [99, 0, -1, 86_400_001])
        rows += Self.rows("batch", [:], "calls", noArray + [.null])
        rows.append(Wrong(method: "batch", params: [:], at: "calls"))
        let good: JSONValue = ["method": "events.publish", "params": ["topic": "a"]]
        let calls: [(JSONValue, String)] = [
            (1, ""), ([], ""), ([:], ".method"), (["method": 1], ".method"),
            (["method": .null], ".method"), (["method": "daemon.ping", "params": []], ".params"),
            (["method": "daemon.ping", "params": 1], ".params"),
        ]
        for (call, place) in calls {
            rows += Self.rows("batch", [:], "calls", [[good, call]], at: "calls[1]\(place)")
        }
        return rows
    }

    private static var pluginRows: [Wrong] {
        var rows: [Wrong] = []
        rows += listRows("items.open", [:]) + fieldRows("items.open")
        rows += listRows("items.get", [:]) + fieldRows("items.get")
        rows += listRows("items.update", ["sub": "list"])
        for method in ["items.update", "items.close", "events.unsubscribe"] {
            rows += Self.rows(method, [:], "sub", noIdentifier + [.null])
            rows.append(Wrong(method: method, params: [:], at: "sub"))
        }
        let topics: [JSONValue] = [
            "", "A", "a..b", ".a", "a.", "a b", "ä", "*",
            JSONValue(String(repeating: "a", count: 129)),
        ]
        rows += Self.rows("events.publish", ["data": 1], "topic", noString + topics + [.null])
        rows += topicRows("events.subscribe") + topicRows("events.replay")
        let numbers = noInteger + [-1, 2_147_483_648]
        rows += Self.rows("events.subscribe", ["topics": ["*"]], "replay", numbers)
        rows += Self.rows("events.replay", ["topics": ["*"]], "count", numbers)
        return rows
    }

    private static var documentRows: [Wrong] {
        var rows: [Wrong] = []
        rows += Self.rows("sync", [:], "timeoutMs", noInteger + [-1, 600_001])
        for method in ["sync", "items.get"] {
            rows += Self.rows(method, [:], "progress", [0, 1, "true", [], [:]])
        }
        rows += Self.rows("documents.get", [:], "key", noString)
        rows += Self.rows("documents.get", [:], "path", noString)
        rows.append(Wrong(method: "documents.get", params: [:], at: "key"))
        rows.append(Wrong(method: "documents.get", params: ["key": "a", "path": "b"], at: "path"))
        let names: [JSONValue] = [
            "", ".", "..", "a/b", "/", "/a", "../a", "a\u{0}b",
            JSONValue(String(repeating: "a", count: 256)),
        ]
        rows += Self.rows("documents.create", [:], "name", noString + names + [.null])
        rows.append(Wrong(method: "documents.create", params: [:], at: "name"))
        rows += Self.rows("documents.create", ["name": "new"], "root", noString)
        rows += Self.rows("documents.create", ["name": "new"], "content", noString)
        return rows
    }

    @Test("an invalid parameter is named and changes nothing, and the connection continues")
    func wrongParameters() throws {
        let folder = try TemporaryFolder()
        let fixture = ServerFixture(
            plugins: [DocumentsPlugin(), ItemsPlugin(), EventsPlugin()],
            settings: HostSettings(roots: [FileName(folder.path)]))
        let client = try fixture.connect()
        _ = try client.result("sync")
        _ = try client.result("items.open", id: "list")
        let before = try client.result("daemon.info")
        let rev = fixture.documents.rev
        let seq = fixture.bus.lastSequence

        let rows = Self.serviceRows + Self.pluginRows + Self.documentRows
        for row in rows {
            var others: [JSONValue] = []
            let reply = try client.reply(row.method, row.params) { others.append($0) }
            let shown = "\(row.method) \(row.params.description.prefix(200))"
            try #require(reply["error"] != nil, "it was taken: \(shown)")
            let error = try ProtocolError(line: reply)
            #expect(error.kind == .invalidParams, "\(shown): \(error)")
            #expect(error.at == row.at, "\(shown): \(error)")
            #expect(others.isEmpty, "\(shown) sent \(others)")
        }
        #expect(rows.count > 300)
        #expect(fixture.documents.rev == rev && fixture.bus.lastSequence == seq)
        let after = try client.result("daemon.info")
        #expect(after["subscriptions"] == before["subscriptions"])
        #expect(after["subscriptions"] == 1 && after["documents"] == 0)
        #expect(after["counters"]?["errors"] == JSONValue(rows.count))
        fixture.loop.advance(by: .seconds(100))
        #expect(try client.exchange().isEmpty, "no pace of $/alive was taken up")
    }

    @Test("features of the protocol that this version lacks are refused as unsupported")
    func unsupported() throws {
        let fixture = ServerFixture()
        let client = try fixture.connect()
        _ = try client.result("items.open", id: "list")
        let members: [(JSONObject, String)] = [
            (["since": "e:1"], "since"), (["have": ["a"]], "have"),
        ]
        for method in ["items.open", "items.get", "items.update"] {
            for (member, place) in members {
                var params = member
                let isResume = place == "since" || place == "have"
                if method == "items.open", isResume { continue }
                if method == "items.update" { params["sub"] = "list" }
                let error = try client.error(method, .object(params))
                #expect(error.kind == .unsupported && error.at == place, "\(method) \(params)")
            }
        }
        #expect(try client.result("daemon.info")["subscriptions"] == 1)
        // A request for nothing is no wish.
        for params: JSONValue in [
            ["where": .null, "since": .null, "have": .null], ["highlights": false],
            ["match": "contains"], ["search": .null], ["search": ""], ["match": "fuzzy"],
            ["sort": "score"],
        ] {
            #expect(try client.result("items.get", params)["total"] == 1)
        }
    }
}
