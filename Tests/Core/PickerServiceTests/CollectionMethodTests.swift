// Collections over the wire: the roots, and folders that clients open for a time.

import DocumentsPlugin
import EventsPlugin
import FeedPlugin
import ItemsPlugin
import JSONText
import PickerModel
import PluginInterface
import StatisticsPlugin
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite("Collections")
struct CollectionMethodTests {
    /// A daemon with the root `docs`, beside the folders `loads` and `loads/deep`.
    private final class Scene {
        let folder: TemporaryFolder
        let fixture: ServerFixture
        let client: TestClient

        init(_ limits: LeaseLimits = LeaseLimits()) throws {
            folder = try TemporaryFolder()
            try folder.makeFolder("docs")
            try folder.makeFolder("docs/sub")
            try folder.makeFolder("loads")
            try folder.makeFolder("loads/deep")
            try folder.write("docs/a.md", "a")
            try folder.write("docs/sub/b.md", "b")
            try folder.write("loads/c.zip", "cc")
            try folder.write("loads/deep/d.zip", "dd")
            fixture = ServerFixture(
                plugins: [
                    EventsPlugin(), FeedPlugin(), DocumentsPlugin(leases: limits), ItemsPlugin(),
                    StatisticsPlugin(),
                ], settings: HostSettings(roots: [FileName(folder.path("docs"))]))
            client = try fixture.connect()
            try client.exchange()
        }

        func open(_ name: String, _ client: TestClient? = nil) throws -> String {
            let path = folder.path + (name.isEmpty ? "" : "/" + name)
            let answer = try (client ?? self.client)
                .result("collections.open", ["path": .string(path)])
            return try #require(answer["collection"]?.stringValue)
        }

        /// The names of the documents of collections; those of all roots if none is named.
        func names(_ collections: String...) throws -> [String] {
            var params: JSONObject = ["search": "."]
            if !collections.isEmpty {
                params["in"] = .array(collections.map { .string($0) })
            }
            let items = try client.result("items.get", .object(params))["items"]?.arrayValue ?? []
            return items.compactMap { $0["name"]?.stringValue }
        }

        func list() throws -> [JSONValue] {
            try client.result("collections.list").arrayValue ?? []
        }
    }

    @Test("A folder that is opened has lists of its own, and is in no other list or number")
    func opened() throws {
        let scene = try Scene()
        let events = try scene.fixture.connect()
        events.send("events.subscribe", ["topics": ["documents.*"]], id: 1)
        try events.exchange()
        let name = try scene.open("loads")
        #expect(name == "c1")
        #expect(try scene.names("c1") == ["c.zip", "d.zip"])
        #expect(try scene.names() == ["a.md", "b.md"])
        #expect(try scene.names("documents") == ["a.md", "b.md"])
        #expect(try scene.names("c1", "documents") == ["a.md", "b.md", "c.zip", "d.zip"])
        let stats = try scene.client.result("documents.stats")
        #expect(stats["count"] == 2 && stats["size"]?["sum"] == 2)
        let leased = try scene.client.result("documents.stats", ["in": ["c1"]])
        #expect(leased["count"] == 2 && leased["size"]?["sum"] == 4)
        #expect(try scene.client.result("documents.stats")["count"] == 2)
        let page = try scene.client.result(
            "items.page", ["in": ["c1"], "size": 1, "search": "zip"])
        #expect(page["count"] == 2 && page["nextPageIndex"] == 2)
        let info = try scene.client.result("daemon.info")
        #expect(info["roots"]?.arrayValue?.count == 1 && info["documents"] == 2)
        try scene.folder.write("loads/e.zip")
        _ = try scene.client.result("sync")
        #expect(try scene.names("c1") == ["c.zip", "d.zip", "e.zip"])
        #expect(try events.exchange().isEmpty, "nothing of it is told to those who did not ask")
        // What comes from there is new to the roots, and what goes there has left them.
        try scene.folder.move("loads/e.zip", to: "docs/e.zip")
        _ = try scene.client.result("sync")
        try scene.folder.move("docs/a.md", to: "loads/a.md")
        _ = try scene.client.result("sync")
        let told = try events.exchange().map { $0["params"]?["topic"] }
        #expect(told == ["documents.added", "documents.removed"])
    }

