// Filters with the real daemon: a live list over a folder that changes, and people's queries.

import EventLoops
import Foundation
import JSONText
import PickerClient
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("Filters")
    struct WhereTests {
        private static func bytes(_ name: String) -> Path { Array(name.utf8) }

        private static func serve() throws -> ServedFolder {
            try ServedFolder { folder, _ in
                for name in ["drafts", "drafts/old"] { folder.makeFolder(bytes(name)) }
                folder.write("report.pdf", 3000)
                folder.write("report.md", 20)
                folder.write("drafts/report 2.PDF", 2000)
                folder.write("drafts/old/notes.md", 5)
                folder.write(bytes("bad") + [0xFF] + bytes(".md"), 7)
                folder.setModified(bytes("report.md"), 1_000_000_000, 0)
                folder.setModified(bytes("drafts/report 2.PDF"), 1_700_000_000, 0)
            }
        }

        @Test("A list with a filter follows the folder, and the filter, by deltas")
        func live() throws {
            let served = try Self.serve()
            let client = try served.daemon.connect()
            try client.sync()
            let params: JSONObject = [
                "where": ["allof", ["suffix", ["pdf", "md"]], ["size", "ge", 20]], "sort": "name",
            ]
            try client.call("items.open", params, id: 1)
            var mirror = WindowMirror()
            func names() throws -> [String] {
                try client.sync()
                try client.call("daemon.ping")
                for notification in client.takeNotifications() { try mirror.take(notification) }
                return mirror.items.map { $0.name?.text ?? "new" }
            }
            #expect(
                waitUntil { (try? names()) == ["new", "report 2.PDF", "report.md", "report.pdf"] })

            served.folder.write("drafts/old/notes.md", 500)
            served.folder.write("unasked.txt", 500)
            served.folder.move(Self.bytes("report.pdf"), Self.bytes("report.bak"))
            #expect(
                waitUntil { (try? names()) == ["new", "notes.md", "report 2.PDF", "report.md"] })

            let narrower: JSONValue = [
                "allof", ["size", "ge", 20], ["suffix", ["pdf", "md"]], ["path", "drafts/**"],
            ]
            try client.call("items.update", ["sub": 1, "gen": 1, "where": narrower])
            #expect(waitUntil { (try? names()) == ["new", "notes.md", "report 2.PDF"] })
            #expect(waitUntil { (try? names()) != nil && mirror.gen == 1 })
            #expect(mirror.isComplete && mirror.resets == 1)

            do {
                try client.call("items.update", ["sub": 1, "gen": 2, "where": ["sise", "gt", 1]])
                Issue.record("a wrong filter was taken")
            } catch let TestConnection.Failure.refused(code, message) {
                #expect(code == 1007 && message.contains("'size'"))
            }
            try client.call("items.update", ["sub": 1, "gen": 3, "where": .null, "search": "bad"])
            #expect(waitUntil { (try? names()) == ["bad\u{FFFD}.md"] })
            #expect(mirror.gen == 3)
        }

        /// What `pickerctl list` prints of names, or what it says is wrong.
        private func list(
            _ served: ServedFolder, _ arguments: [String]
        ) throws -> (names: [String], errors: String, code: Int32?) {
            let process = try SpawnedProcess(
                try SpawnedProcess.built("pickerctl"),
                ["list", "--json", "--socket", served.daemon.socket] + arguments,
                environment: ["TZ": "UTC"])
            var code: Int32?
            if case .exited(let number)? = process.waitForExit() {
                code = number
            }
            let names = try process.standardOutput.split(separator: "\n").map { line in
                try JSONValue(parsing: Array(line.utf8))["name"]?.stringValue ?? "new"
            }
            return (names, process.standardError, code)
        }

        @Test("pickerctl list shows what a line of text asks for")
        func queries() throws {
            let served = try Self.serve()
            try served.daemon.connect().sync()
            let rows: [([String], [String])] = [
                (["report type:pdf sort:-size"], ["report.pdf", "report 2.PDF"]),
                (["report", "type:pdf", "size:>2K"], ["report.pdf"]),
                (["report modified:<1d"], ["report.pdf"]),
                (["report modified:2001"], ["report.md"]),
                (["report modified:>2023-11-14T22:13:19Z -modified:<1d"], ["report 2.PDF"]),
                (["type:md -path:drafts/** limit:9"], ["bad\u{FFFD}.md", "report.md"]),
                (["match:bad?.md"], ["bad\u{FFFD}.md"]),
                (["--with-new", "match:bad?.md"], ["new", "bad\u{FFFD}.md"]),
                (["report (size:20 or size:2K) sort:size"], ["report.md", "report 2.PDF"]),
                (["--search", "report", "--sort", "size", "type:md"], ["report.md"]),
                (["-n", "1", "is:liked"], []), (["--", "-type:md,pdf"], []),
                (["sort:-name skip:1 limit:2"], ["report.md", "report 2.PDF"]),
            ]
            // For people, the row of a new document counts for nothing.
            for (query, name) in [
                ("sort:-name limit:1", "report.pdf"), ("sort:-name skip:1 limit:1", "report.md"),
            ] {
                let process = try SpawnedProcess(
                    try SpawnedProcess.built("pickerctl"),
                    ["list", "--socket", served.daemon.socket, query])
                #expect(process.waitForExit() == .exited(code: 0))
                let lines = process.standardOutput.split(separator: "\n")
                #expect(lines.count == 1 && lines.first?.hasPrefix(name + " ") == true, "\(lines)")
            }
            for (arguments, names) in rows {
                let result = try list(served, arguments)
                #expect(result.names == names, "\(arguments): \(result)")
                #expect(result.code == 0 && result.errors.isEmpty, "\(arguments): \(result)")
            }
        }

        @Test("A wrong word is shown with a caret under it, before anything is asked")
        func wrongWords() throws {
            let served = try Self.serve()
            let result = try list(served, ["日本 typ:pdf x"])
            #expect(result.code == 2)
            let lines = result.errors.split(separator: "\n")
            try #require(lines.count == 3)
            #expect(lines[0].hasPrefix("pickerctl: unknown word 'typ:'; did you mean 'type:'?"))
            #expect(lines[1] == "  日本 typ:pdf x")
            #expect(lines[2] == "       ^^^^")
            for arguments in [
                ["--search", "a", "b"], ["--sort", "name", "sort:size"], ["-n", "1", "limit:2"],
            ] {
                let result = try list(served, arguments)
                #expect(result.code == 2 && result.errors.contains("both"), "\(result)")
            }
            // What only the daemon knows to be wrong, it says.
            let refused = try list(served, ["attr:pdf.pages>5"])
            #expect(refused.code == 1 && refused.errors.contains("pdf.pages"))
            let pattern = try list(served, ["match:[a"])
            #expect(pattern.code == 1 && pattern.errors.contains("']'"))
        }
    }
}
