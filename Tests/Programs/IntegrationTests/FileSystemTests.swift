// What file systems and the kernel's queue do to a watcher that runs for months.

import EventLoops
import Foundation
import Glibc
import JSONText
import PickerClient
import PickerModel
import SystemInterface
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("File system faults")
    struct FileSystemTests {
        /// After a sync the daemon knows just what is on disk.
        private func expectTruth(
            _ client: TestConnection, _ folder: RealFolder, root: String? = nil,
            _ location: SourceLocation = #_sourceLocation
        ) throws {
            try client.sync()
            try compare(client, folder, root: root, location)
        }

        private func compare(
            _ client: TestConnection, _ folder: RealFolder, root: String? = nil,
            _ location: SourceLocation
        ) throws {
            struct Row: Hashable {
                let path: Path
                let size: Int64
                let modified: Double
            }
            let known = try client.allDocuments().filter { $0.root == root ?? folder.text }
            let rows = Set(
                known.map { Row(path: $0.path.trueBytes, size: $0.size, modified: $0.modified) })
            let wanted = Set(
                folder.walk().files.map {
                    Row(
                        path: $0.path, size: Int64($0.size),
                        modified: $0.modified.secondsSince1970)
                })
            #expect(rows.count == known.count, sourceLocation: location)
            let missing = wanted.subtracting(rows)
            let extra = rows.subtracting(wanted)
            #expect(
                missing.isEmpty && extra.isEmpty,
                """
                \(missing.count) missing or wrong, as \(missing.first.map { "\($0)" } ?? "none"); \
                \(extra.count) not on disk, as \(extra.first.map { "\($0)" } ?? "none")
                """, sourceLocation: location)
        }

        private func rootState(_ client: TestConnection) throws -> String? {
            try DaemonStatus(decoding: client.call("daemon.info")).roots.first?.state
        }

        @Test("Files that vanish between their event and the check")
        func vanishing() throws {
            let served = try ServedFolder()
            let client = try served.daemon.connect()
            let folder = served.folder
            for number in 0..<20_000 {
                let path = Array("f\(number % 50)".utf8)
                folder.write(path, 1)
                if number % 97 != 0 || number < 19_000 { folder.remove(path) }
                if number % 500 == 0 {
                    let deep = Array("d\(number)".utf8)
                    folder.makeFolder(deep)
                    folder.write(deep + Array("/g".utf8))
                    folder.removeTree(deep)
                }
            }
            try expectTruth(client, folder)
        }

        @Test("20,000 files at once: after a sync the list is what is on disk")
        func manyFiles() throws {
            let served = try ServedFolder()
            let client = try served.daemon.connect()
            for number in 0..<20_000 {
                if number % 1000 == 0 { served.folder.makeFolder(Array("d\(number)".utf8)) }
                served.folder.write("d\(number / 1000 * 1000)/file \(number)")
            }
            let start = ContinuousClock.now
            try client.sync()
            print(
                "20,000 files: sync took \(ContinuousClock.now - start), resident "
                    + "\(served.daemon.residentKilobytes) KiB")
            try expectTruth(client, served.folder)
        }

        @Test("A queue overflow is repaired by a rescan, and both are reported")
        func overflow() throws {
            let limit = try String(
                contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8
            ).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let limit = Int(limit), limit <= 100_000 else {
                print("skipped: the kernel queues \(limit) events, too many to overflow here")
                return
            }
            let served = try ServedFolder { folder, _ in
                for number in 0..<1000 { folder.write("old \(number)", 1) }
            }
            let client = try served.daemon.connect()
            try client.sync()
            let keys = try keysByPath(client)
            try client.call("events.subscribe", ["topics": ["watch.*"]], id: "watch")
            served.daemon.process.kill(SIGSTOP)
            for number in 0..<(limit + 2000) {
                served.folder.write("new \(number)")
            }
            for number in 0..<500 {
                served.folder.move(
                    Array("old \(number)".utf8), Array("renamed \(number)".utf8))
            }
            for number in 500..<700 { served.folder.remove(Array("old \(number)".utf8)) }
            served.daemon.process.kill(SIGCONT)
            try expectTruth(client, served.folder)
            var topics: [String] = []
            let deadline = ContinuousClock.now + patience
            while !topics.contains("watch.rescanned"), ContinuousClock.now < deadline {
                try client.call("daemon.ping")
                topics += try client.takeNotifications().map {
                    try EventRecord(decoding: $0.params).topic
                }
            }
            // It reports its progress if it takes long.
            topics.removeAll { $0 == "watch.progress" }
            #expect(topics == ["watch.overflow", "watch.rescanned"])
            // Renames that nobody told of are found by the files themselves.
            let after = try keysByPath(client)
            let kept = (0..<500).filter { after["renamed \($0)"] == keys["old \($0)"] }
            #expect(kept.count == 500)
        }

        private func keysByPath(_ client: TestConnection) throws -> [String: String] {
            let documents = try client.allDocuments()
            return Dictionary(documents.map { ($0.path.text, $0.key) }) { one, _ in one }
        }

        @Test("The root is removed and created again")
        func rootComesAndGoes() throws {
            let served = try ServedFolder { folder, _ in
                for number in 0..<50 { folder.write("a\(number)") }
            }
            let client = try served.daemon.connect()
            try expectTruth(client, served.folder)
            for _ in 0..<3 {
                served.folder.removeTree([])
                #expect(try waitUntil { try rootState(client) == "missing" })
                try expectTruth(client, served.folder)
                served.folder.makeFolder([])
                served.folder.makeFolder(Array("sub".utf8))
                for number in 0..<30 { served.folder.write("sub/b\(number)") }
                #expect(try waitUntil { try rootState(client) == "watching" })
                try expectTruth(client, served.folder)
                served.folder.write("later")
                try expectTruth(client, served.folder)
            }
        }

        @Test("A root missing at the start is waited for")
        func rootMissingAtStart() throws {
            let place = try TemporaryFolder()
            let daemon = try DaemonUnderTest(
                [place.path("not/yet/here")], socket: place.path("s"))
            let client = try daemon.connect()
            #expect(try rootState(client) == "missing")
            try client.sync()
            let folder = RealFolder(place.path("not/yet/here"))
            try place.makeFolder("not/yet/here/below")
            folder.write("below/file", 3)
            #expect(try waitUntil { try rootState(client) == "watching" })
            try expectTruth(client, folder)
            #expect(try client.allDocuments().count == 1)
        }

        @Test("A root that is a symbolic link serves its target")
        func rootIsLink() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("real")
            try place.makeLink("link", to: place.path("real"))
            let real = RealFolder(place.path("real"))
            real.write("file", 3)
            let daemon = try DaemonUnderTest([place.path("link")], socket: place.path("s"))
            let client = try daemon.connect()
            try expectTruth(client, real, root: place.path("link"))
            real.write("another", 3)
            try expectTruth(client, real, root: place.path("link"))
            #expect(try client.allDocuments().count == 2)
        }

        @Test("An unreadable folder is degraded, and returns with its permission")
        func noPermission() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("root/secret")
            let folder = RealFolder(place.path("root"))
            folder.write("open.md", 1)
            folder.write("secret/hidden.md", 2)
            let secret = Array("secret".utf8)
            var wrapper: [String] = []
            if CurrentProcess.uid == 0 {
                // Root may read everything, so the daemon runs as somebody else here.
                guard let program = copyForNobody(place) else { return }
                wrapper = program
            } else {
                folder.setMode(secret, 0)
            }
            defer { folder.setMode(secret, 0o755) }
            let daemon = try DaemonUnderTest(
                [place.path("root")], socket: place.path("run/s"), under: wrapper)
            let client = try daemon.connect()
            try client.sync()
            #expect(try client.allDocuments().map(\.path.text) == ["open.md"])
            let info = try DaemonStatus(decoding: client.call("daemon.info"))
            let closed = place.path("root/secret")
            #expect(
                info.roots.first?.degraded == ["\(closed): permission denied; it is tried again"])
            folder.setMode(secret, 0o755)
            #expect(
                try waitUntil {
                    try client.sync()
                    return try client.allDocuments().count == 2
                })
            try expectTruth(client, folder)
        }

        /// Gives `place` to the user nobody but for the folder `secret`; answers what runs a program
        /// as that user, or nil if this machine has nothing for that.
        private func copyForNobody(_ place: TemporaryFolder) -> [String]? {
            let nobody: UInt32 = 65534
            guard let program = try? SpawnedProcess.built("pickerd"),
                unsafe access("/usr/bin/setpriv", X_OK) == 0
            else {
                print("skipped: there is no setpriv here")
                return nil
            }
            let command = [
                "/usr/bin/setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups",
            ]
            let trial = try? SpawnedProcess(
                command[0], command.dropFirst() + [program, "--version"])
            guard trial?.waitForExit() == .exited(code: 0) else {
                print("skipped: the user nobody can't run \(program)")
                return nil
            }
            let all = RealFolder(place.path)
            all.setOwner([], nobody)
            all.setOwner(Array("root".utf8), nobody)
            all.setMode(Array("root/secret".utf8), 0o700)
            return command
        }
    }
}
