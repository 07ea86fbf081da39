// Plugins are added and removed, without side effects.

import DocumentsPlugin
import EventsPlugin
import ItemsPlugin
import JSONText
import PickerModel
import PickerService
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct PluginHostTests {
    private static let methods: [(name: String, methods: [String])] = [
        ("documents", ["documents.get", "documents.create", "sync"]),
        ("items", ["items.open", "items.update", "items.close", "items.get"]),
        (
            "events",
            ["events.publish", "events.subscribe", "events.unsubscribe", "events.replay"]
        ),
    ]

    private static func plugins(without name: String?) -> [any Plugin] {
        let all: [any Plugin] = [DocumentsPlugin(), ItemsPlugin(), EventsPlugin()]
        return all.filter { $0.identifier != name }
    }

    @Test("removing a plugin from the list removes its methods and nothing else", arguments: 0..<3)
    func without(index: Int) throws {
        let folder = try TemporaryFolder()
        try folder.write("a.md", "abc")
        let missing = Self.methods[index]
        let fixture = ServerFixture(
            plugins: Self.plugins(without: missing.name),
            settings: HostSettings(roots: [FileName(folder.path)]))
        fixture.loop.turn()
        let client = try fixture.connect()
        for method in missing.methods {
            #expect(try client.error(method).kind == .methodNotFound)
        }
        let capabilities = try client.result("daemon.hello")["capabilities"]?.objectValue
        let there = Self.methods.filter { $0.name != missing.name }.flatMap(\.methods)
        for method in there { #expect(capabilities?[method] == true, "\(method)") }
        #expect(capabilities?[missing.name] == nil)

        // The remaining ones work.
        if missing.name != "items" {
            let total = try client.result("items.get")["total"]
            #expect(total == (missing.name == "documents" ? 1 : 2))
        }
        if missing.name != "events" {
            #expect(try client.result("events.publish", ["topic": "a"])["seq"] != nil)
        }
        if missing.name != "documents" {
            #expect(try client.result("documents.get", ["path": "a.md"])["size"] == 3)
            #expect(try client.result("documents.create", ["name": "b.md"])["name"] == "b.md")
        }
        #expect(try client.result("daemon.info")["roots"] != nil || missing.name == "documents")
    }

    @Test("a plugin that throws is left out with a report, and its registrations removed")
    func failing() throws {
        let fixture = ServerFixture(plugins: [
            ItemsPlugin(), RecordingPlugin("bad", failsAtStart: true), EventsPlugin(),
        ])
        let client = try fixture.connect()
        #expect(try client.error("bad.method").kind == .methodNotFound)
        #expect(try client.result("items.get")["total"] == 1)
        #expect(try client.result("events.publish", ["topic": "a"])["seq"] == 1)
        let info = try client.result("daemon.info")
        #expect(info["bad"] == nil)
        let errors = fixture.reports.filter { $0.level == .error }
        #expect(errors.count == 1)
        #expect(errors.first?.message.contains("'bad': it can't") == true)
    }

    @Test("if the documents plugin fails, lists are complete: no documents will follow")
    func failingDocuments() throws {
        let fixture = ServerFixture(
            plugins: [DocumentsPlugin(), ItemsPlugin()],
            settings: HostSettings(roots: [FileName("not/absolute")]))
        #expect(fixture.reports.contains { $0.level == .error })
        let client = try fixture.connect()
        client.send("items.open", id: 1)
        #expect(try client.exchange().last?["params"]?["complete"] == true)
        #expect(try client.error("sync").kind == .methodNotFound)
    }

    @Test("registering a method twice is a programming error")
    func twice() async {
        await #expect(processExitsWith: .failure) {
            let registry = MethodRegistry()
            registry.register(.test("a.b"), plugin: "one") { (_, _) in .answered }
            registry.register(.test("a.b"), plugin: "two") { (_, _) in .answered }
        }
        await #expect(processExitsWith: .success) {
            let registry = MethodRegistry()
            registry.register(.test("a.b"), plugin: "one") { (_, _) in .answered }
            registry.removeAll(of: "one")
            registry.register(.test("a.b"), plugin: "two") { (_, _) in .answered }
        }
    }

    @Test("new settings are passed to all; if one refuses, those before it get the old ones back")
    func adopting() throws {
        let plugins = ["a", "b", "c"].map { RecordingPlugin($0) }
        let old = HostSettings(roots: [FileName("/old")])
        let fixture = ServerFixture(plugins: plugins, settings: old)
        let new = HostSettings(roots: [FileName("/new")])
        try fixture.host.adopt(new)
        #expect(
            plugins.map { $0.settings.map(\.roots) } == [[new.roots], [new.roots], [new.roots]])

        plugins[1].refuses = true
        let newer = HostSettings(roots: [FileName("/newer")])
        #expect(throws: PluginError.self) { try fixture.host.adopt(newer) }
        #expect(
            plugins.map { $0.settings.map(\.roots) }
                == [[new.roots, newer.roots, new.roots], [new.roots], [new.roots]])
    }

    @Test("a plugin that new settings fail to switch on is left out; the settings apply")
    func failingLater() throws {
        let bad = RecordingPlugin("bad", failsAtStart: true)
        let fixture = ServerFixture(
            plugins: [ItemsPlugin(), bad],
            settings: HostSettings(roots: [], values: ["bad": ["enabled": false]]))
        #expect(fixture.host.plugins.last?.state == .disabled)
        let new = HostSettings(roots: [FileName("/new")])
        try fixture.host.adopt(new)
        #expect(fixture.host.plugins.last?.state == .failed(reason: "it can't"))
        #expect(fixture.reports.contains { $0.level == .error })
        #expect(!fixture.reports.contains { $0.message.contains("is on") })
        let client = try fixture.connect()
        #expect(try client.error("plugins.enable", ["id": "bad"]).kind == .pluginFailed)
        #expect(try client.error("bad.method").kind == .methodNotFound)
    }

    @Test("plugins are deactivated in reverse order, after their methods are removed")
    func deactivating() throws {
        var order: [String] = []
        let fixture = ServerFixture(plugins: [])
        let plugins = ["a", "b"].map { RecordingPlugin($0) }
        for plugin in plugins {
            plugin.onEnd = { [registry = fixture.registry] in
                order.append(plugin.identifier)
                #expect(registry.handler(of: plugin.identifier + ".method") == nil)
            }
        }
        fixture.host.activate(plugins, settings: HostSettings(roots: []))
        #expect(fixture.registry.handler(of: "a.method") != nil)
        fixture.host.deactivateAll()
        #expect(order == ["b", "a"])
        for plugin in plugins { plugin.onEnd = {} }
    }
}

/// A plugin that records its calls.
private final class RecordingPlugin: Plugin {
    let manifest: PluginManifest
    private let failsAtStart: Bool
    private(set) var settings: [PluginSettings] = []
    var refuses = false
    var onEnd: () -> Void = {}

    init(_ identifier: String, failsAtStart: Bool = false) {
        manifest = .test(
            identifier, "\(identifier).method", info: [.optional("bad", .null)])
        self.failsAtStart = failsAtStart
    }

    func activate(in context: PluginContext) throws(PluginError) {
        context.register(.test("\(identifier).method")) { (_, writer) in
            writer.null()
            return .answered
        }
        context.contributeInfo("bad") { $0.null() }
        if failsAtStart { throw PluginError(plugin: identifier, reason: "it can't") }
    }

    func adopt(_ settings: PluginSettings) throws(PluginError) {
        if refuses { throw PluginError(plugin: identifier, reason: "it won't") }
        self.settings.append(settings)
    }

    func deactivate() { onEnd() }
}