    @Test("A live list follows the folder, says that it is whole, and is empty when that is closed")
    func live() throws {
        let scene = try Scene()
        let name = try scene.open("loads")
        let other = try scene.fixture.connect()
        other.send("items.open", ["in": [.string(name)], "window": ["count": .null]], id: "l")
        let lines = try other.exchange().filter { $0["method"] != nil }
        #expect(lines.last?["params"]?["total"] == 3 && lines.last?["params"]?["complete"] == true)
        try scene.folder.write("loads/f.zip")
        _ = try scene.client.result("sync")
        let added = try other.exchange().last
        #expect(added?["params"]?["total"] == 4)
        _ = try scene.client.result("collections.close", ["collection": .string(name)])
        _ = try scene.client.result("sync")
        let closed = try other.exchange().last?["params"]
        #expect(closed?["total"] == 1 && closed?["complete"] == true)
        #expect(scene.fixture.documents.outsideCount == 0)
        let error = try other.error("items.get", ["in": [.string(name)]])
        #expect(error.kind == .invalidParams && error.at == "in", "\(error)")
        #expect(try scene.list().count == 2)
    }

    @Test("A request that names a folder waits until that is read, whatever else is")
    func waits() throws {
        let scene = try Scene()
        let path = scene.folder.path("loads")
        scene.client.send("collections.open", ["path": .string(path)], id: "o")
        scene.client.send("items.get", ["in": ["c1"]], id: "g")
        scene.client.send(
            "batch", ["calls": [["method": "items.get", "params": ["in": ["c1"]]]]], id: "b")
        let lines = try scene.client.exchange()
        #expect(lines.map { $0["id"] } == ["o", "g", "b"])
        #expect(lines[0]["result"] == ["collection": "c1", "state": "scanning"])
        #expect(lines[1]["result"]?["total"] == 3)
        #expect(lines[2]["result"]?["results"]?.arrayValue?.first?["result"]?["total"] == 3)
    }

    @Test("The same folder is one collection, which ends with the last session that has it")
    func shared() throws {
        let scene = try Scene()
        try scene.folder.makeLink("link", to: scene.folder.path("loads"))
        let first = try scene.fixture.connect()
        let second = try scene.fixture.connect()
        #expect(try scene.open("loads", first) == "c1")
        #expect(try scene.open("link", first) == "c1", "once more is nothing")
        #expect(try scene.open("loads/", second) == "c1")
        first.close()
        try scene.client.exchange()
        #expect(try scene.names("c1") == ["c.zip", "d.zip"])
        let error = try scene.client.error("collections.close", ["collection": "c1"])
        #expect(error.kind == .noSuchItem, "this one has not opened it")
        second.close()
        try scene.client.exchange()
        #expect(try scene.client.error("items.get", ["in": ["c1"]]).kind == .invalidParams)
        #expect(scene.fixture.documents.documents.count == 2)
        #expect(try scene.open("loads") == "c2", "names are not used again")
    }

    @Test("A folder in a root is a part of it, and one above it has its documents, too")
    func relatedToRoot() throws {
        let scene = try Scene()
        let inside = try scene.open("docs/sub")
        let above = try scene.open("")
        #expect(try scene.names(inside) == ["b.md"])
        #expect(try scene.names(above) == ["a.md", "b.md", "c.zip", "d.zip"])
        let root = scene.folder.path("docs")
        #expect(try scene.names(root) == ["a.md", "b.md"], "each root has a collection")
        try scene.folder.write("docs/sub/g.md")
        _ = try scene.client.result("sync")
        #expect(try scene.names(inside) == ["b.md", "g.md"])
        let list = try scene.list()
        #expect(list.map { $0["collection"]?.stringValue } == ["documents", root, inside, above])
        #expect(list.map { $0["kind"]?.stringValue } == ["documents", "root", "folder", "folder"])
        #expect(list.map { $0["documents"] } == [3, 3, 2, 5])
        #expect(Set(list.map { $0["state"]?.stringValue }) == ["watching"])
        // Opened before the one above it: it stays what it is when that is closed, and the other way around.
        let deep = try scene.open("loads/deep")
        #expect(try scene.names(deep) == ["d.zip"])
        _ = try scene.client.result("collections.close", ["collection": .string(above)])
        _ = try scene.client.result("sync")
        #expect(try scene.names(deep) == ["d.zip"])
        #expect(scene.fixture.documents.outsideCount == 2, "the folder above it is still followed")
    }

    @Test("What is no folder, or has no documents, is refused with a reason")
    func refused() throws {
        let scene = try Scene()
        let cases: [(path: String, kind: ProtocolError.Kind)] = [
            (scene.folder.path("none"), .noSuchItem), (scene.folder.path("docs/a.md"), .noSuchItem),
            ("/proc/self", .permissionDenied), ("/sys", .permissionDenied),
            ("/", .permissionDenied), ("relative", .invalidParams), ("", .invalidParams),
        ]
        for (path, kind) in cases {
            let error = try scene.client.error("collections.open", ["path": .string(path)])
            #expect(error.kind == kind, "\(path): \(error)")
        }
        #expect(try scene.client.error("items.get", ["in": []]).kind == .invalidParams)
        #expect(try scene.client.error("items.get", ["in": ["c1", "documents"]]).at == "in")
        #expect(try scene.client.error("documents.stats", ["in": ["c1"]]).at == "in")
        #expect(try scene.list().count == 2)
    }

