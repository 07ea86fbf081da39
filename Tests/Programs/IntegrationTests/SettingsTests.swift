// A settings file that is wrong: what is served all the same, and who is told.

import EventLoops
import Foundation
import Glibc
import JSONText
import PickerClient
import SystemInterface
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite("Settings")
    struct SettingsTests {
        /// A home with a documents folder, and a settings file in it.
        private final class Home {
            let place: TemporaryFolder
            var file: String { place.path("config.toml") }

            init(_ settings: String) throws {
                place = try TemporaryFolder()
                try place.makeFolder("Documents")
                try place.write("Documents/at home.md", "x")
                try place.makeFolder("other")
                try place.write("other/elsewhere.md", "x")
                try place.write("config.toml", settings)
            }

            func start(_ environment: [String: String] = [:]) throws -> DaemonUnderTest {
                try DaemonUnderTest(
                    ["--config", file], socket: place.path("sock"),
                    environment: ["HOME": place.path].merging(environment) { $1 })
            }
        }

        private func info(_ client: TestConnection) throws -> DaemonStatus {
            try DaemonStatus(decoding: client.call("daemon.info"))
        }

        private func names(_ client: TestConnection) throws -> [String] {
            try client.sync()
            return try client.allDocuments().map(\.name.text)
        }

        private func names(_ client: TestConnection, where filter: JSONValue) throws -> [String] {
            let answer = try client.call("items.get", ["where": filter]).value()
            return answer["items"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
        }

        @Test(
            "An invalid setting is ignored, and reported with file, line and key",
            arguments: [
                ("roots = 3", 1, "'roots'"),
                ("# first\n\nlog-level = \"loud\"", 3, "'log-level'"),
                ("roots = [\"relative\"]", 1, "'roots'"),
                ("roots = [\"/none/at/all/../there\"]", 1, "'roots'"),
                (
                    "roots = [\(Array(repeating: "\"/x\"", count: 65).joined(separator: ","))]", 1,
                    "65"
                ),
                ("root = [\"/tmp\"]", 1, "'root'"),
                ("[limits]\nclients = 0", 2, "'clients'"),
                ("[limits]\nqueue-soft = 100000\nqueue-hard = 50000", 2, "'queue-soft'"),
                ("[limits]\nqueue-hard = 50000", 2, "'queue-hard' is 50000, below queue-soft"),
                ("[limits]\n\nqueue-soft = 5000000", 3, "'queue-soft' is 5000000, above"),
                ("roots = [\"/tmp\",\n  \"/tmp\\u0000/x\"]", 2, "NUL"),
                ("\"log\\U00000000\" = \"info\"", 1, "NUL"),
                ("log-level = 'info'\n# \u{0} rest", 2, "NUL"),
                ("a = '''\n\\u0000\"'''\nb = \"\\\\\\u0000\"", 3, "NUL"),
                ("# \\u0000\na = '\\u0000'", 2, "'a' is not a setting"),
                ("a = \"\"\"\"\\\"\\\\u0000\"\"\"\"\" # \\u0000\"", 1, "'a' is not a setting"),
                ("[plugins.events]\nreplay = \"many\"", 2, "'replay'"),
                ("[plugins.events]\n\nfoo = 1", 3, "'foo'"),
                ("[plugins.events]\nstore = \"yes\"", 2, "'store'"),
                ("limits = 1", 1, "'limits'"),
                ("roots = [\"/tmp\"\nlog-level = 1", 2, "no TOML"),
                ("log-level = info", 1, "in quotes: log-level = \"info\""),
                ("# x\nroots = [~/Documents]", 2, "in quotes: roots = [\"~/Documents\"]"),
                ("roots = ~/Documents", 1, "in quotes: roots = [\"~/Documents\"]"),
                ("[plugins.events]\nstore = Yes", 2, "'store' must be true or false"),
                ("[limits]\nclients = many", 2, "'clients' must be a whole number"),
                ("[limits]\nfoo = bar", 2, "the value of 'foo'"),
                ("hidden = true", 1, "'hidden' must be \"skip\" or \"keep\""),
                ("hidden = \"yes\"", 1, "'hidden' must be"),
                ("symlinks = true", 1, "'symlinks' must be \"ignore\", \"report\" or"),
                ("[[roots]]\npath = \"/x\"\nsymlinks = \"yes\"", 3, "'symlinks' must be"),
                ("ignore = \"*.log\"", 1, "'ignore' must be a list of patterns"),
                ("ignore = [\"a\", 3]", 1, "'ignore' must be a list of patterns"),
                ("# x\nignore = [\"a\", \"\"]", 2, "'ignore' holds '', which is empty"),
                (
                    "ignore = [\(Array(repeating: "\"x\"", count: 1001).joined(separator: ","))]",
                    1,
                    "'ignore' has 1001 patterns: 1000 are the most"
                ),
                ("gitignore = \"yes\"", 1, "'gitignore' must be true or false"),
                ("log-level = \"info\"\n[[roots]]\ngitignore = true", 2, "without its folder"),
                (
                    "[[roots]]\npath = \"/x\"\n[[roots]]\npath = \"/y\"\nhiden = \"keep\"", 5,
                    "'hiden' is not a setting in [roots]"
                ),
                (
                    "[[roots]]\npath = \"/x\"\nignore = [\"a\"]\n\n[[roots]]\npath = \"/y\"\n"
                        + "ignore = [\"#a\"]", 7, "'ignore' holds '#a', which"
                ),
                ("roots = [\"/x\", { path = \"/y\", gitignore = 1 }]", 1, "'gitignore' must be"),
            ])
        func wrong(_ text: String, _ line: Int, _ words: String) throws {
            let home = try Home(text)
            let daemon = try home.start()
            let client = try daemon.connect()
            // By the defaults: the documents folder of the home.
            #expect(try names(client) == ["at home.md"])
            let degraded = try info(client).degraded
            #expect(degraded.count == 1)
            #expect(degraded.first?.what == "settings")
            #expect(degraded.first?.path == home.file)
            #expect(degraded.first?.line == line)
            let reason = try #require(degraded.first?.reason)
            #expect(reason.contains(words), "\(reason)")
            #expect(reason.contains("pickerctl reload"), "\(reason)")
            #expect(daemon.process.standardError.contains("\(home.file):\(line):"))
            #expect(daemon.process.standardError.contains(words))
        }

        @Test("Rules apply to all roots, or to one, and change with the file; why says so")
        func rules() throws {
            let home = try Home("")
            for name in ["docs/a.md", "docs/.b.md", "docs/c.log", "code/x.c", "code/x.o"] {
                try home.place.makeFolder(String(name.prefix { $0 != "/" }))
                try home.place.write(name, name)
            }
            try home.place.write("code/.gitignore", "*.o\n")
            let (docs, code) = (home.place.path("docs"), home.place.path("code"))
            func write(_ common: String, _ own: String) throws {
                try home.place.write(
                    "config.toml",
                    "\(common)\n[[roots]]\npath = \"\(docs)\"\n"
                        + "[[roots]]\npath = \"\(code)\"\n\(own)\n")
            }
            try write("ignore = [\"*.log\"]", "gitignore = true")
            let daemon = try home.start()
            let client = try daemon.connect()
            #expect(try names(client).sorted() == ["a.md", "x.c"])
            func why(_ path: String) throws -> (status: ChildExit?, text: String) {
                let ctl = try SpawnedProcess(
                    SpawnedProcess.built("pickerctl"),
                    ["why", home.place.path(path), "--socket", daemon.socket])
                return (ctl.waitForExit(), ctl.standardOutput)
            }
            #expect(try why("docs/a.md").status == .exited(code: 0))
            #expect(try why("docs/a.md").text.hasSuffix("docs/a.md: it is a document\n"))
            for (path, words) in [
                ("docs/.b.md", "hidden = \"skip\""), ("docs/c.log", "setting ignore has '*.log'"),
                ("code/x.o", "line 1 of '.gitignore' has '*.o'"), ("docs/none", "no such file"),
                ("elsewhere", "below none of the folders"),
                ("docs", "a folder that pickerd watches"),
            ] {
                let answer = try why(path)
                #expect(
                    answer.status == .exited(code: 1) && answer.text.contains(words), "\(answer)")
            }
            try write("hidden = \"keep\"", "hidden = \"skip\"\nignore = [\"x.c\"]")
            #expect(try client.call("daemon.reload").value() != .null)
            #expect(try names(client).sorted() == [".b.md", "a.md", "c.log", "x.o"])
            #expect(try names(client, where: ["hidden"]) == [".b.md"])
        }

        @Test("Links count as the setting of all roots, or of one, says; why says so")
        func links() throws {
            let home = try Home("")
            for name in ["docs", "code", "out"] { try home.place.makeFolder(name) }
            try home.place.write("out/a.md", "a")
            for name in ["docs", "code"] {
                try home.place.makeLink("\(name)/b.md", to: "../out/a.md")
                try home.place.makeLink("\(name)/folder", to: home.place.path("out"))
            }
            func write(_ common: String, _ own: String) throws {
                let roots = ["docs", "code"].map {
                    "[[roots]]\npath = \"\(home.place.path($0))\"\n"
                }
                try home.place.write("config.toml", "\(common)\n\(roots[0])\(roots[1])\(own)\n")
            }
            try write("", "symlinks = \"report\"")
            let daemon = try home.start()
            let client = try daemon.connect()
            #expect(try names(client) == ["b.md"])
            func why(_ path: String) throws -> JSONValue {
                try client.call("documents.why", ["path": .string(home.place.path(path))]).value()
            }
            #expect(try why("docs/b.md")["text"] == "it is a link, and links are not followed")
            #expect(try why("docs/b.md")["reason"] == "link")
            #expect(try why("code/b.md")["isDocument"] == true)
            #expect(try why("code/folder/a.md")["text"]?.stringValue?.contains("follow") == true)
            try write("symlinks = \"follow\"", "symlinks = \"report\"")
            #expect(try client.call("daemon.reload").value() != .null)
            #expect(try names(client).sorted() == ["a.md", "b.md", "b.md"])
            #expect(try why("docs/folder/a.md")["isDocument"] == true)
            #expect(try why("docs/folder")["reason"] == "folder")
            try home.place.makeLink("docs/again", to: "../out")
            #expect(try names(client).sorted() == ["a.md", "b.md", "b.md"])
            let again = try why("docs/folder")
            #expect(again["text"]?.stringValue?.contains("docs/again'") == true, "\(again)")
            #expect(try why("docs/again/a.md")["isDocument"] == true)
        }

        @Test("pickerctl status reports it in a line")
        func status() throws {
            let home = try Home("\nlog-level = 7\n")
            let daemon = try home.start()
            let ctl = try SpawnedProcess(
                SpawnedProcess.built("pickerctl"), ["status", "--socket", daemon.socket])
            #expect(ctl.waitForExit() == .exited(code: 0), "\(ctl.standardError)")
            let line = ctl.standardOutput.split(separator: "\n").first { $0.hasPrefix("degraded") }
            #expect(line?.contains("settings: \(home.file):2: 'log-level' must be") == true)
        }

        @Test("Valid settings apply, whatever else is invalid in the file")
        func rightOnes() throws {
            let home = try Home("")
            try home.place.write(
                "config.toml",
                "roots = [\"\(home.place.path("other"))\"]\nbogus = 1\n[limits]\nclients = 0\n")
            let daemon = try home.start()
            let client = try daemon.connect()
            #expect(try names(client) == ["elsewhere.md"])
            #expect(try info(client).degraded.map(\.line) == [2, 4])
        }

        @Test("Of very many faults the first are reported")
        func manyFaults() throws {
            let lines = (0..<20_000).map { "key\($0) = 1\n" }
            let home = try Home(lines.joined())
            let daemon = try home.start()
            let client = try daemon.connect()
            #expect(try info(client).degraded.count == 8)
        }

        @Test("After a correction and a reload the recovery is reported")
        func mending() throws {
            let home = try Home("roots = 3\n")
            let manager = try DatagramReceiver(home.place.rawPath("notify"))
            let daemon = try home.start(["NOTIFY_SOCKET": home.place.path("notify")])
            var told: [String] = []
            func hears(_ condition: (String) -> Bool) -> Bool {
                waitUntil {
                    told += manager.receiveAll()
                    return told.contains { condition($0) }
                }
            }
            let fault = "degraded: \(home.file):1: 'roots'"
            #expect(hears { $0.contains("READY=1") && $0.contains(fault) }, "\(told)")
            let client = try daemon.connect()
            #expect(try names(client) == ["at home.md"])
            try client.call("events.subscribe", ["topics": ["daemon.*"], "replay": 10], id: 1)

            // Still wrong, elsewhere.
            try home.place.write("config.toml", "\nroots = [\"no\"]\n")
            #expect(throws: TestConnection.Failure.self) { try client.call("daemon.reload") }
            #expect(try info(client).degraded.map(\.line) == [2])

            told = []
            try home.place.write("config.toml", "roots = [\"\(home.place.path("other"))\"]\n")
            try client.call("daemon.reload")
            #expect(try names(client) == ["elsewhere.md"])
            #expect(try info(client).degraded == [])
            #expect(hears { $0.contains("READY=1") && !$0.contains("degraded") }, "\(told)")
            var events: [EventRecord] = []
            #expect(
                try waitUntil {
                    try client.call("daemon.ping")
                    events += try client.takeNotifications().map {
                        try EventRecord(decoding: $0.params)
                    }
                    return events.last?.topic == "daemon.reloaded"
                })
            #expect(
                events.map(\.topic) == [
                    "daemon.degraded", "daemon.ready", "daemon.degraded", "daemon.restored",
                    "daemon.reloaded",
                ])

            // A file that becomes wrong while the daemon runs: what was in force stays so.
            try home.place.write("config.toml", "roots = 3\n")
            #expect(throws: TestConnection.Failure.self) { try client.call("daemon.reload") }
            #expect(try names(client) == ["elsewhere.md"])
            #expect(try info(client).degraded.map(\.line) == [1])
        }

        @Test(
            "A file that is not text is refused without blocking, at the start and on a reload",
            arguments: ["pipe", "folder", "device", "huge", "binary"])
        func noText(_ kind: String) throws {
            let home = try Home("")
            try home.place.remove("config.toml")
            switch kind {
            // The path is a C string for the length of the call.
            case "pipe": #expect(unsafe mkfifo(home.file, 0o600) == 0)
            case "folder": try home.place.makeFolder("config.toml")
            case "device": try home.place.makeLink("config.toml", to: "/dev/zero")
            case "huge":
                try home.place.write("config.toml", String(repeating: "# x\n", count: 300_000))
            default:
                let bytes = Data([0x23, 0xFF, 0xFE, 0x0A])
                try bytes.write(to: URL(fileURLWithPath: home.file))
            }
            let daemon = try home.start()
            let client = try daemon.connect()
            #expect(try names(client) == ["at home.md"])
            let degraded = try info(client).degraded
            #expect(degraded.map(\.path) == [home.file])
            let words =
                ["huge": "longer than a settings file may be", "binary": "not text in UTF-8"][kind]
                ?? "not a file with content"
            #expect(degraded.first?.reason.contains(words) == true, "\(degraded)")
            #expect(throws: TestConnection.Failure.self) { try client.call("daemon.reload") }
            try client.call("daemon.ping")
        }

        @Test("A missing file that the command line names ends the start with 78")
        func missing() throws {
            let home = try Home("")
            try home.place.remove("config.toml")
            let daemon = try DaemonUnderTest(
                ["--config", home.file], socket: home.place.path("sock"),
                environment: ["HOME": home.place.path], waits: false)
            #expect(daemon.process.waitForExit() == .exited(code: 78))
            #expect(daemon.process.standardError.contains(home.file))
        }
    }
}
