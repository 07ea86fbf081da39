// Clients that mean harm, or know no better, against the real process.

import Foundation
import JSONText
import PickerClient
import PickerModel
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("Hostile clients")
    struct HostileClientTests {
        /// How much the daemon may work for a right answer while nothing else is going on. Of what it has
        /// to do for others, or again and again, this would be far too little.
        private static let atOnce = Duration.seconds(1)

        /// The daemon does `body`, and next to nothing else meanwhile.
        private func expectAtOnce(_ daemon: DaemonUnderTest, _ body: () throws -> Void) throws {
            let start = try #require(ProcessorTime.of(daemon.process.pid))
            try body()
            let end = try #require(ProcessorTime.of(daemon.process.pid))
            #expect(end - start < Self.atOnce)
        }

        /// A normal client gets right answers at once.
        private func expectHealth(_ daemon: DaemonUnderTest, documents: Int) throws {
            try expectAtOnce(daemon) {
                let client = try daemon.connect()
                try client.call("daemon.ping")
                let result = try ItemsResult(
                    decoding: client.call(
                        "items.get", ["window": ["start": 0, "count": 5], "sort": "name"]))
                #expect(result.total == documents + 1)
                #expect(result.items.first == .new)
            }
        }

        /// How many descriptors the daemon has open while it has read its folder and no client.
        private func descriptorsAtRest(_ daemon: DaemonUnderTest) throws -> Int {
            let client = try daemon.connect()
            try client.sync()
            // What is done when there is nothing else to do: plugins are looked for by a thread.
            #expect(
                try waitUntil {
                    try client.call("daemon.ping")
                    return daemon.isAtRest
                })
            #expect(
                try waitUntil {
                    try DaemonStatus(decoding: client.call("daemon.info")).clients == 1
                })
            let count = daemon.descriptorCount - 1
            withExtendedLifetime(client) {}
            return count
        }

        @Test("500 clients at once are all answered, and leave nothing behind")
        func manyClients() throws {
            let served = try ServedFolder { folder, _ in folder.write("a.md") }
            let daemon = served.daemon
            let descriptors = try descriptorsAtRest(daemon)
            #expect(waitUntil { daemon.descriptorCount == descriptors })
            var resident: [Int] = []
            for _ in 0..<3 {
                var clients: [TestConnection] = []
                for _ in 0..<500 { clients.append(try daemon.connect()) }
                for client in clients {
                    try client.send("{\"id\":1,\"method\":\"daemon.ping\"}\n")
                }
                for client in clients { _ = try client.reply(to: 1) }
                #expect(daemon.descriptorCount == descriptors + 500)
                clients = []
                #expect(waitUntil { daemon.descriptorCount == descriptors })
                resident.append(daemon.residentKilobytes)
            }
            print("500 clients, three times: resident \(resident) KiB")
            #expect(resident[2] - resident[0] < 2048)
            try expectHealth(daemon, documents: 1)
        }

        @Test("Silence, broken lines and slow senders disturb nobody")
        func brokenLines() throws {
            let served = try ServedFolder { folder, _ in folder.write("a.md") }
            let daemon = served.daemon
            let descriptors = try descriptorsAtRest(daemon)
            var silent: [TestConnection] = [try daemon.connect()]
            for cut in [1, 10, 30] {
                let client = try daemon.connect()
                let request = Array("{\"id\":1,\"method\":\"items.open\"}\n".utf8)
                try client.send(Array(request.prefix(cut)))
            }
            // A request byte by byte, twenty of them at once.
            let slow = try (0..<20).map { _ in try daemon.connect() }
            for byte in "{\"id\":7,\"method\":\"daemon.ping\"}\n".utf8 {
                for client in slow { try client.send([byte]) }
            }
            for client in slow { _ = try client.reply(to: 7) }
            // Ends its side in mid-line: it is owed one answer, and gets it.
            let half = try daemon.connect()
            try half.send("{\"id\":1,\"method\":\"daemon.ping\"}\n{\"id\":2,\"meth")
            try half.finishSending()
            _ = try half.reply(to: 1)
            #expect(try half.readLine() == nil)
            try expectHealth(daemon, documents: 1)
            // The silent one is still served.
            try silent[0].call("daemon.ping")
            silent = []
            withExtendedLifetime(slow) {
                #expect(waitUntil { daemon.descriptorCount <= descriptors + slow.count + 1 })
            }
        }

        @Test("Each hostile line gets its error, and the connection stays")
        func hostileLines() throws {
            let served = try ServedFolder()
            let client = try served.daemon.connect()
            let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
            let lines: [(line: [UInt8], code: Int)] = [
                (Array("hello".utf8), -32700),
                ([0x22, 0xFF, 0xFE, 0x22], -32700),
                (Array("{\"id\":1,\"method\":\"\u{0}\"}".utf8), -32700),
                (Array("[]".utf8), -32600),
                (Array("[{\"id\":1,\"method\":\"daemon.ping\"}]".utf8), -32600),
                (Array("5".utf8), -32600),
                (Array("{}".utf8), -32600),
                (Array("{\"id\":null,\"method\":\"daemon.ping\"}".utf8), -32600),
                (Array("{\"id\":1.5,\"method\":\"daemon.ping\"}".utf8), -32600),
                (Array("{\"id\":{},\"method\":\"daemon.ping\"}".utf8), -32600),
                ([UInt8](repeating: UInt8(ascii: "x"), count: 2 << 20), 1008),
                (Array("{\"id\":1,\"method\":\"no.such\"}".utf8), -32601),
                (Array("{\"id\":1,\"method\":\"items.open\",\"params\":[]}".utf8), -32602),
                (
                    Array("{\"id\":1,\"method\":\"items.open\",\"params\":{\"sort\":{}}}".utf8),
                    -32602
                ),
                (
                    Array("{\"id\":1,\"method\":\"items.get\",\"params\":{\"search\":1}}".utf8),
                    -32602
                ),
            ]
            for (line, code) in lines {
                try client.send(line + [0x0A])
                let shown = String(decoding: line.prefix(80), as: UTF8.self)
                #expect(try errorCode(client) == code, "\(shown)")
                try client.call("daemon.ping")
            }
            // 40 levels deep: an error, whichever, and no more than that.
            try client.send("{\"id\":1,\"method\":\"daemon.ping\",\"params\":{\"a\":\(deep)}}\n")
            #expect(try errorCode(client) == 1008)
            try client.call("daemon.ping")
        }

        private func errorCode(_ client: TestConnection) throws -> Int? {
            guard let line = try client.readLine() else { return nil }
            let error = try JSONView(validating: line).object()["error"]?.object()
            return error?["code"]?.integerValue.map { Int($0) }
        }

        @Test("Floods of garbage are answered line by line, and memory returns")
        func garbage() throws {
            try withSeed { random in
                let served = try ServedFolder { folder, _ in folder.write("a.md") }
                let daemon = served.daemon
                let descriptors = try descriptorsAtRest(daemon)
                var resident = [daemon.residentKilobytes]
                for _ in 0..<4 {
                    for _ in 0..<8 { try flood(daemon, &random) }
                    #expect(waitUntil { daemon.descriptorCount == descriptors })
                    resident.append(daemon.residentKilobytes)
                }
                try expectHealth(daemon, documents: 1)
                print("32 floods of 1 MiB: resident \(resident) KiB")
                #expect(resident[4] - resident[1] < 4096)
                #expect(resident[4] - resident[0] < 24 << 10)
            }
        }

        /// 1 MiB of random bytes; half of the clients read what they are told, half don't.
        private func flood(_ daemon: DaemonUnderTest, _ random: inout SeededRandom) throws {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(1 << 20)
            while bytes.count < 1 << 20 {
                unsafe withUnsafeBytes(of: random.next()) { unsafe bytes.append(contentsOf: $0) }
            }
            let client = try daemon.connect()
            guard random.chance(0.5) else {
                // As much as the daemon takes, then gone.
                var sent = 0
                while sent < bytes.count {
                    let count = try client.sendSome(bytes, from: sent)
                    if count == 0 { break }
                    sent += count
                }
                return
            }
            let lines = bytes.split(separator: 0x0A).filter { $0 != [0x0D] }
            // In parts, since the daemon reads on only while its answers are taken.
            var answers = 0
            var sent = 0
            while sent < bytes.count {
                sent += try client.sendSome(bytes, from: sent)
                while answers < lines.count,
                    let line = try? client.readLine(within: .milliseconds(1))
                {
                    try expectError(line)
                    answers += 1
                }
            }
            try client.send([0x0A])
            while answers < lines.count, let line = try client.readLine() {
                try expectError(line)
                answers += 1
            }
            #expect(answers == lines.count)
            try client.call("daemon.ping")
        }

        private func expectError(_ line: [UInt8]) throws {
            let message = try JSONView(validating: line).object()
            let code = try message["error"]?.object()["code"]?.integerValue
            if code != -32700, code != -32600 {
                Issue.record("\(String(decoding: line, as: UTF8.self))")
            }
        }

        @Test("A client that never reads costs bounded memory during 20,000 events")
        func neverReads() throws {
            let served = try ServedFolder(arguments: []) { folder, _ in
                for number in 0..<500 { folder.write("file \(number).md", number) }
            }
            let daemon = served.daemon
            let descriptors = try descriptorsAtRest(daemon)
            let before = daemon.residentKilobytes
            var deaf: [TestConnection] = []
            for _ in 0..<5 {
                let client = try daemon.connect()
                client.shrinkReceiveBuffer()
                for id in 1...4 {
                    let params = WantedList(sort: .date).params
                    try client.send(
                        WireLine.request(
                            id: .integer(Int64(id)), method: "items.open", params: params))
                }
                try client.send(
                    WireLine.request(id: 9, method: "events.subscribe", params: ["topics": ["*"]]))
                deaf.append(client)
            }
            let normal = try daemon.connect()
            let opened = daemon.residentKilobytes
            for burst in 0..<40 {
                let data: JSONValue = [
                    "burst": JSONValue(burst), "text": "some hundred bytes or so",
                ]
                var requests: [UInt8] = []
                for number in 0..<500 {
                    requests += WireLine.request(
                        id: .integer(Int64(number)), method: "events.publish",
                        params: ["topic": "test.flood", "data": data])
                }
                try normal.send(requests)
                for number in 0..<500 { _ = try normal.reply(to: .integer(Int64(number))) }
                for number in 0..<50 {
                    served.folder.append(Array("file \((burst * 7 + number) % 500).md".utf8), 1)
                }
                try normal.sync()
            }
            let flooded = daemon.residentKilobytes
            try expectAtOnce(daemon) { try normal.call("daemon.ping") }
            // The events kept for replay are the daemon's own, at most 24 MiB of them.
            #expect(flooded - opened < 48 << 10)
            deaf = []
            #expect(waitUntil { daemon.descriptorCount == descriptors + 1 })
            try expectHealth(daemon, documents: 500)
            print(
                "five deaf clients with 20 lists, 20,000 events: resident \(before) KiB, "
                    + "\(opened) opened, \(flooded) flooded, \(daemon.residentKilobytes) after")
        }
    }
}
