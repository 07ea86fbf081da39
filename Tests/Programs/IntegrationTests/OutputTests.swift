// What becomes of output that can't be written, with the real daemon: in every command.

import EventLoops
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Output of pickerctl")
    struct OutputTests {
        /// All that print something, each command at least once.
        private static let printing = [
            "list", "list --json", "get a.md", "get a.md --json", "why \"$ROOT\"/a.md", "stats",
            "stats --json", "status", "status --json", "doctor", "doctor --json", "new n.md",
            "feed", "feed --json",
            "like --toggle a.md", "sync",
            "publish a.b", "replay", "replay --json", "events --replay 9",
            "events --json --replay 9",
            "events --replay 9 -n 1", "watch", "watch --json", "layout list", "layout grid --json",
            "layout flow --ascii", "layout list --svg -", "layout list --svg /dev/full",
            "raw <<<'{\"id\":1,\"method\":\"daemon.ping\"}'", "socket-path", "--help", "--version",
            "plugins", "plugins --settings", "plugins --json", "help list", "list --help", "help",
            "--generate-completion-script bash", "actions a.md", "open --help", "reveal --help",
            "trash --help", "plugin --help", "pick --help", "shell bash",
        ]
        /// And those that print nothing, so that nothing can be lost.
        private static let silent = [
            "drop c.md", "restore c.md", "like a.md", "plugins disable layouts",
            "plugins enable layouts", "reload", "stop",
        ]

        /// Runs lines of bash, in which `pickerctl` is the built one, connected to the daemon.
        private func shell(_ served: ServedFolder, _ script: String) throws -> SpawnedProcess {
            let program = try SpawnedProcess.built("pickerctl")
            return try SpawnedProcess(
                "/bin/bash", ["-c", "pickerctl() { '\(program)' \"$@\"; }; \(script)"],
                environment: [
                    "PICKERD_SOCKET": served.place.path("pickerd.sock"), "PATH": "/usr/bin:/bin",
                    "ROOT": served.place.path("root"), "HOME": served.place.path("home"),
                ])
        }

        private func serve() throws -> ServedFolder {
            try ServedFolder { folder, _ in
                for name in ["a.md", "b.md", "c.md"] { folder.write(name, 10) }
            }
        }

        @Test("a list of many chunks is printed whole, and in order", arguments: ["", "e"])
        func manyChunks(search: String) throws {
            let names = (0..<1500).map { "file \($0).md" }
            let served = try ServedFolder { folder, _ in
                for name in names { folder.write(name, 1) }
            }
            let arguments = "--sort name \(search.isEmpty ? "" : "--search \(search)")"
            let process = try shell(
                served,
                """
                pickerctl sync >/dev/null
                pickerctl list \(arguments) --format '{name}'
                pickerctl list \(arguments) --json | wc -l
                pickerctl list \(arguments) | wc -l
                pickerctl list \(arguments) -n 1200 | wc -l
                """)
            #expect(process.waitForExit() == .exited(code: 0))
            let lines = process.standardOutput.split(separator: "\n").map { String($0) }
            // Numbers in names are sorted by their values.
            #expect(lines.dropLast(3) == names[...])
            #expect(lines.suffix(3) == ["1500", "1500", "1200"])
        }

        /// What `pickerctl` ends with for each of `commands`, run with the redirection.
        private func statuses(
            _ served: ServedFolder, _ commands: [String], _ redirection: String
        ) throws -> (statuses: [String], errors: String) {
            // A here-string is a redirection too, and both may stand at the end.
            let lines = commands.map { "pickerctl \($0) \(redirection); echo $? >&3" }
            let process = try shell(
                served,
                "exec 3>&1; pickerctl sync >/dev/null; pickerctl publish x.y >/dev/null\n"
                    + lines.joined(separator: "\n"))
            #expect(process.waitForExit() == .exited(code: 0))
            return (
                process.standardOutput.split(separator: "\n").map { String($0) },
                process.standardError
            )
        }

        @Test(
            "A failed write is an error with a message, in every command",
            arguments: [">/dev/full", ">&-"])
        func lost(_ redirection: String) throws {
            let served = try serve()
            let (statuses, errors) = try statuses(served, Self.printing, redirection)
            for (command, status) in zip(Self.printing, statuses) {
                #expect(status == "1", "pickerctl \(command)")
            }
            #expect(statuses.count == Self.printing.count)
            let complaints = errors.split(separator: "\n").count { $0.contains("cannot write") }
            #expect(complaints == Self.printing.count, "\(errors)")
            let silent = try self.statuses(served, Self.silent, redirection)
            #expect(silent == (Self.silent.map { _ in "0" }, ""))
        }

        @Test("A reader that has exited is not a failure, in any command")
        func closedPipe() throws {
            let served = try serve()
            // The writing end of a pipe without a reader.
            let fifo = served.place.path("fifo")
            let commands = Self.printing.filter { !$0.contains("/dev/full") } + Self.silent
            let (statuses, errors) = try statuses(
                served,
                ["socket-path >/dev/null; mkfifo '\(fifo)'; exec 7<>'\(fifo)' 8>'\(fifo)' 7<&-"]
                    + commands, ">&8")
            #expect(statuses.dropFirst() == ArraySlice(commands.map { _ in "0" }))
            #expect(errors == "")
        }

        @Test("The lists above have every command")
        func completeness() throws {
            let help = try shell(try serve(), "pickerctl --help")
            #expect(help.waitForExit() == .exited(code: 0))
            // Below the headings, indented by two: the others explain, and stand further in.
            let commands = help.standardOutput.split(separator: "\n").filter {
                $0.hasPrefix("  ") && $0.dropFirst(2).first?.isLowercase == true
            }.map { String($0.dropFirst(2).prefix { $0 != " " }) }
            #expect(commands.count >= 19)
            let tried = Set((Self.printing + Self.silent).map { $0.prefix { $0 != " " } })
            for command in commands where !command.isEmpty {
                #expect(tried.contains(Substring(command)), "\(command)")
            }
        }
    }
}
