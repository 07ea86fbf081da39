// 'pickerctl doctor' with a daemon that is well, with one that is not, and without one.

import EventLoops
import Foundation
import JSONText
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("pickerctl doctor")
    struct DoctorTests {
        /// Nothing is stored, so that no place for that is missed.
        private static let unstored = "[plugins.events]\nstore = false\n"

        /// Runs it.
        private func doctor(
            _ arguments: [String] = [], socket: String, under wrapper: [String] = [],
            path: String = "/usr/bin:/bin"
        ) throws -> (code: Int32?, out: String, err: String) {
            let command =
                wrapper + [try SpawnedProcess.built("pickerctl"), "doctor"] + arguments
            let process = try SpawnedProcess(
                command[0], Array(command.dropFirst()),
                environment: ["PICKERD_SOCKET": socket, "PATH": path])
            guard case .exited(let code)? = process.waitForExit() else {
                return (nil, process.standardOutput, process.standardError)
            }
            return (code, process.standardOutput, process.standardError)
        }

        /// The lines of the checks of that name, the steps below each included.
        private func lines(_ name: String, _ out: String) -> [String] {
            var found: [String] = []
            var isInside = false
            for line in out.split(separator: "\n").map({ String($0) }) {
                if line.hasPrefix(" ") {
                    if isInside, let last = found.popLast() { found.append(last + "\n" + line) }
                    continue
                }
                let words = line.split(separator: " ", maxSplits: 2)
                isInside = words.count == 3 && words[1] == name
                if isInside { found.append(line) }
            }
            return found
        }

        @Test("With a daemon that is well all is ok, and the status is 0")
        func well() throws {
            let rules = "ignore = [\"*.o\"]\ngitignore = true\n"
            let served = try ServedFolder(settings: rules + Self.unstored) { folder, _ in
                folder.write("a.md", 1)
                folder.write("b.o", 1)
                folder.makeFolder(Array("sub".utf8))
            }
            try served.daemon.connect().sync()
            let result = try doctor(socket: served.daemon.socket)
            #expect(result.code == 0 && result.err == "", "\(result)")
            let place = served.place
            #expect(
                lines("socket", result.out) == [
                    "ok       socket       '\(served.daemon.socket)', by $PICKERD_SOCKET"
                ])
            #expect(
                lines("daemon", result.out).first?.contains(
                    "process \(served.daemon.process.pid), up ") == true)
            #expect(
                lines("version", result.out) == [
                    "ok       version      pickerd and pickerctl are 0.1.0"
                ])
            // The root and the folder in it; and the nearest folders to the two places where plugins may be: that of
            // XDG_DATA_DIRS, and the one beside the program.
            #expect(
                lines("watches", result.out).first?.hasSuffix("; pickerd has 4") == true,
                "\(result.out)")
            #expect(lines("descriptors", result.out).first?.hasPrefix("ok") == true)
            #expect(
                lines("settings", result.out) == [
                    "ok       settings     '\(place.path("config.toml"))' was read"
                ])
            #expect(
                lines("root", result.out) == [
                    "ok       root         '\(place.path("root"))': watching, 1 document; without hidden "
                        + "files, ignored: *.o, .gitignore and .ignore count"
                ])
            #expect(lines("plugins", result.out).count == 1)
            #expect(result.out.hasSuffix("\nNo problem was found.\n"))
        }

        @Test("JSON is one object, with all checks")
        func json() throws {
            let served = try ServedFolder(settings: Self.unstored)
            try served.daemon.connect().sync()
            let result = try doctor(["--json"], socket: served.daemon.socket)
            #expect(result.code == 0 && result.out.hasSuffix("}\n"))
            let checks = try #require(
                try JSONValue(parsing: Array(result.out.utf8))["checks"]?.arrayValue)
            #expect(
                checks.map { $0["name"]?.stringValue } == [
                    "daemon", "version", "socket", "watches", "instances", "events", "descriptors",
                    "settings", "root", "plugins",
                ])
            #expect(checks.allSatisfy { $0["state"] == "ok" && $0["next"] == nil })
            let lost = try doctor(["--json"], socket: served.place.path("none"))
            let first = try JSONValue(parsing: Array(lost.out.utf8))["checks"]?.arrayValue?.first
            #expect(lost.code == 3 && first?["state"] == "problem")
            #expect(first?["next"]?.stringValue?.contains("pickerd FOLDER") == true)
        }

        @Test("A fault of the settings, a missing root and a plugin that is off are named")
        func faults() throws {
            let place = try TemporaryFolder()
            try place.write("config.toml", "\nlog-level = 7\n" + Self.unstored)
            try place.write("file", "")
            let daemon = try DaemonUnderTest(
                ["--config", place.path("config.toml"), place.path("file"), place.path("none")],
                socket: place.path("s"))
            try daemon.connect().call("plugins.disable", ["id": "layouts"])
            let result = try doctor(socket: daemon.socket)
            #expect(result.code == 1 && result.err == "", "\(result)")
            let settings = lines("settings", result.out)
            try #require(settings.count == 2, "\(result)")
            #expect(settings[1].contains("problem  settings     \(place.path("config.toml")):2: "))
            #expect(settings[1].hasSuffix("-> mend it, then: pickerctl reload"))
            let roots = lines("root", result.out)
            try #require(roots.count == 2, "\(result)")
            #expect(roots[0].hasPrefix("problem") && roots[0].contains("it is not a folder"))
            #expect(roots[1].hasPrefix("problem") && roots[1].contains("the folder is not there"))
            #expect(
                lines("plugins", result.out).last?.contains("pickerctl plugins enable layouts")
                    == true)
            #expect(result.out.hasSuffix("\n3 problems were found; '->' says what to do.\n"))
        }

        @Test("Without a daemon the status is 3, and the next step is named")
        func none() throws {
            let place = try TemporaryFolder()
            let socket = place.path("pickerd.sock")
            let result = try doctor(socket: socket, path: place.path("bin"))
            #expect(result.code == 3 && result.err == "", "\(result)")
            #expect(
                lines("daemon", result.out) == [
                    "problem  daemon     no daemon listens at \(socket)\n"
                        + "                    -> start a daemon: pickerd FOLDER"
                ])
            #expect(lines("unit", result.out).first?.contains("there is no systemctl here") == true)
            #expect(lines("watches", result.out).count == 1)
            RealFolder(place.path).setMode([], 0o777)
            let open = try doctor(socket: socket, path: place.path("bin"))
            #expect(lines("folder", open.out).first?.contains("others may write to") == true)
        }

        /// A systemctl of the test's own.
        private func withSystemctl(
            _ script: String
        ) throws -> (code: Int32?, out: String, err: String) {
            let place = try TemporaryFolder()
            try place.makeFolder("bin")
            try place.write("bin/systemctl", "#!/bin/sh\n\(script)\n")
            RealFolder(place.path).setMode(Array("bin/systemctl".utf8), 0o755)
            return try doctor(
                socket: place.path("pickerd.sock"), path: place.path("bin") + ":/usr/bin:/bin")
        }

        @Test("The units are asked for, and their state decides the next step")
        func units() throws {
            let result = try withSystemctl(
                """
                [ "$1" = --user ] || exit 1
                echo Id=pickerd.socket; echo LoadState=loaded; echo ActiveState=inactive
                echo UnitFileState=disabled; echo; echo Id=pickerd.service; echo LoadState=loaded
                """)
            #expect(result.code == 3)
            #expect(
                lines("daemon", result.out).first?.contains(
                    "-> systemctl --user enable --now pickerd.socket\n") == true, "\(result)")
            #expect(
                lines("unit", result.out).first?.contains("pickerd.socket is inactive, disabled")
                    == true)
            let refused = try withSystemctl("echo 'Failed to connect to bus: no' >&2; exit 1")
            #expect(lines("unit", refused.out).first?.contains("connect to bus: no") == true)
        }

        @Test("A systemctl that hangs is not waited for")
        func hanging() throws {
            let result = try withSystemctl("exec sleep 600")
            #expect(result.code == 3)
            #expect(
                lines("unit", result.out).first?.contains("did not answer within 3 s") == true,
                "\(result)")
        }

        @Test("A limit of watches that is too low is a problem, with the line to run")
        func fewWatches() throws {
            let unshare = ["/usr/bin/unshare", "-Ur"]
            let file = "/proc/sys/user/max_inotify_watches"
            let trial = try SpawnedProcess(
                "/bin/sh", ["-c", "unshare -Ur sh -c 'echo 4 >\(file)'"],
                environment: ["PATH": "/usr/bin:/bin"])
            guard trial.waitForExit() == .exited(code: 0) else {
                print("skipped: the number of watches can't be limited here")
                return
            }
            let place = try TemporaryFolder()
            for number in 0..<9 { try place.makeFolder("root/\(number)") }
            // Both in one namespace: its limit is theirs.
            let script = """
                echo 4 >\(file)
                "$0" "$3" --socket "$2" & daemon=$!
                until "$1" sync >/dev/null 2>&1; do sleep 0.05; done
                "$1" doctor; echo "status $?"; "$1" status; "$1" status --json; kill $daemon; wait
                """
            let socket = place.path("s")
            let process = try SpawnedProcess(
                unshare[0],
                [
                    unshare[1], "/bin/sh", "-c", script, SpawnedProcess.built("pickerd"),
                    SpawnedProcess.built("pickerctl"), socket, place.path("root"),
                ], environment: ["PATH": "/usr/bin:/bin", "PICKERD_SOCKET": socket])
            #expect(process.waitForExit() != nil)
            let out = process.standardOutput
            #expect(out.contains("\nstatus 1\n"), "\(out) \(process.standardError)")
            let watches = lines("watches", out).first ?? ""
            // Four are there, and six folders are without: 10, and the next power of two above twice that.
            #expect(watches.contains("user.max_inotify_watches is 4; pickerd has 4; none is left"))
            #expect(watches.contains(" for 6 folders"))
            #expect(watches.contains("-> sudo sysctl user.max_inotify_watches=32\n"))
            #expect(watches.contains("/etc/sysctl.d/60-pickerd-watches.conf"))
            // Started without a home, it has no place for events.
            #expect(lines("events-store", out).first?.hasSuffix("pickerd --state FOLDER") == true)
            let roots = lines("root", out)
            #expect(roots.first?.hasPrefix("note     root         ") == true)
            #expect(roots.last?.contains("-> see 'watches'") == true)
            // The reason is beside the state, and the sixth folder is only counted.
            let reason =
                "no inotify watch is left (fs.inotify.max_user_watches): it is read every 1 to 30 "
                + "seconds until there is one"
            #expect(out.contains("  polling  0 documents  \(place.path("root"))"))
            let told = out.split(separator: "\n").filter { $0.hasSuffix(reason) }
            #expect(told.count == 5 && out.contains("and 1 more; see 'pickerctl doctor'\n"))
            #expect(out.contains("\"degraded\":[\"\(place.path("root"))"))
        }
    }
}
