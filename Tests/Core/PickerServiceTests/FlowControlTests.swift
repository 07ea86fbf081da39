// Clients that don't read, read late, or disconnect.

import DataBus
import JSONText
import PickerModel
import PluginInterface
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct FlowControlTests {
    private static func smallQueues() -> ServiceLimits {
        var limits = ServiceLimits()
        limits.queueSoft = 16 << 10
        limits.queueHard = 256 << 10
        return limits
    }

    private let slow = SlowPlugin()

    private func makeFixture(_ limits: ServiceLimits = smallQueues()) -> ServerFixture {
        ServerFixture(plugins: standardPlugins() + [slow], limits: limits)
    }

    /// Requests answers of `size` bytes without reading any.
    private func ask(_ client: TestClient, _ count: Int, size: Int) {
        for id in 0..<count {
            client.send("slow.large", ["count": JSONValue(size)], id: JSONValue(id))
        }
    }

    @Test("nothing is computed for a client that doesn't read; later it gets one delta for all")
    func slowList() throws {
        let fixture = makeFixture()
        var documents = fixture.add((0..<500).map { "file \($0).md" })
        let reader = try fixture.connect()
        _ = try reader.result("items.open", ["window": ["count": 5]], id: 1)
        let client = try fixture.connect()
        client.send("items.open", ["window": ["count": .null]], id: 7)
        fixture.loop.turn()
        let session = try #require(fixture.server.sessions.max { $0.key < $1.key }?.value)

        var size = 1
        while session.output.count < fixture.server.limits.queueSoft, size < 50_000 {
            size += 1
            documents[400] = fixture.touch(documents[400], size: size)
            fixture.loop.turn()
        }
        let queued = session.output.count
        let revision = fixture.documents.rev
        #expect(queued < fixture.server.limits.queueSoft + 1000, "a delta of one row is short")

        for step in 0..<2000 {
            size += 1
            if step % 10 == 0 {
                let old = documents.remove(at: step % documents.count)
                fixture.documents.apply(removed: [old], inserted: [])
                documents += fixture.add(["new \(step).md"])
            }
            documents[0] = fixture.touch(documents[0], size: size)
            if step % 100 == 0 {
                let lines = try reader.exchange()
                #expect(lines.last?["params"]?["to"] == JSONValue(fixture.documents.rev))
            } else {
                fixture.loop.turn()
            }
        }
        #expect(session.output.count == queued, "its queue is as it was")

        var rows: [ItemRecord] = []
        var rev = 0
        var late = 0
        for line in try client.exchange() where line["method"] != nil {
            let params = try #require(line["params"])
            if line["method"] == "items.reset" {
                let reset = try ItemsReset(decoding: params)
                rows += reset.items
                rev = reset.rev
            } else {
                let delta = try ItemsDelta(decoding: params)
                #expect(delta.from == rev)
                try delta.apply(to: &rows)
                rev = delta.to
                if rev > revision { late += 1 }
            }
        }
        #expect(late == 1 && rev == fixture.documents.rev)
        let all = generateItems(
            documents: Array(fixture.documents.documents), search: nil, sortOrder: .name)
        #expect(rows == all.map { ItemRecord($0) })
    }

    @Test(
        "events dropped before a client reads again are reported as lost, by number")
    func slowEvents() throws {
        let fixture = makeFixture()
        fixture.bus.limits.count = 100
        let client = try fixture.connect()
        client.send("events.subscribe", ["topics": ["*"]], id: 7)
        fixture.loop.turn()
        let session = try #require(fixture.firstSession)
        let data = JSONFragment(JSONValue(String(repeating: "x", count: 1000)))
        func publish() throws {
            let topic = try Topic(validating: "app.saved")
            fixture.bus.send(WireEvent(topic: topic, data: data))
            fixture.loop.turn()
        }
        while session.output.count < fixture.server.limits.queueSoft { try publish() }
        let queued = session.output.count
        let sent = fixture.bus.lastSequence
        #expect(queued < fixture.server.limits.queueSoft + 1200)
        for _ in 0..<1000 { try publish() }
        #expect(session.output.count == queued)

        let lines = try client.exchange().dropFirst()  // the reply
        let last = fixture.bus.lastSequence
        let told = lines.map { line in
            line["method"] == "$/lost" ? nil : line["params"]?["seq"]?.integerValue
        }
        let expected =
            (1...sent).map { Optional(Int64($0)) } + [nil]
            + ((last - 99)...last).map { Optional(Int64($0)) }
        #expect(told == expected)
        let lost = lines.first { $0["method"] == "$/lost" }
        #expect(
            lost?["params"] == [
                "sub": 7, "from": JSONValue(sent + 1), "to": JSONValue(last - 100),
                "reason": "slow",
            ])
    }

    @Test("above the hard limit requests wait; after 30 s the last line is goodbye")
    func hardLimit() throws {
        let fixture = makeFixture()
        let client = try fixture.connect()
        ask(client, 200, size: 30_000)
        fixture.loop.turn()
        let hard = fixture.server.limits.queueHard
        let queued = fixture.firstSession?.output.count ?? 0
        #expect(queued > hard && queued < hard + 31_000)
        fixture.loop.advance(by: .milliseconds(29_900))
        #expect(fixture.firstSession?.output.count == queued)
        fixture.loop.advance(by: .milliseconds(200))
        let lines = try client.exchange()
        #expect(client.comesToEnd() && client.unfinished == 0)
        #expect(
            lines.last == ["jsonrpc": "2.0", "method": "$/goodbye", "params": ["reason": "slow"]])
        #expect(lines.dropLast().map { $0["id"] } == (0..<(lines.count - 1)).map { JSONValue($0) })
        #expect(fixture.server.sessions.isEmpty)
    }

    @Test("a client that falls below the hard limit in time is served to the end")
    func inTime() throws {
        let fixture = makeFixture()
        let client = try fixture.connect()
        ask(client, 200, size: 30_000)
        fixture.loop.advance(by: .seconds(29))
        client.readBytes(300_000)
        fixture.loop.turn()
        client.readBytes(300_000)
        // So low that it can't exceed the limit again before the next request is read.
        var lines = try client.exchange()
        fixture.loop.advance(by: .seconds(60))
        lines += try client.exchange()
        #expect(lines.map { $0["id"] } == (0..<200).map { JSONValue($0) })
        #expect(!client.sawEnd)
    }

    @Test("a client that hung up is closed, however long its queue is")
    func goneWithFullQueue() throws {
        let fixture = makeFixture()
        let client = try fixture.connect()
        ask(client, 400, size: 30_000)
        fixture.loop.turn()
        let session = try #require(fixture.firstSession)
        #expect(session.output.count > fixture.server.limits.queueHard)
        try client.hangUp()
        #expect(fixture.loop.turn(limit: 1000) < 100, "nothing goes round and round")
        #expect(fixture.server.sessions.isEmpty)
    }

    @Test("one that hung up while its answer is pending causes no work until then")
    func goneWithFullInbox() throws {
        var limits = ServiceLimits()
        limits.waitingRequests = 10
        let fixture = makeFixture(limits)
        let client = try fixture.connect()
        client.send("slow.wait", id: "w")
        for id in 0..<20 { client.send("daemon.ping", id: JSONValue(id)) }
        fixture.loop.turn()
        try client.hangUp()
        #expect(fixture.loop.turn(limit: 1000) < 100, "nothing goes round and round")
        #expect(fixture.server.sessions.count == 1, "what it has asked for is done")
        slow.replies[0].resolve { $0.null() }
        fixture.loop.turn()
        #expect(fixture.server.sessions.isEmpty)
    }

    @Test("a client is closed in time after goodbye, whatever happens meanwhile")
    func closedAfterGoodbye() throws {
        let fixture = makeFixture()
        let documents = fixture.add(["a.md"])
        let client = try fixture.connect()
        _ = try client.result("items.open", id: "list")
        ask(client, 200, size: 30_000)
        fixture.loop.advance(by: .seconds(30))
        #expect(fixture.server.sessions.count == 1, "its goodbye waits")
        _ = fixture.touch(documents[0], size: 9)
        #expect(fixture.loop.turn(limit: 1000) < 100, "nothing goes round and round")
        fixture.loop.advance(by: .milliseconds(600))
        #expect(fixture.server.sessions.isEmpty)
    }

    @Test("a half-sent line is completed before goodbye, wherever it was cut")
    func dropUnsentLines() {
        for sent in 0...24 {
            var buffer = OutputBuffer()
            for line in ["{\"a\":1}", "{\"b\":22}", "{\"c\":3}"] {
                var writer = JSONWriter()
                writer.string(line)
                writer.endLine()
                buffer.append(writer)
            }
            // Much before, so that the sent part is discarded.
            var padded = OutputBuffer()
            var padding = JSONWriter()
            padding.string(String(repeating: "x", count: 10_000))
            padding.endLine()
            padded.append(padding)
            let before = padded.count
            for line in ["{\"a\":1}", "{\"b\":22}", "{\"c\":3}"] {
                var writer = JSONWriter()
                writer.string(line)
                writer.endLine()
                padded.append(writer)
            }
            let all = Array(buffer.bytes)
            buffer.removeFirst(sent)
            buffer.dropUnsentLines()
            padded.removeFirst(before + sent)
            padded.dropUnsentLines()
            let end =
                sent == 0 || all[sent - 1] == 0x0A
                ? sent : (all[sent...].firstIndex(of: 0x0A) ?? 0) + 1
            #expect(Array(buffer.bytes[buffer.head...]) == Array(all[sent..<end]), "sent \(sent)")
            #expect(Array(padded.bytes[padded.head...]) == Array(all[sent..<end]), "sent \(sent)")
        }
    }

    // MARK: The end

    @Test("on stop each client gets its queue, then goodbye, then the end")
    func stop() throws {
        let fixture = makeFixture()
        fixture.add(["a.md"])
        let clients = try (0..<3).map { _ in try fixture.connect() }
        clients[1].send("items.open", id: 1)
        clients[2].send("slow.wait", id: 1)
        fixture.loop.turn()
        fixture.add(["b.md"])
        var stopped = 0
        fixture.server.stop { stopped += 1 }
        let goodbye: JSONValue = [
            "jsonrpc": "2.0", "method": "$/goodbye", "params": ["reason": "stopping"],
        ]
        let lines = try clients.map { try $0.exchange() }
        #expect(lines[0] == [goodbye] && lines[2] == [goodbye])
        #expect(lines[1].map { $0["method"] } == [nil, "items.reset", "items.delta", "$/goodbye"])
        #expect(clients.allSatisfy { $0.comesToEnd() })
        #expect(stopped == 1 && slow.ended == 1)
        #expect(fixture.loop.liveSourceCount == 0)
    }

    @Test("a client that stops reading doesn't delay the stop")
    func stopWithSlowClient() throws {
        let fixture = makeFixture()
        let client = try fixture.connect()
        ask(client, 200, size: 30_000)
        fixture.loop.turn()
        var stopped = false
        fixture.server.stop { stopped = true }
        fixture.loop.turn()
        #expect(!stopped)
        client.readBytes(100_000)
        fixture.loop.turn()
        client.readBytes(100_000)
        fixture.loop.turn()
        #expect(!stopped)
        fixture.loop.advance(by: .milliseconds(600))
        #expect(stopped)
    }

    @Test("nothing comes after goodbye: no pending answer, no $/alive")
    func goodbyeIsLast() throws {
        let fixture = makeFixture(ServiceLimits())
        let client = try fixture.connect()
        _ = try client.result("daemon.hello", ["aliveMs": 100])
        ask(client, 4, size: 100_000)
        client.send("slow.wait", id: "w")
        client.send("daemon.ping", id: "p")
        fixture.loop.turn()
        #expect(fixture.firstSession?.output.isEmpty == false)
        #expect(fixture.firstSession?.hasRoom == true)
        fixture.server.stop {}
        slow.replies[0].resolve { $0.null() }
        fixture.loop.advance(by: .milliseconds(300))
        let lines = try client.exchange()
        #expect(lines.last?["method"] == "$/goodbye" && lines.count == 5)
        #expect(client.comesToEnd())
    }

    @Test("a client that closed its sending side gets everything, then the end")
    func halfClose() throws {
        let fixture = makeFixture()
        fixture.add(["a.md"])
        let client = try fixture.connect()
        client.send("items.open", id: "list")
        ask(client, 20, size: 30_000)
        client.send("slow.wait", id: "w")
        client.send("daemon.ping", id: "p")
        client.send(bytes: Array("{\"id\":\"half".utf8))
        try client.finishSending()
        var lines = try client.exchange()
        #expect(!client.sawEnd)
        slow.replies[0].resolve { $0.null() }
        lines += try client.exchange()
        let ids = lines.compactMap { $0["id"] }
        #expect(ids == ["list"] + (0..<20).map { JSONValue($0) } + ["w", "p"])
        #expect(lines.contains { $0["method"] == "items.reset" })
        #expect(client.comesToEnd() && fixture.server.sessions.isEmpty)
    }

    @Test("a client that disconnects within a line, or within its answers, is closed")
    func gone() throws {
        let fixture = makeFixture()
        for step in 0..<3 {
            let client = try fixture.connect()
            client.send("items.open", id: "list")
            if step == 1 { ask(client, 200, size: 30_000) }
            if step == 2 { client.send("events.subscribe", ["topics": ["*"]], id: 9) }
            fixture.loop.turn()
            client.send(bytes: Array("{\"id\":1,\"meth".utf8))
            client.close()
            fixture.loop.turn()
            #expect(fixture.server.sessions.isEmpty, "step \(step)")
        }
        // The timer of a server without clients runs out, and is there for the next time.
        fixture.loop.advance(by: .seconds(3))
        #expect(fixture.loop.liveSourceCount == 1 && fixture.loop.nextTimer == nil)
        fixture.add(["a.md"])
        #expect(try fixture.connect().result("daemon.info")["subscriptions"] == 0)
    }

    @Test("a client above the limit gets an error and is closed; when one leaves there is room")
    func clientLimit() throws {
        var limits = ServiceLimits()
        limits.clients = 2
        let fixture = makeFixture(limits)
        let clients = try (0..<3).map { _ in try fixture.connect() }
        let lines = try clients[2].exchange()
        #expect(clients[2].comesToEnd() && lines.count == 2)
        #expect(lines.first?["id"] == .null)
        let error = try ProtocolError(line: lines.first ?? .null)
        #expect(error.kind == .limitExceeded && error.limit == 2)
        #expect(lines.last?["params"] == ["reason": "limit"])
        #expect(try clients[0].result("daemon.info")["counters"]?["refused"] == 1)
        clients[1].close()
        fixture.loop.turn()
        #expect(try fixture.connect().result("daemon.info")["clients"] == 2)
    }

    @Test("clients are accepted at a socket with a path, and its owner may use it")
    func listening() throws {
        let folder = try TemporaryFolder()
        let fixture = makeFixture()
        let path = folder.rawPath("s")
        try fixture.server.listen(on: DescriptorBox(UnixSocket.listen(at: path)))
        let clients = try (0..<5).map { _ in
            try fixture.client(at: DescriptorBox(try UnixSocket.connect(to: path)))
        }
        for client in clients { #expect(try client.result("daemon.ping") == [:]) }
        #expect(fixture.server.sessions.count == 5)
    }

    @Test("only a limited number of requests are read behind a pending answer")
    func waitingRequests() throws {
        var limits = ServiceLimits()
        limits.waitingRequests = 10
        let fixture = makeFixture(limits)
        let client = try fixture.connect()
        client.send("slow.wait", id: "w")
        // Each read takes at most 64 KiB; the rest stays in the kernel.
        let filler = String(repeating: " ", count: 1000)
        for id in 0..<150 { client.send("{\"id\":\(id),\"method\":\"daemon.ping\"\(filler)}") }
        fixture.loop.turn()
        let session = try #require(fixture.firstSession)
        #expect(session.inbox.count >= 10 && session.inbox.count < 80)
        slow.replies[0].resolve { $0.null() }
        let ids = try client.exchange().map { $0["id"] }
        #expect(ids == ["w"] + (0..<150).map { JSONValue($0) })
    }
}
