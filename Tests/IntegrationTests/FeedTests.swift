// Likes, drops and pages, with a daemon, a folder and a disk.

import Foundation
import Glibc
import JSONText
import SystemInterface
import SystemdEventLoop
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("Feed")
    struct FeedTests {
        /// A folder to serve, a state folder, and the daemons that run there, one after another.
        private final class Served {
            let place: TemporaryFolder
            private(set) var daemon: DaemonUnderTest
            private(set) var client: TestConnection

            init(_ names: [String] = ["a.md", "b.md", "c.md"], under wrapper: [String] = []) throws
            {
                place = try TemporaryFolder()
                try place.makeFolder("root")
                for name in names { try place.write("root/" + name, "content of \(name)") }
                daemon = try Self.start(place, wrapper)
                client = try daemon.connect()
                try sync()
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
                try sync()
            }

            func sync() throws {
                try client.call("sync", ["timeoutMs": JSONValue(patienceMilliseconds)])
            }

            func key(_ path: String) throws -> JSONValue {
                try client.call("documents.get", ["path": JSONValue(path)]).value()["key"] ?? .null
            }

            func like(_ path: String, _ liked: Bool = true) throws {
                try client.call("items.like", ["key": try key(path), "liked": JSONValue(liked)])
            }

            func drop(_ path: String) throws {
                try client.call("items.drop", ["key": try key(path)])
            }

            /// The paths of the list as it is on disk now, with what is liked marked.
            func list() throws -> [String] {
                try sync()
                let result = try client.call(
                    "items.get", ["window": ["count": .null], "sort": "path"]
                ).value()
                return (result["items"]?.arrayValue ?? []).compactMap { item in
                    item["path"]?.stringValue.map { item["liked"] == true ? "♥" + $0 : $0 }
                }
            }

            /// Writes a file beside and renames it over.
            func save(_ path: String, _ contents: String) throws {
                try place.write("root/.saving", contents)
                // Both are C strings for the length of the call.
                let result = unsafe rename(place.path("root/.saving"), place.path("root/" + path))
                #expect(result == 0)
            }

            var info: JSONValue {
                get throws { try client.call("daemon.info").value()["feed"] ?? .null }
            }
        }

        @Test(
            "Likes and drops follow renames and saves, and outlive the daemon however it ends",
            arguments: [SIGTERM, SIGKILL])
        func life(_ signal: Int32) throws {
            let served = try Served()
            try served.like("a.md")
            try served.drop("b.md")
            #expect(try served.list() == ["♥a.md", "c.md"])
            try served.restart(signal)
            #expect(try served.list() == ["♥a.md", "c.md"])

            try served.place.makeFolder("root/sub")
            try served.place.move("root/a.md", to: "root/sub/a2.md")
            #expect(try served.list() == ["c.md", "♥sub/a2.md"])
            try served.save("sub/a2.md", "saved by a rename")
            #expect(try served.list() == ["c.md", "♥sub/a2.md"])
            try served.place.write("root/sub/a2.md", "and in place")
            try served.place.move("root/sub", to: "root/moved")
            #expect(try served.list() == ["c.md", "♥moved/a2.md"])
            try served.place.move("root/b.md", to: "root/b2.md")
            #expect(try served.list() == ["c.md", "♥moved/a2.md"])
            try served.restart(signal)
            #expect(try served.list() == ["c.md", "♥moved/a2.md"])
            #expect(try served.key("b2.md") != .null, "what is dropped can still be got")

            try served.restart(signal) {
                try served.place.move("root/moved/a2.md", to: "root/a3.md")
                try served.place.write("root/new.md", "new")
                try served.save("b2.md", "another file by now")
            }
            #expect(try served.list() == ["♥a3.md", "c.md", "new.md"])
            try served.client.call("items.restore", ["all": true])
            try served.like("a3.md", false)
            try served.restart(signal)
            #expect(try served.list() == ["a3.md", "b2.md", "c.md", "new.md"])
            #expect(!served.daemon.process.standardError.contains("warning"))
        }

        @Test("A file that is removed and put back is liked again, a copy beside it is not")
        func putBack() throws {
            let served = try Served()
            try served.like("a.md")
            try served.place.remove("root/a.md")
            #expect(try served.list() == ["b.md", "c.md"])
            #expect(try served.info["gone"] == 1)
            try served.place.write("root/copy.md", "content of a.md")
            try served.restart(SIGKILL)
            #expect(try served.list() == ["b.md", "c.md", "copy.md"])
            try served.place.write("root/a.md", "from a backup")
            #expect(try served.list() == ["♥a.md", "b.md", "c.md", "copy.md"])
        }

        @Test("A document made under the name of a dropped one is listed")
        func madeAnew() throws {
            let served = try Served()
            try served.drop("a.md")
            try served.place.remove("root/a.md")
            try served.sync()
            try served.client.call("documents.create", ["name": "a.md"])
            #expect(try served.list() == ["a.md", "b.md", "c.md"])
            try served.restart(SIGTERM)
            #expect(try served.list() == ["a.md", "b.md", "c.md"])
        }

        @Test("Killed while likes are stored: each that was answered is there, none out of turn")
        func killedWithin() throws {
            let names = (0..<400).map { "n\(1000 + $0).md" }
            let served = try Served(names)
            let keys = try names.map { try served.key($0) }
            for (index, key) in keys.enumerated() {
                try served.client.send(
                    WireLine.request(
                        id: .integer(Int64(index)), method: "items.like",
                        params: ["key": key, "liked": true]))
            }
            for index in 0..<150 { _ = try served.client.reply(to: .integer(Int64(index))) }
            try served.restart(SIGKILL)
            let liked = try served.list().filter { $0.hasPrefix("♥") }
            #expect(liked.count >= 150)
            #expect(liked == names.prefix(liked.count).map { "♥" + $0 })
        }

        @Test("A spoilt database is put aside with a word, and the daemon serves on")
        func spoilt() throws {
            let served = try Served()
            try served.like("a.md")
            try served.restart(SIGTERM) {
                try served.place.write("state/feed/marks.sqlite", "spoilt")
            }
            #expect(served.daemon.process.standardError.contains("marks-aside-1.damaged"))
            #expect(try served.list() == ["a.md", "b.md", "c.md"])
            try served.like("c.md")
            try served.restart(SIGKILL)
            #expect(try served.list() == ["a.md", "b.md", "♥c.md"])
        }

        /// What somebody does to the state folder while the daemon runs.
        enum Deed: String, CaseIterable {
            case feedRemoved, eventsRemoved, stateRemoved, feedRenamed, stateRenamed
            case stateEmptied, stateCopied, databaseRemoved, lockRemoved, markRemoved

            func `do`(in place: TemporaryFolder, copy: String) throws {
                switch self {
                case .feedRemoved: try place.remove("state/feed")
                case .eventsRemoved: try place.remove("state/events")
                case .stateRemoved: try place.remove("state")
                case .feedRenamed: try place.move("state/feed", to: "away")
                case .stateRenamed: try place.move("state", to: "away")
                case .stateEmptied:
                    try place.move("state", to: "away")
                    try place.makeFolder("state")
                case .stateCopied:
                    try place.move("state", to: "away")
                    try place.move(copy, to: "state")
                case .databaseRemoved: try place.remove("state/feed/marks.sqlite")
                case .lockRemoved: try place.remove("state/feed/lock")
                case .markRemoved: try place.remove("state/events/mark")
                }
            }
        }

        @Test(
            "Whatever becomes of the state folder: it is told, and what was acknowledged is kept",
            arguments: Deed.allCases, [true, false])
        func misplaced(_ deed: Deed, likesOn: Bool) throws {
            let served = try Served()
            let listener = try served.daemon.connect()
            try listener.call("events.subscribe", ["topics": ["daemon.*"]], id: 1)
            func publish() throws -> Int64 {
                try served.client.call("events.publish", ["topic": "app.x"]).value()["seq"]?
                    .integerValue ?? 0
            }
            func events() throws -> JSONValue {
                try served.client.call("daemon.info").value()["events"] ?? .null
            }
            let epoch = try events()["epoch"]
            try served.like("a.md")
            _ = try publish()
            // As old as a backup is.
            try FileManager.default.copyItem(
                atPath: served.place.path("state"), toPath: served.place.path("copy"))
            try served.drop("b.md")
            for _ in 0..<9 { _ = try publish() }
            try deed.do(in: served.place, copy: "copy")
            if likesOn {
                // Acknowledged at last, be it refused before.
                let isKept = try waitUntil {
                    do {
                        try served.like("c.md", true)
                        return true
                    } catch TestConnection.Failure.refused(let code, _) {
                        #expect(code == 1012)
                        return false
                    }
                }
                #expect(isKept)
            }
            _ = try publish()
            try listener.waitForNotification()
            let told = try #require(listener.takeNotifications().first).params.value()
            #expect(told["topic"] == "daemon.degraded", "\(told)")
            #expect(
                try waitUntil {
                    try served.info["degraded"] == nil && events()["degraded"] == nil
                        && served.daemon.process.standardError.contains("again, in")
                })
            let last = try publish()
            try served.restart(SIGKILL)
            #expect(try served.list() == ["♥a.md", likesOn ? "♥c.md" : "c.md"])
            let next = try publish()
            if try events()["epoch"] == epoch { #expect(next > last, "no number is given twice") }
            try served.restart(SIGTERM)
            #expect(try served.list() == ["♥a.md", likesOn ? "♥c.md" : "c.md"])
        }

        @Test("On a full disk a like is refused and nothing changes; with room, it goes on")
        func full() throws {
            let names = (0..<300).map { String(repeating: "x", count: 200) + "\($0)" }
            // A process whose files may have 64 KiB meets the same wall as one on a full disk.
            let served = try Served(
                names, under: ["/bin/bash", "-c", "ulimit -S -f 64; exec \"$@\"", "sh"])
            var liked = 0
            var refusal: String?
            for name in names where refusal == nil {
                do {
                    try served.like(name)
                    liked += 1
                } catch TestConnection.Failure.refused(let code, let message) {
                    #expect(code == 1012)
                    refusal = message
                }
            }
            #expect(refusal?.contains("nothing was changed") == true, "\(liked) fitted")
            #expect(try served.list().filter { $0.hasPrefix("♥") }.count == liked)
            #expect(try served.info["degraded"] != nil)
            #expect(served.daemon.process.standardError.contains("can't be stored"))
            let raised = try SpawnedProcess(
                "/usr/bin/prlimit",
                ["--pid", "\(served.daemon.process.pid)", "--fsize=unlimited:unlimited"])
            #expect(raised.waitForExit() == .exited(code: 0), "\(raised.standardError)")
            for name in names { try served.like(name) }
            #expect(try served.info["degraded"] == nil)
            try served.restart(SIGKILL)
            #expect(try served.list().filter { $0.hasPrefix("♥") }.count == names.count)
        }

        @Test("A second daemon with the same state folder shows what it finds, and stores nothing")
        func shared() throws {
            let served = try Served()
            try served.like("a.md")
            let second = try DaemonUnderTest(
                [served.place.path("root"), "--state", served.place.path("state")],
                socket: served.place.path("other"))
            let client = try second.connect()
            try client.call("sync", ["timeoutMs": JSONValue(patienceMilliseconds)])
            let key = try client.call("documents.get", ["path": "b.md"]).value()["key"] ?? .null
            #expect(throws: TestConnection.Failure.self) {
                try client.call("items.like", ["key": key])
            }
            #expect(second.process.standardError.contains("another daemon keeps its marks"))
            try served.like("c.md")
            #expect(try served.list() == ["♥a.md", "b.md", "♥c.md"])
        }

        @Test("Pages read while the folder changes have each file that stayed once, in order")
        func pages() throws {
            let served = try Served((0..<120).map { "f\(100 + $0).txt" })
            var seen: [String] = []
            var request: JSONObject = ["size": 10, "sort": "name"]
            var untouched = Set((0..<120).map { "f\(100 + $0).txt" })
            var round = 0
            repeat {
                let page = try served.client.call("items.page", request).value()
                seen += (page["results"]?.arrayValue ?? []).compactMap { $0["path"]?.stringValue }
                request["token"] = page["token"]
                request["index"] = page["nextPageIndex"]
                // Before, within and behind what has been read.
                for number in [round, 3 * round + 30, 119 - 4 * round] {
                    let name = "f\(100 + number).txt"
                    guard untouched.remove(name) != nil else { continue }
                    try served.place.move("root/" + name, to: "root/e\(round)-\(number).txt")
                }
                try served.place.write("root/a\(round).txt")
                try served.place.write("root/f10\(round)-new.txt")
                try served.sync()
                round += 1
            } while request["index"] != .null
            #expect(seen.filter(untouched.contains) == untouched.sorted())
            #expect(round >= 10 && untouched.count < 100)
        }

        @Test("pickerctl likes, drops, restores and pages")
        func commands() throws {
            let served = try Served()
            func run(_ arguments: String...) throws -> (ChildExit?, String, String) {
                let process = try SpawnedProcess(
                    try SpawnedProcess.built("pickerctl"),
                    arguments + ["--socket", served.place.path("sock")],
                    environment: ["TZ": "UTC"])
                let exit = process.waitForExit()
                return (exit, process.standardOutput, process.standardError)
            }
            func paths(_ output: String) -> [String] {
                output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
            }
            #expect(
                try run("like", "a.md", served.place.path("root/b.md")) == (
                    .exited(code: 0), "", ""
                ))
            #expect(try served.list() == ["♥a.md", "♥b.md", "c.md"])
            #expect(try run("like", "--remove", "b.md").0 == .exited(code: 0))
            #expect(
                try run("like", "--toggle", "a.md", "c.md").1 == "not liked: a.md\nliked: c.md\n")
            let missing = try run("drop", "a.md", "nobody.md")
            #expect(missing.0 == .exited(code: 1) && missing.2.contains("nobody.md"))
            #expect(try served.list() == ["a.md", "b.md", "♥c.md"])
            #expect(try run("drop", "a.md", "c.md").0 == .exited(code: 0))
            #expect(try served.list() == ["b.md"])
            #expect(try run("restore", "c.md").0 == .exited(code: 0))
            #expect(try run("restore", "--all").0 == .exited(code: 0))
            #expect(try run("restore").0 == .exited(code: 2))
            let all = try run("feed", "--size", "2", "--sort", "-liked,name")
            #expect(all.0 == .exited(code: 0) && paths(all.1) == ["c.md", "a.md", "b.md"])
            #expect(all.1.contains("♥"))
            #expect(paths(try run("feed", "--size", "2", "--page", "2").1) == ["c.md"])
            #expect(try run("feed", "--page", "0").0 == .exited(code: 2))
            let json = try run("feed", "--json", "--size", "3", "--limit", "2").1
            #expect(json.split(separator: "\n").count == 2 && !json.contains(#""kind":"new""#))
        }
    }
}
