// Plugins are switched off and on while the daemon runs.

import DataBus
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

@Suite struct PluginSwitchTests {
    private static func all() -> [any Plugin] {
        [
            EventsPlugin(), FeedPlugin(), DocumentsPlugin(), ItemsPlugin(), StatisticsPlugin(),
            LayoutsPlugin(), SlowPlugin(),
        ]
    }

    private static func state(of id: String, _ client: TestClient) throws -> JSONValue? {
        try client.result("plugins.list").arrayValue?.first { $0["id"] == JSONValue(id) }?["state"]
    }

    @Test("plugins.list describes each plugin, its methods and its settings")
    func list() throws {
        let fixture = ServerFixture(
            plugins: Self.all(),
            settings: HostSettings(roots: [], values: ["events": ["replay": 7]]))
        let client = try fixture.connect()
        let plugins = try #require(try client.result("plugins.list").arrayValue)
        #expect(
            plugins.map { $0["id"] } == [
                "events", "feed", "documents", "items", "statistics", "layouts", "slow",
            ])
        #expect(plugins.allSatisfy { $0["state"] == "ready" && $0["kind"] == "builtin" })
        #expect(plugins.filter { $0["required"] == true }.map { $0["id"] } == ["documents"])
        let methods = plugins.flatMap { $0["methods"]?.arrayValue ?? [] }
        // All methods of the daemon except the service's, and none twice.
        let names = fixture.registry.names.filter {
            !$0.hasPrefix("daemon.") && !$0.hasPrefix("plugins.") && $0 != "batch"
        }
        #expect(methods.compactMap(\.stringValue).sorted() == names)
        let settings = plugins[0]["settings"]?.arrayValue ?? []
        #expect(settings.map { $0["name"] } == ["enabled", "replay", "replay-bytes", "store"])
        #expect(settings.map { $0["value"] } == [true, 7, 25_165_824, true])
    }

    @Test("switching a plugin off closes its streams, and its methods are refused with its name")
    func off() throws {
        let fixture = ServerFixture(plugins: Self.all())
        fixture.add(["a.md", "b.md"])
        let reader = try fixture.connect()
        reader.send("items.open", id: 1)
        reader.send("events.subscribe", ["topics": ["app.*"]], id: 2)
        _ = try reader.exchange()
        let client = try fixture.connect()
        #expect(try client.result("plugins.disable", ["id": "items"]) == [:])
        let told = try reader.exchange()
        #expect(told.map { $0["method"] } == ["$/closed"])
        #expect(told.first?["params"]?["sub"] == 1)
        #expect(told.first?["params"]?["plugin"] == "items")

        let error = try client.error("items.get")
        #expect(error.kind == .methodNotFound)
        #expect(error.message.contains("'items' is off"), "\(error)")
        #expect(try Self.state(of: "items", client) == "disabled")
        // Nothing more of the list follows; the subscription is unchanged.
        fixture.add(["c.md"])
        #expect(try client.result("events.publish", ["topic": "app.a"])["seq"] != nil)
        #expect(try reader.exchange().map { $0["params"]?["sub"] } == [2])
        #expect(try client.result("documents.stats")["count"] == 3)
        let capabilities = try client.result("daemon.hello")["capabilities"]
        #expect(capabilities?["items.get"] == nil)
        #expect(capabilities?["items.like"] == true)

        #expect(try client.result("plugins.enable", ["id": "items"]) == [:])
        #expect(try Self.state(of: "items", client) == "ready")
        #expect(try client.result("items.get")["total"] == 4)
        // The id is free again.
        reader.send("items.open", id: 1)
        #expect(try reader.exchange().first?["result"]?["sub"] == 1)
    }

    @Test("a layout of a list whose plugin is switched off ends with it")
    func following() throws {
        let fixture = ServerFixture(plugins: Self.all())
        fixture.add(["a.md"])
        let client = try fixture.connect()
        client.send("items.open", id: 1)
        client.send("layout.open", ["items": 1, "kind": "grid", "bounds": [100, 100]], id: 2)
        _ = try client.exchange()
        try fixture.host.disable("items")
        let lines = try client.exchange()
        #expect(lines.contains { $0["method"] == "$/closed" && $0["params"]?["sub"] == 1 })
        #expect(lines.contains { $0["method"] == "layout.closed" && $0["params"]?["sub"] == 2 })
    }

    @Test("a request under way is answered when its plugin is switched off")
    func pending() throws {
        let slow = SlowPlugin()
        let fixture = ServerFixture(plugins: [slow, ItemsPlugin()])
        let waiting = try fixture.connect()
        waiting.send("slow.wait", id: 1)
        waiting.send("daemon.ping", id: 2)
        _ = try waiting.exchange()
        let batch = try fixture.connect()
        batch.send("batch", ["calls": [["method": "slow.wait"], ["method": "daemon.ping"]]], id: 1)
        _ = try batch.exchange()
        #expect(slow.replies.count == 2)
        try fixture.host.disable("slow")
        let lines = try waiting.exchange()
        #expect(lines.first?["error"]?["code"] == 1009)
        #expect(lines.first?["error"]?["data"]?["plugin"] == "slow")
        #expect(lines.last?["result"] == [:])
        let results = try batch.exchange().first?["result"]?["results"]
        #expect(results?[0]?["error"]?["code"] == 1009)
        #expect(results?[1]?["result"] == [:])
    }

    @Test("documents can't be switched off; an unknown plugin can't either")
    func refused() throws {
        let fixture = ServerFixture(plugins: Self.all())
        let client = try fixture.connect()
        #expect(try client.error("plugins.disable", ["id": "documents"]).kind == .conflict)
        #expect(try Self.state(of: "documents", client) == "ready")
        for method in ["plugins.disable", "plugins.enable"] {
            let error = try client.error(method, ["id": "nobody"])
            #expect(error.kind == .noSuchItem)
            #expect(error.message.contains("items"), "\(error)")
            #expect(try client.error(method, [:]).kind == .invalidParams)
        }
        // Requesting the present state is no error.
        #expect(try client.result("plugins.enable", ["id": "items"]) == [:])
        #expect(try client.result("plugins.disable", ["id": "slow"]) == [:])
        #expect(try client.result("plugins.disable", ["id": "slow"]) == [:])
    }

    @Test("events are still numbered and kept while their plugin is off")
    func events() throws {
        let fixture = ServerFixture(plugins: Self.all())
        let client = try fixture.connect()
        let first = try client.result("events.publish", ["topic": "app.a"])["seq"]?.integerValue
        let epoch = try #require(
            try client.result("daemon.hello")["events"]?["epoch"]?.stringValue)
        try fixture.host.disable("events")
        #expect(try client.error("events.publish", ["topic": "app.b"]).kind == .methodNotFound)
        #expect(try client.result("daemon.info")["events"] == nil)
        fixture.bus.send(WireEvent(topic: "daemon.test", data: nil))
        try fixture.host.enable("events")
        #expect(try client.result("daemon.info")["events"] != nil)
        client.send(
            "events.subscribe",
            ["topics": ["*"], "since": JSONValue("\(epoch):\(try #require(first))")], id: 9)
        let lines = try client.exchange()
        #expect(lines.first?["result"]?["lost"] == 0)
        let topics = lines.dropFirst().map { $0["params"]?["topic"] }
        #expect(topics == ["plugin.disabled", "daemon.test", "plugin.enabled"])
    }

    @Test("likes are kept while their plugin is off")
    func likes() throws {
        let fixture = ServerFixture(plugins: Self.all())
        let document = try #require(fixture.add(["a.md"]).first)
        let client = try fixture.connect()
        client.send("items.like", ["key": JSONValue(document.key), "liked": true], id: 1)
        _ = try client.exchange()
        try fixture.host.disable("feed")
        #expect(try client.error("items.like", ["key": JSONValue(document.key)]).code == -32601)
        #expect(try client.result("documents.stats", ["where": ["liked"]])["count"] == 1)
        try fixture.host.enable("feed")
        #expect(try client.result("documents.stats", ["where": ["liked"]])["count"] == 1)
    }

    @Test("a plugin that the settings switch off is off from the start, and follows later changes")
    func settings() throws {
        let off: [String: SettingValues] = [
            "items": ["enabled": false], "events": ["enabled": false],
            "documents": ["enabled": false],
        ]
        let fixture = ServerFixture(
            plugins: Self.all(), settings: HostSettings(roots: [], values: off))
        let client = try fixture.connect()
        #expect(try Self.state(of: "items", client) == "disabled")
        #expect(try Self.state(of: "events", client) == "disabled")
        #expect(try Self.state(of: "documents", client) == "ready")
        #expect(try client.error("items.get").message.contains("is off"))
        #expect(try client.error("events.replay", ["topics": ["*"]]).message.contains("is off"))
        try fixture.host.enable("events")
        #expect(fixture.registry.handler(of: "events.replay") != nil)
        // Manual switches remain; changes of the settings apply.
        try fixture.host.adopt(HostSettings(roots: [], values: ["events": ["enabled": false]]))
        #expect(try Self.state(of: "items", client) == "ready")
        #expect(try Self.state(of: "events", client) == "ready")
        try fixture.host.adopt(HostSettings(roots: []))
        try fixture.host.adopt(HostSettings(roots: [], values: ["events": ["enabled": false]]))
        #expect(try Self.state(of: "events", client) == "disabled")
    }

    @Test("clients may not publish under a word reserved by a plugin or the daemon")
    func reserved() throws {
        let fixture = ServerFixture(plugins: Self.all())
        let client = try fixture.connect()
        for word in ["documents", "daemon", "watch", "layout", "plugin", "items"] {
            let error = try client.error("events.publish", ["topic": JSONValue("\(word).x")])
            #expect(error.kind == .permissionDenied, "\(word)")
        }
        try fixture.host.disable("layouts")
        #expect(try client.error("events.publish", ["topic": "layout.x"]).kind == .permissionDenied)
        for topic in ["documents", "document.x", "app.documents.x"] {
            #expect(try client.result("events.publish", ["topic": JSONValue(topic)])["seq"] != nil)
        }
    }

    @Test("switching plugins off and on at random leaves no open streams or pending answers")
    func random() throws {
        try withSeed("PluginSwitchTests") { try switchAtRandom(&$0) }
    }

    private func switchAtRandom(_ random: inout SeededRandom) throws {
        let slow = SlowPlugin()
        let fixture = ServerFixture(plugins: [
            EventsPlugin(), FeedPlugin(), ItemsPlugin(), StatisticsPlugin(), LayoutsPlugin(), slow,
        ])
        fixture.add(["a", "b", "c"])
        let ids = ["events", "feed", "items", "statistics", "layouts", "slow"]
        var isOn = Dictionary(uniqueKeysWithValues: ids.map { ($0, true) })
        let control = try fixture.connect()
        for step in 0..<200 {
            let client = try fixture.connect()
            client.send("items.open", id: 1)
            client.send(
                "layout.open", ["items": 1, "kind": "grid", "bounds": [100, 100]], id: 2)
            client.send("events.subscribe", ["topics": ["x"]], id: 3)
            client.send("slow.wait", id: 4)
            _ = try client.exchange()
            for _ in 0..<3 {
                let id = ids.randomElement(using: &random) ?? ""
                let turnOn = Bool.random(using: &random)
                let method = turnOn ? "plugins.enable" : "plugins.disable"
                #expect(try control.result(method, ["id": JSONValue(id)]) == [:])
                isOn[id] = turnOn
            }
            for id in ids {
                let state = try Self.state(of: id, control)
                #expect(state == (isOn[id] == true ? "ready" : "disabled"), "\(step): \(id)")
                let open = fixture.server.sessions.values.flatMap(\.streams.values)
                if isOn[id] == false { #expect(!open.contains { $0.stream.plugin == id }) }
            }
            #expect(((try control.reply("items.get"))["result"] != nil) == isOn["items"])
            try client.finishSending()
            fixture.loop.turn()
        }
    }
}
