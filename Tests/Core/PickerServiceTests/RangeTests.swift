// Both limits of every parameter, and one step beyond: derived from `daemon.schema`, so that no method and no
// parameter is left out.

import DocumentsPlugin
import EventsPlugin
import FeedPlugin
import ItemsPlugin
import JSONText
import LayoutsPlugin
import PickerModel
import PluginInterface
import StatisticsPlugin
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct RangeTests {
    private let folder: TemporaryFolder
    private let fixture: ServerFixture

    init() throws {
        folder = try TemporaryFolder()
        for name in ["a.md", "b.md", "c.md"] { try folder.write(name, name) }
        fixture = ServerFixture(
            plugins: [
                EventsPlugin(), FeedPlugin(), DocumentsPlugin(), ItemsPlugin(), StatisticsPlugin(),
                LayoutsPlugin(),
            ], settings: HostSettings(roots: [FileName(folder.path)]))
        fixture.loop.turn()
    }

    /// The other required parameters of a method.
    private func needed(by method: String, key: JSONValue) -> JSONObject {
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

    private func params(of method: String, with member: String, as value: JSONValue) -> JSONObject {
        let first = fixture.documents.documents.first { $0.name.text == "a.md" }
        var params = needed(by: method, key: JSONValue(first?.key ?? ""))
        if ["keys", "path", "all"].contains(member) { params["key"] = nil }
        // These two belong together.
        if member == "since", method == "items.open" { params["have"] = [] }
        if member == "have", method == "items.open" { params["since"] = "e:0" }
        params[member] = value
        return params
    }

    /// The errors of the answer to an invalid value; nil if it is correct.
    private static func fault(in reply: JSONValue, about member: String) -> String? {
        guard let data = reply["error"]?["data"], let kind = data["kind"]?.stringValue else {
            return "it was taken"
        }
        if kind == "limitExceeded" { return data["limit"] == nil ? "no limit" : nil }
        guard kind == "invalidParams" || kind == "badExpression" else { return kind }
        let place = data["at"]?.stringValue ?? ""
        return place.hasPrefix(member) ? nil : "it is said of '\(place)'"
    }

    /// A client with one open stream of each kind.
    private func connect() throws -> TestClient {
        let client = try fixture.connect()
        _ = try client.result("events.subscribe", ["topics": ["none"]], id: 900)
        _ = try client.result("items.open", [:], id: 901)
        for (kind, id) in [("flow", 902), ("force", 903)] as [(JSONValue, JSONValue)] {
            _ = try client.result(
                "layout.open", ["items": 901, "kind": kind, "bounds": [100, 100]], id: id)
        }
        return client
    }

    @Test("each array in a request has a limit, except those that may fill a line")
    func arrays() throws {
        let document = try fixture.schema().document
        var limits: [String: Int64] = [:]
        for method in document["methods"]?.arrayValue ?? [] where method["result"] != nil {
            for parameter in method["params"]?.arrayValue ?? [] {
                let name = try #require(parameter["name"]?.stringValue)
                for rule in Self.arrays(in: parameter["schema"] ?? [:]) {
                    // An array of fixed parts is as long as they are.
                    if rule["prefixItems"] != nil { continue }
                    limits[name] = rule["maxItems"]?.integerValue ?? .max
                }
            }
        }
        #expect(limits.keys.contains("fields") && limits.keys.contains("sort"), "\(limits)")
        let open = limits.filter { $0.value > 1024 }.keys.sorted()
        #expect(open == ["have", "sizes"], "\(limits)")
    }

    /// The rule itself if it is about arrays, or those of its alternatives that are.
    private static func arrays(in rule: JSONValue) -> [JSONValue] {
        let types = rule["type"]?.arrayValue ?? [rule["type"] ?? .null]
        if types.contains("array") { return [rule] }
        return (rule["anyOf"]?.arrayValue ?? []).flatMap { arrays(in: $0) }
    }

    @Test("the limits of each parameter are accepted, and values beyond them are refused")
    func ends() throws {
        let document = try fixture.schema().document
        let probes = SchemaProbes(in: document)
        var tried = 0
        var refused = 0
        for method in document["methods"]?.arrayValue ?? [] {
            let name = try #require(method["name"]?.stringValue)
            guard method["result"] != nil else { continue }
            for parameter in method["params"]?.arrayValue ?? [] {
                let member = try #require(parameter["name"]?.stringValue)
                let rule = parameter["schema"] ?? [:]
                let client = try connect()
                defer { client.close() }
                for probe in probes.probes(of: rule) {
                    let params = params(of: name, with: member, as: probe)
                    if JSONValue.object(params).bytes.count > 1_000_000 { continue }
                    tried += 1
                    let id = JSONValue.string("probe \(tried)")
                    let reply = try client.reply(name, .object(params), id: id)
                    if probes.isLegal(probe, by: rule) { continue }
                    refused += 1
                    let problem = Self.fault(in: reply, about: member)
                    #expect(
                        problem == nil,
                        "\(name) \(member): \(probe.shortened) gives \(reply.shortened)")
                }
            }
        }
        #expect(tried > 1000 && refused > 300, "\(tried) tried, \(refused) refused")
        #expect(try fixture.connect().result("daemon.ping") == [:])
    }
}
