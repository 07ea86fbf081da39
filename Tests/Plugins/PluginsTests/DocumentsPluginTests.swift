// Documents on disk: found, created, published.

import DataBus
import DocumentsPlugin
import EventLoops
import FileRules
import Glibc
import JSONText
import MediaTypes
import Observables
import PickerModel
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct DocumentsPluginTests {
    private let folder: TemporaryFolder
    private let loop = FakeLoop()
    private let store = DocumentStore(epoch: "e")
    private let bus = EventBus(limits: .init(count: 1000))
    private let registry = MethodRegistry()
    private let session: FakeSession
    private let plugin = DocumentsPlugin()

    init() throws {
        folder = try TemporaryFolder()
        session = FakeSession(registry: registry)
        try folder.makeFolder("one/sub")
        try folder.makeFolder("two")
        try folder.write("one/a.md", "abc")
        try folder.write("one/sub/b.txt", "")
        try folder.write("two/a.md", "abcdef")
    }

    private func start(_ roots: [String]) throws {
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: loop, bus: bus, documents: store,
                settings: PluginSettings(roots: roots), registry: registry, report: { _ in }))
        loop.turn()
    }

    private func startBoth() throws {
        try start([folder.path("one"), folder.path("two")])
    }

    private func error(_ method: String, _ params: JSONValue) -> ProtocolError.Kind? {
        guard case .failure(let error) = session.call(method, params) else { return nil }
        return error.kind
    }

    private func exists(_ name: String) -> Bool {
        // The path is a C string for the length of the call.
        unsafe access(folder.path(name), F_OK) == 0
    }

    private func topics() -> [String] {
        (bus.oldestSequence..<(bus.lastSequence + 1)).compactMap {
            bus.kept(sequence: $0)?.event.topic
        }
    }

    @Test("documents without room are reported once, and the others are served")
    func noRoom() throws {
        var limits = DocumentTable.Limits()
        limits.rows = 1
        let small = DocumentStore(epoch: "e", table: DocumentTable(limits: limits))
        var reports: [Report] = []
        let roots = [folder.path("one"), folder.path("two")]
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: loop, bus: bus, documents: small,
                settings: PluginSettings(roots: roots), registry: registry,
                report: { reports.append($0) }))
        loop.turn()
        let errors = reports.filter { $0.level == .error }
        #expect(small.count == 1 && errors.count == 1)
        #expect(errors.first?.message.contains("the table of documents is full: 1 rows") == true)
    }

    // MARK: get

    @Test("a document is found by its key, its path below a root, and its absolute path")
    func get() throws {
        try startBoth()
        let byPath = try session.call("documents.get", ["path": "a.md"]).get()
        #expect(byPath["root"]?.stringValue == folder.path("one"), "the first root comes first")
        #expect(byPath["size"] == 3 && byPath["type"] == "text/markdown")
        #expect(byPath["name"] == "a.md" && byPath["path"] == "a.md")
        let key = try #require(byPath["key"])
        #expect(try session.call("documents.get", ["key": key]).get() == byPath)
        let absolute = JSONValue(folder.path("two/a.md"))
        #expect(try session.call("documents.get", ["path": absolute]).get()["size"] == 6)
        let nested = try session.call("documents.get", ["path": "sub/b.txt"]).get()
        #expect(nested["path"] == "sub/b.txt" && nested["name"] == "b.txt")
    }

    @Test("a missing document is error 1011, by key or path")
    func getNothing() throws {
        try startBoth()
        let outside = JSONValue(folder.path("a.md"))
        for params: JSONValue in [
            ["key": "none"], ["path": "none"], ["path": ""], ["path": "sub"], ["path": outside],
            ["path": "../two/a.md"], ["key": ""], ["path": "/"], ["path": "a.md/"],
        ] {
            #expect(error("documents.get", params) == .noSuchItem, "\(params)")
        }
    }

    @Test("a name that begins with a mark is found by its absolute path too")
    func getWithMark() throws {
        let name = "\u{301}mark.md"
        try folder.write("one/" + name, "x")
        try startBoth()
        let absolute = JSONValue(folder.path("one") + "/" + name)
        #expect(try session.call("documents.get", ["path": absolute]).get()["size"] == 1)
    }

    // MARK: create

    @Test("a document is created with its content, listed at once, and published")
    func create() throws {
        try startBoth()
        let content = "Grüße\n\u{0}end"
        let made = try session.call(
            "documents.create", ["name": "neu é.md", "content": JSONValue(content)]
        ).get()
        #expect(made["path"] == "neu é.md" && made["root"]?.stringValue == folder.path("one"))
        #expect(made["size"] == JSONValue(content.utf8.count))
        #expect(try folder.contents(of: "one/neu é.md") == content)
        let found = try session.call("documents.get", ["key": made["key"] ?? .null]).get()
        for member in try #require(made.objectValue).members {
            #expect(found[member.key] == member.value)
        }
        #expect(topics() == ["documents.added"])
        let empty = try session.call(
            "documents.create", ["name": "empty", "root": JSONValue(folder.path("two"))]
        ).get()
        #expect(empty["size"] == 0 && empty["root"]?.stringValue == folder.path("two"))
        loop.turn()
        #expect(topics() == ["documents.added", "documents.added"], "each is told of once")
    }

    @Test("nothing is overwritten: a file, a folder, a dangling link")
    func conflicts() throws {
        try folder.makeLink("one/link", to: "/nowhere/at all")
        try startBoth()
        for name in ["a.md", "sub", "link"] {
            let params: JSONValue = ["name": JSONValue(name), "content": "other"]
            #expect(error("documents.create", params) == .conflict, "\(name)")
        }
        #expect(try folder.contents(of: "one/a.md") == "abc")
        #expect(store.count == 3)
    }

    @Test("a folder that is not a root is refused")
    func outside() throws {
        try startBoth()
        for root in [
            folder.path, folder.path("one/sub"), folder.path("one/../two"), "one", "/", "",
        ] {
            let params: JSONValue = ["name": "x", "root": JSONValue(root)]
            #expect(error("documents.create", params) == .outsideRoot, "\(root)")
        }
        #expect(store.count == 3 && bus.lastSequence == 0)
    }

    @Test("the longest name is taken")
    func longName() throws {
        try startBoth()
        let name = String(repeating: "ä", count: 127) + "x"
        #expect(name.utf8.count == 255)
        let made = try session.call("documents.create", ["name": JSONValue(name)]).get()
        #expect(made["name"]?.stringValue == name)
    }

    @Test("in a missing root, or without roots, nothing can be created")
    func missingRoot() throws {
        try start([folder.path("three")])
        #expect(error("documents.create", ["name": "x"]) == .notReady)
        try plugin.adopt(PluginSettings(roots: []))
        #expect(error("documents.create", ["name": "x"]) == .notReady)
    }

    @Test("nothing is created behind a root that has become a link")
    func linkedRoot() throws {
        try startBoth()
        try folder.makeFolder("elsewhere")
        try folder.move("one", to: "was one")
        try folder.makeLink("one", to: folder.path("elsewhere"))
        #expect(error("documents.create", ["name": "x"]) == .notReady)
        #expect(!exists("elsewhere/x"))
        #expect(!exists("was one/x"))
        // A root that is a link is served where it leads, once that is known.
        _ = try session.call("sync").get()
        _ = try session.call("documents.create", ["name": "x"]).get()
        #expect(exists("elsewhere/x"))
    }

    @Test("without write permission nothing is created", .enabled(if: geteuid() != 0))
    func unwritable() throws {
        try startBoth()
        // The path is a C string for the length of the call.
        _ = unsafe chmod(folder.path("one"), 0o500)
        #expect(error("documents.create", ["name": "x"]) == .permissionDenied)
        _ = unsafe chmod(folder.path("one"), 0o700)
    }

    // MARK: sync, scans, settings

    @Test("the revision of sync contains all earlier changes")
    func sync() throws {
        try startBoth()
        let before = store.rev
        try folder.write("one/new.md", "x")
        let reply = try session.call("sync").get()
        #expect(reply == ["rev": JSONValue(store.rev)] && store.rev > before)
        #expect(store[root: folder.path("one"), path: FileName("new.md")] != nil)
        #expect(try session.call("sync", ["timeoutMs": 0]).get() == reply)
    }

    @Test(
        "a first scan publishes no events, and the set is complete at its end",
        arguments: ["", "/", "//", "/."])
    func firstScan(ending: String) throws {
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: loop, bus: bus, documents: store,
                settings: PluginSettings(roots: [folder.path("one") + ending]),
                registry: registry, report: { _ in }))
        #expect(!store.isComplete.value && store.count == 0)
        loop.turn()
        #expect(store.isComplete.value && store.count == 2)
        #expect(topics().isEmpty)
    }

    @Test("daemon.info has the rules of each root, and of many patterns the first")
    func rules() throws {
        var settings = PluginSettings(roots: [folder.path("one"), folder.path("two")])
        settings.rules = RootRules(
            own: [
                FileName(folder.path("two")): DocumentRules(
                    hidden: .keep, ignore: (0..<1000).map { "*.\($0)" }, readsIgnoreFiles: true,
                    symlinks: .follow)
            ])
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: loop, bus: bus, documents: store,
                settings: settings, registry: registry, report: { _ in }))
        loop.turn()
        let roots = try #require(try registry.info()["roots"]?.arrayValue)
        #expect(
            roots[0]["rules"] == [
                "hidden": "skip", "ignore": [], "gitignore": false, "symlinks": "ignore",
            ])
        let rules = try #require(roots[1]["rules"])
        #expect(rules["hidden"] == "keep" && rules["gitignore"] == true)
        #expect(rules["symlinks"] == "follow")
        #expect(rules["ignoreCount"] == 1000)
        // Ten of three bytes, ninety of four, and of those with five as many as there is room for.
        let told: Int = 100 + (4096 - 30 - 360) / 5
        #expect(rules["ignore"]?.arrayValue?.count == told)
        #expect(roots.allSatisfy { $0["degradedCount"] == nil })
    }

    @Test("a long first scan is told in events, the status, daemon.info, and to who waits for it")
    func scanProgress() throws {
        for number in 0..<3 {
            try folder.makeFolder("one/d\(number)")
            for file in 0..<1000 { try folder.write("one/d\(number)/\(file)", "") }
        }
        var statuses: [String] = []
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: loop, bus: bus, documents: store,
                settings: PluginSettings(roots: [folder.path("one")]), registry: registry,
                report: { if $0.level == .status { statuses.append($0.message) } }))
        let silent = session.begin("sync", ["timeoutMs": 600_000])
        let synced = session.begin("sync", ["timeoutMs": 600_000, "progress": true])
        var info: [String: Int] = [:]
        // Each piece of work takes a while; a thread reads the folders.
        let isOver = loop.run {
            loop.spend(.milliseconds(130))
            guard let root = try? registry.info()["roots"]?[0] else { return false }
            if let folders = root["folders"]?.integerValue { info["folders"] = Int(folders) }
            if root["state"] == "scanning" { #expect(root["foldersWaiting"] != nil) }
            return store.isComplete.value && synced.value != nil && silent.value != nil
        }
        #expect(isOver)
        loop.turn()
        let events = try (bus.oldestSequence..<(bus.lastSequence + 1)).compactMap {
            try (bus.kept(sequence: $0)?.event as? WireEvent)?.data?.value()
        }
        #expect(Set(topics()) == ["watch.progress"] && events.count >= 3)
        for event in events { #expect(event["root"]?.stringValue == folder.path("one")) }
        let waiting = events.map { $0["foldersWaiting"]?.integerValue ?? -1 }
        #expect(waiting.dropLast().allSatisfy { $0 > 0 } && waiting.last == 0)
        #expect(events.last?["documents"] == 3002 && events.last?["folders"] == 5)
        #expect(info["folders"] != nil)
        #expect(try registry.info()["roots"]?[0]?["folders"] == nil, "the scan is over")
        #expect(statuses.contains { $0.contains("so far") && $0.contains("wait") }, "\(statuses)")
        #expect(statuses.last == "serving 3,002 documents")
        // The limit is that of the events, whatever is committed in between.
        #expect(statuses.count <= events.count + 3, "\(statuses)")
        #expect(synced.value != nil && !synced.progress.isEmpty && silent.progress.isEmpty)
        #expect(synced.progress.count <= events.count)
    }

    @Test("changes are published under their topics, with key, path and revision")
    func events() throws {
        try startBoth()
        let key = try #require(
            store[root: folder.path("one"), path: FileName("a.md")]?.key)
        try folder.write("one/c.md", "1")
        _ = session.call("sync")
        try folder.move("one/a.md", to: "one/sub/moved.md")
        _ = session.call("sync")
        try folder.remove("one/c.md")
        _ = session.call("sync")
        #expect(topics() == ["documents.added", "documents.moved", "documents.removed"])
        let moved = bus.kept(sequence: 2)?.event as? WireEvent
        #expect(
            try moved?.data?.value() == [
                "key": JSONValue(key), "path": "sub/moved.md",
                "root": JSONValue(folder.path("one")),
                "uri": JSONValue("file://" + folder.path("one/sub/moved.md")),
                "from": "a.md", "fromRoot": JSONValue(folder.path("one")),
                "rev": JSONValue(store.rev - 1),
            ])
    }

    @Test("events have the URI of the file, whatever its name, and whichever folder came before")
    func eventURIs() throws {
        try startBoth()
        let names = [
            "plain.md", "with blank.md", "100%.md", "#?[]{}|\\^`\".md", "ünï.md", "sub dir/ä b.md",
            "sub dir/deep/~x@y:z.md", "tab\t.md",
        ]
        for name in names {
            try folder.makeFolder(
                "one/" + name.split(separator: "/").dropLast().joined(separator: "/"))
            try folder.write("one/" + name, "1")
        }
        _ = session.call("sync")
        var found: [String: String] = [:]
        for sequence in bus.oldestSequence..<(bus.lastSequence + 1) {
            let event = try (bus.kept(sequence: sequence)?.event as? WireEvent)?.data?.value()
            guard let path = event?["path"]?.stringValue else { continue }
            found[path] = event?["uri"]?.stringValue
        }
        let root = folder.path("one") + "/"
        for name in names {
            #expect(found[name] == FileURI.text(ofPath: Array((root + name).utf8).span))
        }
    }

    @Test("settings with an invalid root are refused, and the old ones stay")
    func adopt() throws {
        try startBoth()
        #expect(throws: PluginError.self) {
            try plugin.adopt(PluginSettings(roots: [folder.path("two"), "relative"]))
        }
        #expect(store.count == 3)
        try plugin.adopt(PluginSettings(roots: [folder.path("two")]))
        loop.turn()
        #expect(store.count == 1)
    }
}

extension MethodRegistry {
    /// What plugins add to `daemon.info`.
    fileprivate func info() throws -> JSONValue {
        var writer = JSONWriter()
        writer.object { writeInfo(into: &$0) }
        return try JSONValue(parsing: writer.finish())
    }
}
