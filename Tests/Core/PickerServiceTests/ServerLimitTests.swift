// The server's work in one go, and the memory it passes on: at and beyond each limit.

import EventLoops
import JSONText
import PluginInterface
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct ServerLimitTests {
    /// `flood.open` opens an endless stream of lines of a given length.
    private final class FloodPlugin: Plugin {
        let manifest = PluginManifest.test("flood", "flood.open")
        let length: Int
        /// The lines after which the stream asks for room again.
        var linesAtOnce = Int.max
        /// Called before each line.
        var onLine: () -> Void = {}

        init(length: Int) { self.length = length }

        func activate(in context: PluginContext) throws(PluginError) {
            context.register(.test("flood.open")) {
                [unowned self] (call, writer) throws(ProtocolError) in
                let flood = Flood(self)
                try call.session.open(flood, as: call.id ?? 1)
                flood.requestRoom()
                writer.object { _ in }
                return .answered
            }
        }

        private final class Flood: SessionStream {
            let plugin = "flood"
            private unowned let source: FloodPlugin
            var place: (any StreamPlace)?

            init(_ plugin: FloodPlugin) { source = plugin }

            func produce(into sink: any LineSink) -> Bool {
                var left = source.linesAtOnce
                while left > 0, sink.hasRoom {
                    left -= 1
                    source.onLine()
                    let end: [UInt8] = [0x0A]
                    sink.send(
                        line: Array(repeating: 0x20, count: source.length - 1),
                        ByteSlice(end, 0..<1))
                }
                return true
            }

            func close() {}
        }
    }

    @Test("one client that reads is sent exactly 512 KiB of lines in one turn")
    func turnBytes() throws {
        let flood = FloodPlugin(length: 4 << 10)
        var limits = ServiceLimits()
        limits.queueSoft = 1
        let fixture = ServerFixture(plugins: [flood], limits: limits)
        let client = try fixture.connect()
        var lines = 0
        flood.onLine = {
            lines += 1
            // The output is read at once, so that the socket accepts more.
            client.readBytes()
        }
        client.send("flood.open", id: 1)
        while lines == 0 { try #require(fixture.loop.runOne()) }
        // The first turn also sends the answer.
        let first = lines
        #expect(first == 128)
        for turn in 1...3 {
            try #require(fixture.loop.runOne())
            #expect(lines == first + turn * 128)
        }
        client.close()
    }

    @Test(
        "the streams of one client have 0.4 ms in one turn",
        arguments: [(400_000, 1), (399_999, 2), (200_000, 2), (199_999, 3)])
    func turnTime(length: Int, inTurn: Int) throws {
        let flood = FloodPlugin(length: 100)
        flood.linesAtOnce = 1
        let fixture = ServerFixture(plugins: [flood])
        let client = try fixture.connect()
        var lines = 0
        flood.onLine = { [loop = fixture.loop] in
            lines += 1
            loop.spend(.nanoseconds(length))
            client.readBytes()
        }
        client.send("flood.open", id: 1)
        while lines == 0 { try #require(fixture.loop.runOne()) }
        #expect(lines == inTurn)
        for turn in 2...4 {
            try #require(fixture.loop.runOne())
            #expect(lines == turn * inTurn)
        }
        client.close()
    }

    /// `slow.work` calls a function.
    private final class SlowPlugin: Plugin {
        let manifest = PluginManifest.test("slow", "slow.work")
        var onWork: () -> Void = {}

        func activate(in context: PluginContext) throws(PluginError) {
            context.register(.test("slow.work")) {
                [unowned self] (_, writer) throws(ProtocolError) in
                onWork()
                writer.object { _ in }
                return .answered
            }
        }
    }

    @Test(
        "requests of one client are handled for a millisecond as they are read, and for one after that: the clock is read before each fourth",
        arguments: [(333_334, 6), (333_333, 14)])
    func requestSlice(length: Int, inTurn: Int) throws {
        let slow = SlowPlugin()
        let fixture = ServerFixture(plugins: [slow])
        let client = try fixture.connect()
        var handled = 0
        slow.onWork = { [loop = fixture.loop] in
            handled += 1
            loop.spend(.nanoseconds(length))
        }
        for id in 1...20 { client.send("slow.work", id: JSONValue(id)) }
        while handled == 0 { try #require(fixture.loop.runOne()) }
        #expect(handled == inTurn)
        client.close()
    }

    /// The number of handlers for the answers to three simultaneous clients, if one flush takes `length`.
    private func handlers(flushing length: Duration) throws -> Int {
        let fixture = ServerFixture(plugins: [])
        let clients = try (0..<3).map { _ in try fixture.connect() }
        fixture.loop.turn()
        fixture.registry.beforeOutput(plugin: "test") { [loop = fixture.loop] in
            loop.spend(length)
        }
        for client in clients { client.send("daemon.ping", id: 1) }
        let handlers = fixture.loop.turn()
        for client in clients {
            client.readBytes()
            #expect(try client.takeLines().count == 1)
        }
        return handlers
    }

    @Test("clients are flushed for half a millisecond, then others have their turn")
    func flushSlice() throws {
        let within = try handlers(flushing: .nanoseconds(249_999))
        #expect(try handlers(flushing: .nanoseconds(250_000)) == within + 1)
        #expect(try handlers(flushing: .nanoseconds(499_999)) == within + 1)
        #expect(try handlers(flushing: .nanoseconds(500_000)) == within + 2)
    }

    @Test("64 clients are accepted in one go", arguments: [64, 65])
    func acceptBatch(count: Int) throws {
        let folder = try TemporaryFolder()
        let fixture = ServerFixture(plugins: [])
        let path = folder.rawPath("s")
        try fixture.server.listen(on: DescriptorBox(UnixSocket.listen(at: path)))
        let clients = try (0..<count).map { _ in
            DescriptorBox(try UnixSocket.connect(to: path))
        }
        try #require(fixture.loop.runOne())
        #expect(fixture.server.sessions.count == 64)
        fixture.loop.turn()
        #expect(fixture.server.sessions.count == count)
        withExtendedLifetime(clients) {}
    }

    @Test("eight buffers are passed on, and none of more than 512 KiB")
    func spareStorage() {
        func piece(_ capacity: Int) -> [UInt8] {
            var piece: [UInt8] = []
            piece.reserveCapacity(capacity)
            return piece
        }
        for count in [8, 9] {
            var spare = SpareStorage()
            for _ in 0..<count { spare.put(piece(1000)) }
            var taken = 0
            while spare.take() != nil { taken += 1 }
            #expect(taken == 8)
        }
        // The allocator returns slightly more than requested.
        let limit = 512 << 10
        let largest = piece(limit - 4096)
        #expect(largest.capacity <= limit && largest.capacity > limit - 8192)
        let tooLarge = piece(limit + 1)
        var spare = SpareStorage()
        spare.put(tooLarge)
        let none = spare.take()
        #expect(none == nil)
        spare.put(largest + [1])
        let taken = spare.take()
        #expect(taken?.isEmpty == true && taken.map { $0.capacity > 0 } == true)
    }

    @Test("when a client has left, and nobody asks for anything for a while, it says so once")
    func idleness() throws {
        let fixture = ServerFixture()
        var count = 0
        fixture.server.onIdle = { count += 1 }
        let idleTime = fixture.server.limits.idleTime
        fixture.loop.advance(by: idleTime * 2)
        #expect(count == 0, "there was no client yet")
        let (one, other) = (try fixture.connect(), try fixture.connect())
        fixture.loop.advance(by: idleTime * 2)
        #expect(count == 0, "no client has left")
        one.close()
        #expect(fixture.loop.run { fixture.server.sessions.count == 1 })
        fixture.loop.advance(by: idleTime / 2)
        #expect(count == 0)
        fixture.loop.advance(by: idleTime)
        #expect(count == 1, "another client is there, which asks for nothing")
        fixture.loop.advance(by: idleTime * 2)
        #expect(count == 1)
        other.close()
        #expect(fixture.loop.run { fixture.server.sessions.isEmpty })
        fixture.loop.advance(by: idleTime * 2)
        #expect(count == 2)
        fixture.loop.advance(by: idleTime * 2)
        #expect(count == 2)
    }

    @Test("requests put off what is done when nobody asks for anything, but not for ever")
    func busyness() throws {
        let fixture = ServerFixture()
        var count = 0
        fixture.server.onIdle = { count += 1 }
        let idleTime = fixture.server.limits.idleTime
        let (one, other) = (try fixture.connect(), try fixture.connect())
        one.close()
        #expect(fixture.loop.run { fixture.server.sessions.count == 1 })
        for number in 1...9 {
            other.send("daemon.ping", id: .integer(Int64(number)))
            #expect(fixture.loop.run { fixture.server.counters.requests == number })
            fixture.loop.advance(by: idleTime)
            #expect(count == 0, "request \(number)")
        }
        other.send("daemon.ping", id: 10)
        #expect(fixture.loop.run { fixture.server.counters.requests == 10 })
        fixture.loop.advance(by: idleTime)
        #expect(count == 1)
    }
}
