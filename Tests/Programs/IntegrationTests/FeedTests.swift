// Likes, drops and pages, with a daemon, a folder and a disk.

import EventLoops
import Foundation
import Glibc
import JSONText
import SystemInterface
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("Feed")
    struct FeedTests {
        @Test(
            "Likes and drops follow renames and saves, and outlive the daemon however it ends",
            arguments: [SIGTERM, SIGKILL])
        func life(_ signal: Int32) throws {
            let served = try ServedFeed()
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
            let served = try ServedFeed()
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

        @Test("A document created under the name of a dropped one is listed")
        func madeAnew() throws {
            let served = try ServedFeed()
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
            let served = try ServedFeed(names)
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

        @Test("A damaged database is set aside and reported, and the daemon continues")
        func spoilt() throws {
            let served = try ServedFeed()
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

        @Test("On a full disk a like is refused without changes; with room it works again")
        func full() throws {
            let names = (0..<300).map { String(repeating: "x", count: 200) + "\($0)" }
            // A process whose files may have 64 KiB meets the same wall as one on a full disk.
            let served = try ServedFeed(
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

        @Test("A second daemon with the same state folder lists documents, and stores nothing")
        func shared() throws {
            let served = try ServedFeed()
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
            #expect(second.process.standardError.contains("stored: another daemon uses"))
            try served.like("c.md")
            #expect(try served.list() == ["♥a.md", "b.md", "♥c.md"])
        }

        @Test("Pages read while the folder changes have each file that stayed once, in order")
        func pages() throws {
            let served = try ServedFeed((0..<120).map { "f\(100 + $0).txt" })
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
            let served = try ServedFeed()
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
