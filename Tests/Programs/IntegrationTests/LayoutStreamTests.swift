// Layouts of a real daemon: thousands of cells, many clients, and one that wants an answer meanwhile.

import EventLoops
import Foundation
import JSONText
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct LayoutStreamTests {
    /// A client that lays out all documents by forces, and keeps the frames.
    private final class Client {
        let connection: TestConnection
        private(set) var frames: [String: [Double]] = [:]
        private(set) var rows = 0
        private(set) var isFinished = false
        private(set) var tick = 0
        /// The frames before the first tick.
        private(set) var start: [String: [Double]] = [:]

        init(_ daemon: DaemonUnderTest, options: JSONObject) throws {
            connection = try daemon.connect()
            try connection.call("items.open", ["window": ["count": .null]], id: 1)
            let params: JSONObject = [
                "items": 1, "kind": "force", "bounds": [1600, 1200], "options": .object(options),
            ]
            try connection.call("layout.open", params, id: 2)
        }

        /// Waits for a notification, and takes over all that have come.
        func step() throws {
            try connection.waitForNotification()
            for notification in connection.takeNotifications() { try take(notification) }
        }

        private func take(_ notification: TestConnection.Notification) throws {
            let params = try ParameterReader(notification.params)
            switch notification.method {
            case "items.reset":
                rows += try params.elements("items").count
            case "items.delta":
                rows += (try params.optionalElements("inserted") ?? []).count
                rows -= (try params.optionalElements("deleted") ?? []).count
            case "layout.frames":
                let message = try LayoutFrames(reading: params)
                if message.tick > 0, tick == 0 { start = frames }
                tick = message.tick
                for key in message.gone { frames[key] = nil }
                for frame in message.frames { frames[frame.key] = [frame.x, frame.y] }
                isFinished = false
            case "layout.finished": isFinished = true
            default: throw TestConnection.Failure.unexpected(notification.method)
            }
        }
    }

    @Test("ten clients are sent five thousand cells on their way, while another is answered")
    func tenClients() throws {
        let count = 5000
        let served = try ServedFolder { folder, _ in
            for number in 0..<count { folder.write("n\(number)") }
        }
        let pinger = try served.daemon.connect()
        try pinger.sync()
        let clients = try (0..<10).map { _ in
            try Client(served.daemon, options: ["charge": "auto", "intervalMs": 20])
        }
        var pings = 0
        while !clients.allSatisfy({ $0.tick > 1 }) {
            for client in clients where client.tick <= 1 { try client.step() }
            try pinger.call("daemon.ping")
            pings += 1
        }
        #expect(pings > 10)
        for client in clients {
            #expect(client.rows == count + 1)
            #expect(client.start.count == count + 1)
            #expect(client.start == clients[0].start, "the same items, the same frames")
            #expect(client.frames != client.start, "they have moved")
        }
        let info = try pinger.call("daemon.info").value()
        #expect(info["layouts"]?["open"] == 10)
        #expect(info["layouts"]?["items"] == JSONValue(10 * (count + 1)))
    }

    @Test("clients with the same items have the same frames at rest, to the bit")
    func same() throws {
        let served = try ServedFolder { folder, _ in
            for number in 0..<200 { folder.write("n\(number)") }
        }
        try served.daemon.connect().sync()
        let clients = try (0..<3).map { number in
            try Client(
                served.daemon,
                options: number == 0 ? ["mode": "final"] : ["intervalMs": JSONValue(10 * number)])
        }
        for client in clients {
            while !client.isFinished { try client.step() }
            #expect(client.frames.count == 201)
            #expect(client.frames == clients[0].frames)
        }
    }

    @Test("files that come and go while cells move are in the frames at rest; the daemon ends well")
    func changes() throws {
        let served = try ServedFolder { folder, _ in
            for number in 0..<300 { folder.write("n\(number)") }
        }
        try served.daemon.connect().sync()
        let client = try Client(served.daemon, options: ["intervalMs": 10])
        while client.tick < 3 { try client.step() }
        for number in 0..<20 {
            served.folder.remove(Array("n\(number)".utf8))
            served.folder.write("m\(number)")
        }
        served.folder.write("extra")
        while !client.isFinished || client.rows < 302 || client.frames.count != client.rows {
            try client.step()
        }
        #expect(client.rows == 302)
        // One that is stopped while cells move.
        _ = try Client(served.daemon, options: ["start": "random"])
        let other = try served.daemon.connect()
        try other.call("daemon.stop")
        #expect(waitUntil { !served.daemon.process.isRunning })
        #expect(served.daemon.process.waitForExit() == .exited(code: 0))
    }

    @Test("a short session gets its frames before the end")
    func oneGo() throws {
        let served = try ServedFolder { folder, _ in
            for number in 0..<2000 { folder.write("n\(number)") }
        }
        try served.daemon.connect().sync()
        let connection = try served.daemon.connect()
        try connection.send(
            """
            {"id":1,"method":"items.open","params":{"window":{"count":null}}}
            {"id":2,"method":"layout.open","params":{"items":1,"kind":"grid","bounds":[900,600]}}

            """)
        try connection.finishSending()
        var frames = 0
        while let line = try connection.readLine() {
            let message = try JSONValue(
                parsing: line, limits: JSONLimits(depth: 32, bytes: 2 << 20))
            frames += message["params"]?["frames"]?.arrayValue?.count ?? 0
        }
        #expect(frames == 2001)
    }
}
