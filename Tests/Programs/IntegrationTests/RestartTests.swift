// Events that outlive the daemon that carried them.

import EventLoops
import Foundation
import Glibc
import JSONText
import SystemInterface
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("Restarts")
    struct RestartTests {
        /// A folder to serve, a state folder, and the daemons that run there, one after another.
        private final class Served {
            let place: TemporaryFolder
            private(set) var daemon: DaemonUnderTest
            private(set) var client: TestConnection

            init(under wrapper: [String] = [], prepare: (TemporaryFolder) throws -> Void = { _ in })
                throws
            {
                place = try TemporaryFolder()
                try place.makeFolder("root")
                try prepare(place)
                daemon = try Self.start(place, wrapper)
                client = try daemon.connect()
            }

            private static func start(
                _ place: TemporaryFolder, _ wrapper: [String] = []
            ) throws -> DaemonUnderTest {
                try DaemonUnderTest(
                    [place.path("root"), "--state", place.path("state")],
                    socket: place.path("sock"), under: wrapper)
            }

            /// Ends the daemon with `signal`, has `meanwhile` done, and starts another.
            func restart(_ signal: Int32, meanwhile: () throws -> Void = {}) throws {
                daemon.process.kill(signal)
                let expected: ChildExit =
                    signal == SIGKILL ? .killed(signal: SIGKILL) : .exited(code: 0)
                #expect(daemon.process.waitForExit() == expected)
                try meanwhile()
                daemon = try Self.start(place)
                client = try daemon.connect()
                // The socket listens before all is read.
                try client.call("daemon.ping")
            }

            /// Publishes so many events; answers the number of the last.
            func publish(_ count: Int, data: String = "x") throws -> Int {
                var last = 0
                for index in 0..<count {
                    let reply = try client.call(
                        "events.publish",
                        [
                            "topic": "app.saved",
                            "data": ["i": JSONValue(index), "d": JSONValue(data)],
                        ])
                    last = Int(try reply.object()["seq"]?.integerValue ?? 0)
                }
                return last
            }

            var info: JSONValue {
                get throws { try client.call("daemon.info").value()["events"] ?? .null }
            }

            var epoch: String {
                get throws { try info["epoch"]?.stringValue ?? "" }
            }

            /// Waits until all events up to this number are stored.
            func stored(_ number: Int) throws -> Bool {
                try waitUntil { try info["stored"]?.integerValue ?? 0 >= Int64(number) }
            }

            /// The numbers of the events after `since`, up to the newest, and how many were lost.
            func events(since: String, upTo last: Int) throws -> (numbers: [Int], lost: Int) {
                let reply = try client.call(
                    "events.subscribe", ["topics": ["*"], "since": JSONValue(since)], id: "since")
                var numbers: [Int] = []
                while numbers.last ?? 0 < last {
                    for event in client.takeNotifications() where event.method == "event" {
                        numbers.append(Int(try event.params.object()["seq"]?.integerValue ?? 0))
                    }
                    if numbers.last ?? 0 < last { try client.waitForNotification() }
                }
                try client.call("events.unsubscribe", ["sub": "since"])
                return (numbers, Int(try reply.object()["lost"]?.integerValue ?? -1))
            }

            var segments: [String] {
                let names = try? FileManager.default.contentsOfDirectory(
                    atPath: place.path("state/events"))
                return (names ?? []).filter { $0.hasSuffix(".log") }.sorted()
            }
        }

        @Test("After a kill all events but the last second's are there, in the same epoch")
        func killed() throws {
            let served = try Served()
            let epoch = try served.epoch
            for _ in 0..<3 {
                let last = try served.publish(50)
                #expect(try served.stored(last))
                let lateLast = try served.publish(5)
                try served.restart(SIGKILL)
                #expect(try served.epoch == epoch)
                let next = try served.publish(1)
                #expect(next > lateLast, "a number that was seen is not given again")
                let (numbers, lost) = try served.events(since: "\(epoch):\(last - 50)", upTo: next)
                #expect(Array(numbers.prefix(50)) == Array((last - 49)...last))
                #expect(numbers.count + lost == next - (last - 50))
                #expect(lost <= 5 + 1)
            }
            #expect(served.daemon.process.standardError.contains("warning") == false)
        }

        @Test("After a clean end no event is lost, not even that of the stop")
        func ended() throws {
            let served = try Served()
            let epoch = try served.epoch
            let last = try served.publish(20)
            try served.restart(SIGTERM)
            #expect(try served.epoch == epoch)
            let (numbers, lost) = try served.events(since: "\(epoch):0", upTo: last + 2)
            #expect(lost == 0)
            #expect(numbers == Array(1...(last + 2)))
            let replayed = try served.client.call(
                "events.replay", ["topics": ["daemon.stopping"]]
            ).value()
            #expect(replayed["events"]?.arrayValue?.count == 1)
        }

        @Test("A torn end is cut off and logged, and earlier events are there")
        func torn() throws {
            let served = try Served()
            let epoch = try served.epoch
            let last = try served.publish(20)
            #expect(try served.stored(last))
            try served.restart(SIGKILL) {
                let name = try #require(served.segments.last)
                let path = served.place.path("state/events/" + name)
                let file = try #require(FileHandle(forUpdatingAtPath: path))
                try file.truncate(atOffset: file.seekToEnd() - 3)
            }
            let log = served.daemon.process.standardError
            #expect(log.contains("events-00000000000000000001.log"), "\(log)")
            #expect(log.contains("cut off") && log.contains("are kept"), "\(log)")
            let next = try served.publish(1)
            let (numbers, lost) = try served.events(since: "\(epoch):0", upTo: next)
            #expect(Array(numbers.prefix(last - 1)) == Array(1...(last - 1)))
            #expect(numbers.count + lost == next)
        }

        @Test(
            "A full disk stops storing, which is reported; a reload with room resumes it"
        )
        func full() throws {
            // A process whose files may have 16 KiB meets the same wall as one on a full disk.
            let served = try Served(
                under: ["/bin/bash", "-c", "ulimit -S -f 16; exec \"$@\"", "sh"])
            let listener = try served.daemon.connect()
            try listener.call("events.subscribe", ["topics": ["daemon.*"]], id: 1)
            let before = try served.publish(10)
            #expect(try served.stored(before))
            let large = try served.publish(30, data: String(repeating: "x", count: 1000))
            try listener.waitForNotification()
            let told = try #require(listener.takeNotifications().first).params.value()
            #expect(told["topic"] == "daemon.degraded")
            #expect(told["data"]?["what"] == "events-store")
            #expect(told["data"]?["reason"]?.stringValue?.contains("EFBIG") == true, "\(told)")
            #expect(try served.info["degraded"] != nil)
            #expect(served.daemon.process.standardError.contains("pickerctl reload"))
            #expect(try served.publish(1) > large, "the bus lives on")

            let raised = try SpawnedProcess(
                "/usr/bin/prlimit",
                ["--pid", "\(served.daemon.process.pid)", "--fsize=unlimited:unlimited"])
            #expect(raised.waitForExit() == .exited(code: 0), "\(raised.standardError)")
            try served.client.call("daemon.reload")
            #expect(try waitUntil { try served.info["degraded"] == nil })
            let last = try served.publish(1)
            let epoch = try served.epoch
            #expect(try served.stored(last))
            try served.restart(SIGKILL)
            let (numbers, lost) = try served.events(since: "\(epoch):0", upTo: last)
            #expect(lost == 0 && Array(numbers.prefix(last)) == Array(1...last))
        }

        @Test("A second daemon with the same state folder runs without it, and says so")
        func shared() throws {
            let served = try Served()
            let last = try served.publish(5)
            let second = try DaemonUnderTest(
                [served.place.path("root"), "--state", served.place.path("state")],
                socket: served.place.path("other"))
            let client = try second.connect()
            let info = try client.call("daemon.info").value()["events"]
            #expect(info?["degraded"]?.stringValue?.contains("another daemon") == true)
            #expect(second.process.standardError.contains(served.place.path("state/events")))
            try client.call("events.publish", ["topic": "app.other"])
            #expect(try served.publish(1) == last + 1)
            #expect(try served.stored(last + 1))
        }

        @Test("With the setting off, it leaves the state folder alone")
        func off() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("root")
            try place.write(
                "config.toml",
                "[plugins.events]\nstore = false\n[plugins.documents]\nstore = false\n")
            let daemon = try DaemonUnderTest(
                [
                    place.path("root"), "--config", place.path("config.toml"), "--state",
                    place.path("state"),
                ],
                socket: place.path("sock"))
            let client = try daemon.connect()
            try client.call("events.publish", ["topic": "app.saved"])
            daemon.process.kill(SIGTERM)
            #expect(daemon.process.waitForExit() == .exited(code: 0))
            #expect(!FileManager.default.fileExists(atPath: place.path("state")))
            #expect(!daemon.process.standardError.contains("not kept"))
        }

        @Test("The state folder is --state, else the service manager's, else the user's")
        func places() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("root")
            var environment = ["HOME": place.path("home")]
            for (variable, value, folder) in [
                ("", "", "home/.local/state/pickerd"), ("XDG_STATE_HOME", "xdg", "xdg/pickerd"),
                ("STATE_DIRECTORY", "unit", "unit"),
            ] {
                if !variable.isEmpty { environment[variable] = place.path(value) }
                let daemon = try DaemonUnderTest(
                    [place.path("root")], socket: place.path("sock"), environment: environment)
                try daemon.connect().call("daemon.ping")
                #expect(
                    FileManager.default.fileExists(atPath: place.path(folder + "/events/mark")),
                    "\(folder): \(daemon.process.standardError)")
            }
        }
    }
}
