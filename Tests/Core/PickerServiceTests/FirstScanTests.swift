// Requests for documents are answered when the first scan is complete, and not before.

import DocumentsPlugin
import EventsPlugin
import FeedPlugin
import ItemsPlugin
import JSONText
import LayoutsPlugin
import Observables
import PickerModel
import PluginInterface
import StatisticsPlugin
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct FirstScanTests {
    private let slow = SlowPlugin()
    private let fixture: ServerFixture
    private let client: TestClient

    init() throws {
        fixture = ServerFixture(
            plugins: [FeedPlugin(), ItemsPlugin(), EventsPlugin(), StatisticsPlugin(), slow])
        fixture.documents.isComplete.value = false
        client = try fixture.connect()
    }

    /// The methods for documents, with parameters that an early answer would call missing.
    private static let looks: [(method: String, params: JSONObject)] = [
        ("items.get", [:]), ("items.page", [:]), ("documents.stats", [:]),
        ("items.like", ["key": "f0"]), ("items.drop", ["key": "f0"]),
        ("items.restore", ["key": "f0"]),
    ]

    @Test("each method for documents waits, and is then answered correctly", arguments: 0..<6)
    func waits(index: Int) throws {
        let (method, params) = Self.looks[index]
        client.send(method, .object(params), id: 1)
        client.send("daemon.ping", id: 2)
        #expect(try client.exchange().isEmpty, "what comes behind it stays behind it")
        // It stays: one that has left leaves a timer.
        let other = try fixture.connect()
        defer { other.close() }
        #expect(try other.result("daemon.ping") == [:])
        fixture.add(["a.md", "b.md"])
        #expect(try client.exchange().isEmpty)
        fixture.documents.isComplete.value = true
        let lines = try client.exchange()
        #expect(lines.map { $0["id"] } == [1, 2])
        let result = try #require(lines.first?["result"], "\(lines)")
        switch method {
        case "items.get": #expect(result["total"] == 3)
        case "items.page", "documents.stats": #expect((result["count"]?.integerValue ?? 0) >= 2)
        default: break
        }
        #expect(fixture.loop.nextTimer == nil, "no timer is left")
    }

    @Test("the schema says which methods wait, and no others have the parameter")
    func schema() throws {
        let fixture = ServerFixture(plugins: [
            DocumentsPlugin(), EventsPlugin(), FeedPlugin(), ItemsPlugin(), LayoutsPlugin(),
            StatisticsPlugin(),
        ])
        let methods = fixture.registry.definitions
        let waiting = methods.filter(\.waitsForDocuments)
        #expect(
            Set(waiting.map(\.name))
                == Set(Self.looks.map(\.method) + ["documents.get", "items.visited"]))
        #expect(
            Set(methods.filter(\.changesDocuments).map(\.name)) == [
                "documents.create", "items.drop", "items.like", "items.restore", "items.visited",
                "sync",
                "collections.open", "collections.close",
            ])
        for method in methods {
            let isNamed = method.parameters.contains { $0.name == "timeoutMs" }
            // Sync waits for more than that, and has its own time limit.
            let waits = method.waitsForDocuments || method.name == "sync"
            #expect(isNamed == waits, "\(method.name)")
            #expect(waits == method.parameters.contains { $0.name == "progress" })
            #expect(waits == method.notifications.contains { $0.name == "$/progress" })
        }
    }

    @Test("a document that was not scanned yet is not reported as missing")
    func document() throws {
        let fixture = ServerFixture(plugins: [DocumentsPlugin()])
        fixture.documents.isComplete.value = false
        let client = try fixture.connect()
        client.send("documents.get", ["key": "f0"], id: 1)
        #expect(try client.exchange().isEmpty)
        fixture.documents.isComplete.value = true
        #expect(try client.exchange().first?["error"]?["code"] != nil)
    }

    @Test("a request that times out is refused with 1001 and the number of documents seen")
    func timeout() throws {
        fixture.add(["a.md", "b.md"])
        for (params, limit) in [(["timeoutMs": 300], 300), ([:], 10_000)] as [(JSONValue, Int)] {
            client.send("documents.stats", params, id: 1)
            #expect(try client.exchange().isEmpty)
            fixture.loop.advance(by: .milliseconds(limit - 1))
            #expect(try client.exchange().isEmpty)
            fixture.loop.advance(by: .milliseconds(1))
            let line = try #require(try client.exchange().first)
            let error = try ProtocolError(line: line)
            #expect(error.kind == .notReady && error.documents == 2)
            #expect(error.message.contains("2 documents"))
        }
        let error = try client.error("documents.stats", ["timeoutMs": 0])
        #expect(error.kind == .notReady && error.documents == 2)
        for wrong in [-1, 600_001] {
            let error = try client.error("documents.stats", ["timeoutMs": JSONValue(wrong)])
            #expect(error.kind == .invalidParams && error.at == "timeoutMs")
        }
    }

    @Test("a waiting request can be cancelled; one whose client is gone is dropped")
    func cancel() throws {
        client.send("items.get", id: 1)
        client.send("items.get", id: 2)
        client.send("$/cancel", ["id": 1], id: .null)
        client.send(#"{"method":"$/cancel","params":{"id":1}}"#)
        let lines = try client.exchange()
        #expect(lines.last?["id"] == 1 && lines.last?["error"]?["code"] == 1002)
        // Its requests are still executed, as always, and then it is closed.
        client.close()
        fixture.loop.turn()
        fixture.documents.isComplete.value = true
        // That of a server without clients runs out; that of a request would be left.
        fixture.loop.advance(by: .seconds(3))
        #expect(fixture.loop.nextTimer == nil && fixture.server.sessions.isEmpty)
    }

    @Test("a request also waits for a scan that begins again before its turn")
    func again() throws {
        client.send("items.get", id: 1)
        fixture.loop.turn()
        fixture.documents.isComplete.value = true
        fixture.documents.isComplete.value = false
        #expect(try client.exchange().isEmpty)
        fixture.add(["a.md"])
        fixture.documents.isComplete.value = true
        #expect(try client.exchange().first?["result"]?["total"] == 2)
    }

    @Test("a handler may answer later after the wait, too")
    func laterAnswer() throws {
        let plugin = WaitingPlugin()
        let fixture = ServerFixture(plugins: [plugin])
        fixture.documents.isComplete.value = false
        let client = try fixture.connect()
        client.send("waiting.look", id: 1)
        #expect(try client.exchange().isEmpty && plugin.replies.isEmpty)
        fixture.documents.isComplete.value = true
        #expect(try client.exchange().isEmpty)
        try #require(plugin.replies.count == 1)
        plugin.replies[0].resolve { $0.integer(7) }
        #expect(try client.exchange().map { $0["result"] } == [7])
        // Cancelled in its second half.
        fixture.documents.isComplete.value = false
        client.send("waiting.look", id: 2)
        fixture.loop.turn()
        fixture.documents.isComplete.value = true
        fixture.loop.turn()
        var ended = false
        plugin.replies[1].onEnd = { ended = true }
        client.send(#"{"method":"$/cancel","params":{"id":2}}"#)
        #expect(try client.exchange().first?["error"]?["code"] == 1002 && ended)
    }

    @Test("a request that asks for it is told the progress, until its answer and no longer")
    func progress() throws {
        let other = try fixture.connect()
        client.send("items.get", ["progress": true], id: 1)
        other.send("items.get", id: 1)
        #expect(try client.exchange().isEmpty)
        for folders in 1...2 {
            fixture.documents.scan.value = ScanCounts(
                documents: 5, folders: folders, foldersWaiting: 7)
            #expect(
                try client.exchange() == [
                    [
                        "jsonrpc": "2.0", "method": "$/progress",
                        "params": [
                            "id": 1, "documents": 5, "folders": JSONValue(folders),
                            "foldersWaiting": 7,
                        ],
                    ]
                ])
            #expect(try other.exchange().isEmpty)
        }
        fixture.documents.scan.value = nil
        fixture.documents.isComplete.value = true
        let lines = try client.exchange()
        #expect(lines.count == 1 && lines.first?["result"] != nil, "\(lines)")
        let after = ScanCounts(documents: 5, folders: 3, foldersWaiting: 7)
        fixture.documents.scan.value = after
        #expect(try client.exchange().isEmpty)

        // Cancelled, timed out, in a batch, and with a wrong value.
        fixture.documents.isComplete.value = false
        client.send("items.get", ["progress": true], id: 2)
        fixture.loop.turn()
        client.send(#"{"method":"$/cancel","params":{"id":2}}"#)
        #expect(try client.exchange().count == 1)
        client.send("items.get", ["progress": true, "timeoutMs": 100], id: 3)
        fixture.loop.turn()
        fixture.loop.advance(by: .milliseconds(100))
        #expect(try client.exchange().first?["error"]?["code"] == 1001)
        let calls: JSONValue = [["method": "items.get", "params": ["progress": true]]]
        client.send("batch", ["calls": calls], id: 4)
        fixture.loop.turn()
        fixture.documents.scan.value = ScanCounts(documents: 6, folders: 4, foldersWaiting: 1)
        #expect(try client.exchange().isEmpty, "a call of a batch has no id")
        fixture.documents.isComplete.value = true
        #expect(try client.exchange().count == 1)
        #expect(try client.error("items.get", ["progress": 1]).at == "progress")
    }

    @Test("a batch waits like its calls, and all of them see the same documents")
    func batch() throws {
        let calls: JSONValue = [
            ["method": "daemon.ping"], ["method": "items.get"], ["method": "documents.stats"],
            ["method": "items.get", "params": ["timeoutMs": 5]],
        ]
        client.send("batch", ["calls": calls], id: 1)
        fixture.add(["a.md"])
        #expect(try client.exchange().isEmpty)
        fixture.add(["b.md"])
        fixture.documents.isComplete.value = true
        let result = try #require(try client.exchange().first?["result"])
        #expect(result["rev"] == 2)
        #expect(result["results"]?[1]?["result"]?["total"] == 3)
        #expect(result["results"]?[2]?["result"]?["count"] == 2)
        #expect(result["results"]?[3]?["result"]?["rev"] == 2)
    }
}

/// A plugin with a method that waits for documents and answers later.
private final class WaitingPlugin: Plugin {
    private static let look = MethodDefinition(
        "waiting.look", "Is there for the tests.", result: .any, waitsForDocuments: true)

    let manifest = PluginManifest("waiting", "Is there for the tests.", methods: [look])
    private(set) var replies: [PendingReply] = []

    func activate(in context: PluginContext) throws(PluginError) {
        context.register(Self.look) { [unowned self] (call, writer) throws(ProtocolError) in
            let reply = PendingReply()
            replies.append(reply)
            return .pending(reply)
        }
    }
}
