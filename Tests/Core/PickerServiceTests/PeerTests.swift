// A plugin's process at the other end of a socket: it is asked as well as asking.

import JSONText
import PickerModel
import PluginInterface
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite("Connections to plugins' processes") struct PeerTests {
    /// Records what it is told.
    private final class Peer: SessionPeer {
        let plugin = "image"
        var replies: [JSONValue] = []
        var notes: [String] = []
        var faults: [ProtocolError] = []
        var overlong = 0
        var ends = 0
        /// Called with each answer.
        var onReply: () -> Void = {}

        func receive(_ reply: ReplyEnvelope) {
            if case .success(let view) = reply.outcome {
                replies.append((try? view.value()) ?? .null)
            }
            onReply()
        }

        func receive(_ request: RequestEnvelope) -> Bool {
            guard request.method.hasPrefix("own.") else { return false }
            notes.append(request.method)
            return true
        }

        func receive(_ fault: RefusedLine) { faults.append(fault.error) }
        func receivedOverlongLine() { overlong += 1 }
        func connectionEnded() { ends += 1 }
    }

    private final class House {
        let fixture: ServerFixture
        let slow = SlowPlugin()
        let peer = Peer()
        /// Nil once the test has released it.
        var connection: (any PeerConnection)?
        let process: TestClient

        init() throws {
            fixture = ServerFixture(plugins: standardPlugins() + [slow])
            let pair = try UnixSocket.pair().boxed()
            connection = try fixture.server.connect(pair.first, to: peer)
            process = try fixture.client(at: pair.second)
        }
    }

    @Test("its requests are answered as a client's, and the daemon's lines reach it")
    func bothWays() throws {
        let house = try House()
        #expect(try house.process.result("daemon.ping") == [:])
        let request: JSONValue = ["id": 1, "method": "plugin.ping"]
        let isSent = house.connection?.post { $0.value(request) }
        #expect(isSent == true)
        house.fixture.loop.turn()
        #expect(house.process.takeRawLine() == request.bytes)
        house.process.send(#"{"id":1,"result":{"a":2}}"#)
        try house.process.exchange()
        #expect(house.peer.replies == [["a": 2]])
        // It is no client.
        let client = try house.fixture.connect()
        #expect(try client.result("daemon.info")["clients"] == 1)
    }

    @Test("an answer does not wait behind a request of the process whose answer is pending")
    func noDeadlock() throws {
        let house = try House()
        house.process.send("slow.wait", id: "s")
        house.process.send("daemon.ping", id: "p")
        house.process.send(#"{"id":1,"result":7}"#)
        house.process.send(#"{"method":"own.note"}"#)
        #expect(try house.process.exchange().isEmpty)
        #expect(house.peer.replies == [7])
        #expect(house.peer.notes == ["own.note"])
        house.slow.replies[0].resolve { $0.value(["b": 1]) }
        #expect(try house.process.exchange().map { $0["id"] } == ["s", "p"])
    }

    @Test("what is no message, and what is too long, is told to the peer, and is not answered")
    func faults() throws {
        let house = try House()
        house.process.send("nonsense")
        house.process.send(#"{"id":1}"#)
        house.process.send("[]")
        house.process.send(bytes: Array(repeating: 0x20, count: 1 << 20) + [0x20, 0x0A])
        #expect(try house.process.exchange().isEmpty)
        #expect(house.peer.faults.map(\.kind) == [.parseError, .invalidRequest, .invalidRequest])
        #expect(house.peer.overlong == 1)
        #expect(try house.process.result("daemon.ping") == [:])
    }

    @Test("many lines are handled in slices, in order, and all of them")
    func slices() throws {
        let house = try House()
        var turns = 0
        // Each answer takes a quarter of a slice.
        house.peer.onReply = { [loop = house.fixture.loop] in loop.spend(.microseconds(250)) }
        let lines = (0..<500).map { "{\"id\":\($0),\"result\":\($0)}\n" }.joined()
        house.process.send(bytes: Array(lines.utf8))
        while house.fixture.loop.runOne() {
            turns += 1
            #expect(house.peer.replies.count <= turns * 8)
        }
        #expect(house.peer.replies == (0..<500).map { JSONValue($0) })
        // Four of them in each slice, in which the clock is looked at twice, or eight.
        #expect(turns >= 500 / 8)
    }

    @Test(
        "a line that is too long is not sent; nothing is after the end, of which the peer is told once"
    )
    func ends() throws {
        let house = try House()
        let long = String(repeating: "x", count: 1 << 20)
        #expect(house.connection?.post { $0.value(["a": .string(long)]) } == false)
        // Its LF is not counted.
        func line(_ text: String) -> JSONValue {
            ["id": 1, "method": "m", "params": ["a": .string(text)]]
        }
        let exact = String(repeating: "x", count: (1 << 20) - line("").bytes.count)
        #expect(house.connection?.post { $0.value(line(exact)) } == true)
        #expect(house.connection?.post { $0.value(line(exact + "x")) } == false)
        var count = 0
        while count < 1 << 20, house.fixture.loop.turn() >= 0 { count += house.process.readBytes() }
        #expect(count == (1 << 20) + 1)
        house.connection?.close()
        house.connection?.close()
        #expect(house.peer.ends == 1)
        #expect(house.connection?.post { $0.value([:]) } == false)
        house.connection = nil
        #expect(house.process.comesToEnd())
    }

    @Test("a peer that ends the connection at a line sees no other")
    func endsInTheMiddle() throws {
        let house = try House()
        house.peer.onReply = { [unowned house] in house.connection?.close() }
        house.process.send(bytes: Array("{\"id\":1,\"result\":1}\n{\"id\":2,\"result\":2}\n".utf8))
        house.fixture.loop.turn()
        #expect(house.peer.replies == [1])
        #expect(house.peer.ends == 1)
    }

    @Test("only the process publishes under its plugin's topics")
    func topics() throws {
        let house = try House()
        let registry = house.fixture.registry
        let client = try house.fixture.connect()
        #expect(try client.result("events.publish", ["topic": "image.seen"])["seq"] != nil)
        registry.reserve(process: "image")
        // The topic was published before, and is remembered.
        let refused = try client.error("events.publish", ["topic": "image.seen"])
        #expect(refused.kind == .permissionDenied)
        #expect(refused.message.contains("plugin 'image'"))
        for _ in 0..<2 {
            #expect(
                try house.process.result("events.publish", ["topic": "image.seen"])["seq"] != nil)
            #expect(
                try client.error("events.publish", ["topic": "image.seen"]).kind
                    == .permissionDenied)
        }
        #expect(
            try house.process.error("events.publish", ["topic": "daemon.x"]).kind
                == .permissionDenied)
        registry.release(process: "image")
        #expect(try client.result("events.publish", ["topic": "image.seen"])["seq"] != nil)
    }

    @Test("a daemon that stops says goodbye to processes, too")
    func stop() throws {
        let house = try House()
        var isStopped = false
        house.fixture.server.stop { isStopped = true }
        let lines = try house.process.exchange()
        #expect(lines.last?["params"]?["reason"] == "stopping")
        house.connection = nil
        #expect(house.process.comesToEnd())
        house.fixture.loop.turn()
        #expect(isStopped)
        #expect(house.peer.ends == 1)
    }
}