    @Test("Each limit is told: of one session, of all, and of the documents")
    func limits() throws {
        var limits = LeaseLimits()
        limits.folders = 3
        limits.ofSession = 2
        limits.documents = 3
        let scene = try Scene(limits)
        for name in ["m", "n", "o", "p"] { try scene.folder.makeFolder(name) }
        _ = try scene.open("m")
        _ = try scene.open("n")
        func error(_ name: String, _ client: TestClient) throws -> ProtocolError {
            try client.error("collections.open", ["path": .string(scene.folder.path(name))])
        }
        let second = try error("o", scene.client)
        #expect(second.kind == .limitExceeded && second.limit == 2, "\(second)")
        let other = try scene.fixture.connect()
        _ = try scene.open("o", other)
        let all = try error("p", other)
        #expect(all.kind == .limitExceeded && all.limit == 3, "\(all)")
        for number in 0..<4 { try scene.folder.write("m/\(number)") }
        try scene.folder.write("n/x")
        _ = try scene.client.result("sync")
        try scene.client.exchange()
        let many = try scene.client.error("items.get", ["in": ["c1"]])
        #expect(many.kind == .limitExceeded && many.limit == 3, "\(many)")
        #expect(try scene.names("c2").isEmpty, "names with a dot")
        #expect(try scene.list().map { $0["state"]?.stringValue }.contains("refused"))
        _ = try scene.client.result("sync")
        #expect(scene.fixture.documents.outsideCount == 1, "only the largest was given up")
        #expect(try error("m", other).limit == 3)
        _ = try scene.client.result("collections.close", ["collection": "c1"])
        try scene.folder.remove("m/0")
        try scene.folder.remove("m/1")
        #expect(try scene.open("m") == "c4")
    }

    @Test("A live list of a folder that has too many documents ends empty, and is complete")
    func givenUp() throws {
        for isReadBefore in [true, false] {
            var limits = LeaseLimits()
            limits.documents = 3
            let scene = try Scene(limits)
            func write() throws {
                for number in 0..<4 { try scene.folder.write("loads/\(number)") }
            }
            if !isReadBefore { try write() }
            scene.client.send(
                "collections.open", ["path": .string(scene.folder.path("loads"))], id: "o")
            scene.client.send("items.open", ["in": ["c1"]], id: "l")
            var lines = try scene.client.exchange()
            if isReadBefore {
                #expect(lines.last?["params"]?["total"] == 3)
                try write()
                _ = try scene.fixture.connect().result("sync")
                lines = try scene.client.exchange()
            }
            #expect(try scene.list().map { $0["state"]?.stringValue }.contains("refused"))
            let items = lines.filter { $0["method"]?.stringValue?.hasPrefix("items.") ?? false }
            #expect(items.last?["params"]?["complete"] == true, "\(lines)")
            #expect(items.last?["params"]?["total"] == 1, "the offer of a new document")
        }
    }

    @Test("A folder that becomes a root is one at once, and is leased still")
    func reloads() throws {
        let scene = try Scene()
        let name = try scene.open("loads")
        #expect(try scene.names(name) == ["c.zip", "d.zip"])
        let roots = ["docs", "loads"].map { FileName(scene.folder.path($0)) }
        try scene.fixture.host.adopt(HostSettings(roots: roots))
        #expect(try scene.names() == ["a.md", "b.md", "c.zip", "d.zip"])
        #expect(try scene.names(name) == ["c.zip", "d.zip"])
        #expect(try scene.names(scene.folder.path("loads")) == ["c.zip", "d.zip"])
        try scene.fixture.host.adopt(HostSettings(roots: [roots[0]]))
        _ = try scene.client.result("sync")
        #expect(try scene.names() == ["a.md", "b.md"])
        #expect(try scene.names(name) == ["c.zip", "d.zip"])
    }

    @Test("A like of a leased document is found again when its folder is opened once more")
    func likes() throws {
        let scene = try Scene()
        let name = try scene.open("loads")
        let found = try scene.client.result(
            "items.get", ["in": [.string(name)], "search": "c.zip"])
        let key = try #require(found["items"]?.arrayValue?.first?["key"])
        _ = try scene.client.result("items.like", ["key": key])
        let liked: JSONValue = ["liked"]
        #expect(try scene.client.result("documents.stats", ["where": liked])["count"] == 0)
        _ = try scene.client.result("collections.close", ["collection": .string(name)])
        _ = try scene.client.result("sync")
        let again = try scene.open("loads")
        let stats = try scene.client.result(
            "documents.stats", ["where": liked, "in": [.string(again)]])
        #expect(stats["count"] == 1)
    }
}
