// What the daemon is started with: folders by odd names, descriptors that are closed, a log that nobody
// reads, a command line that is wrong while clients wait.

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
    @Suite("Starts")
    struct StartTests {
        private func roots(_ daemon: DaemonUnderTest) throws -> [DaemonStatus.Root] {
            let client = try daemon.connect()
            try client.sync()
            return try DaemonStatus(decoding: client.call("daemon.info")).roots
        }

        /// Starts the daemon in `folder`.
        private func start(
            in folder: String, _ arguments: [String], _ place: TemporaryFolder, waits: Bool = true
        ) throws -> DaemonUnderTest {
            try DaemonUnderTest(
                arguments, socket: place.path("sock"),
                under: ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder],
                waits: waits)
        }

        @Test("A folder named through '..' is resolved")
        func upwards() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("here/below")
            try place.makeFolder("docs/deep")
            try place.write("docs/a.md", "x")
            try place.makeLink("here/link", to: place.path("docs/deep"))
            for (folder, name) in [
                ("here", "../docs"), ("here/below", "../.././docs/"), ("docs", "deep/.."),
                // Up from a link is up from where it leads.
                ("here", "link/.."),
            ] {
                let roots = try roots(start(in: place.path(folder), [name], place))
                #expect(roots.map(\.path) == [place.path("docs")], "\(name) in \(folder)")
                #expect(roots.map(\.documents) == [1])
            }
            // One that is not there yet is waited for.
            let waited = try roots(start(in: place.path("here"), ["../coming"], place))
            #expect(waited.map(\.path) == [place.path("coming")])
            #expect(waited.map(\.state) == ["missing"])
        }

        @Test("What of the program only the start needs is not resident after the first scan")
        func memory() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("docs")
            for number in 0..<100 { try place.write("docs/\(number).md", "x") }
            let daemon = try start(in: place.path, ["docs"], place)
            #expect(waitUntil { daemon.mostResidentKilobytes - daemon.residentKilobytes > 2048 })
            // What was unmapped is mapped again where it is needed.
            #expect(try roots(daemon).map(\.documents) == [100])
        }

        @Test("A folder that can't be resolved ends the start with a message that names it")
        func refusedFolder() throws {
            let place = try TemporaryFolder()
            let daemon = try start(in: place.path, ["none/../docs"], place, waits: false)
            #expect(daemon.process.waitForExit() == .exited(code: 2))
            #expect(daemon.process.standardError.contains("'none/../docs'"))
            #expect(daemon.process.standardError.contains("without '..'"))

            let many = (0..<65).map { place.path("\($0)") }
            let second = try start(in: place.path, many, place, waits: false)
            #expect(second.process.waitForExit() == .exited(code: 2))
            #expect(second.process.standardError.contains("65 folders are too many"))
        }

        @Test(
            "Folder names that are not UTF-8 are served byte for byte", arguments: ["", "--root="])
        func notUTF8(_ option: String) throws {
            let place = try TemporaryFolder()
            let script = """
                folder=$(printf %b "$1"); shift
                mkdir "$folder" && echo x >"$folder/a.md" && exec "$@" "\(option)$folder"
                """
            let daemon = try DaemonUnderTest(
                [], socket: place.path("sock"),
                under: ["/bin/sh", "-c", script, "sh", place.path("caf\\0351")])
            let client = try daemon.connect()
            try client.sync()
            let served = try DaemonStatus(decoding: client.call("daemon.info")).roots
            #expect(served.map(\.path) == [place.path("caf\u{FFFD}")])
            #expect(served.map(\.state) == ["watching"])
            #expect(served.map(\.documents) == [1])
            try client.call("documents.create", ["name": "b.md", "root": .string(served[0].path)])
            let there = RealFolder(place.path).walk()
            #expect(there.folders.contains(Array("caf".utf8) + [0xE9]))
            #expect(!there.folders.contains(Array("caf\u{FFFD}".utf8)))
            #expect(there.files.filter { $0.path.first == UInt8(ascii: "c") }.count == 2)
        }

        @Test("A socket whose path is not UTF-8 is refused")
        func socketNotUTF8() throws {
            let script = "exec \"$1\" --socket \"$(printf '/tmp/\\351')\" /"
            let process = try SpawnedProcess(
                "/bin/sh", ["-c", script, "sh", SpawnedProcess.built("pickerd")])
            #expect(process.waitForExit() == .exited(code: 2))
            #expect(process.standardError.contains("--socket"))
        }

        @Test("Started without descriptors 0, 1 and 2, it opens nothing in their place")
        func closedDescriptors() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("root")
            let daemon = try DaemonUnderTest(
                [place.path("root"), "--state", place.path("state")], socket: place.path("sock"),
                under: ["/bin/sh", "-c", "exec \"$@\" 0<&- 1>&- 2>&-", "sh"])
            for number in 0...2 {
                let target = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(daemon.process.pid)/fd/\(number)")
                #expect(target == "/dev/null")
            }
        }

        @Test("A reader of its log that goes is no end")
        func logReaderGoes() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("root")
            // The path is a C string for the length of the call.
            #expect(unsafe mkfifo(place.path("log"), 0o600) == 0)
            var reader: DescriptorBox? = DescriptorBox(
                try OwnedDescriptor.open(place.rawPath("log"), flags: O_RDONLY | O_NONBLOCK))
            let daemon = try DaemonUnderTest(
                [place.path("root")], socket: place.path("sock"),
                under: ["/bin/sh", "-c", "exec \"$@\" 2>'\(place.path("log"))'", "sh"])
            let client = try daemon.connect()
            try client.call("daemon.ping")
            #expect(reader != nil)
            reader = nil
            // Says so in the log.
            try client.call("daemon.reload")
            try client.call("daemon.ping")
            daemon.process.kill(SIGTERM)
            #expect(daemon.process.waitForExit() == .exited(code: 0))
        }

        @Test(
            "With a wrong command line, clients of a passed socket are told why there is no daemon")
        func refusedWhileClientsWait() throws {
            let place = try TemporaryFolder()
            let socket = place.path("sock")
            let listener = DescriptorBox(try UnixSocket.listen(at: RawPath(socket)))
            let script = "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=pickerd exec \"$@\""
            let waiting = try TestConnection(to: socket, nil)
            let process = try SpawnedProcess(
                "/bin/sh",
                [
                    "-c", script, "sh", SpawnedProcess.built("pickerd"), place.path,
                    "--log-level", "loud",
                ],
                passing: [listener.number])
            // One that asks and one that only listens, before and after the start.
            try waiting.send("{\"id\":1,\"method\":\"daemon.info\"}\n")
            for client in [waiting, try TestConnection(to: socket, nil)] {
                let line = String(decoding: try #require(try client.readLine()), as: UTF8.self)
                #expect(line.contains("\"code\":1001"), "\(line)")
                #expect(line.contains("'loud' is no log level"), "\(line)")
                let goodbye = try #require(try client.readLine())
                #expect(String(decoding: goodbye, as: UTF8.self).contains("$/goodbye"))
                #expect(try client.readLine() == nil)
            }
            let ctl = try SpawnedProcess(
                SpawnedProcess.built("pickerctl"), ["list", "--socket", socket])
            #expect(ctl.waitForExit() == .exited(code: 1))
            #expect(
                ctl.standardError.hasPrefix(
                    "pickerctl: pickerd can't start: 'loud' is no log level"),
                "\(ctl.standardError)")
            // It goes on telling them for a while, and yet ends when it is told to.
            #expect(process.isRunning)
            process.kill(SIGTERM)
            #expect(process.waitForExit() == .killed(signal: SIGTERM))
        }

        @Test("The help says what the program is called")
        func usage() throws {
            let process = try SpawnedProcess(SpawnedProcess.built("pickerd"), ["--help"])
            #expect(process.waitForExit() == .exited(code: 0))
            #expect(
                process.standardOutput.contains("USAGE: pickerd ["), "\(process.standardOutput)")
            let wrong = try SpawnedProcess(SpawnedProcess.built("pickerd"), ["--frob"])
            #expect(wrong.waitForExit() == .exited(code: 2))
            #expect(wrong.standardError.contains("Usage: pickerd ["), "\(wrong.standardError)")
        }

        @Test("A listener of somebody else is sent nothing")
        func otherListener() throws {
            let programs = ["/usr/bin/setpriv", "/usr/bin/perl"]
            let isThere = programs.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
            guard CurrentProcess.uid == 0, isThere else {
                print("skipped: only root, with setpriv and perl, can be somebody else here")
                return
            }
            let place = try TemporaryFolder()
            RealFolder(place.path).setMode([], 0o777)
            // What it hears of one client, to the end.
            let script = """
                use IO::Socket::UNIX;
                my $l = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 5) or die "listen: $!";
                chmod 0666, $ARGV[0];
                my $s = $l->accept; my $text = join '', <$s>;
                print "heard: '$text'";
                """
            let socket = place.path("sock")
            let listener = try SpawnedProcess(
                programs[0],
                ["--reuid=65534", "--clear-groups", programs[1], "-e", script, socket])
            #expect(waitUntil { (try? FileStatus.of(RawPath(socket)))?.permissions == 0o666 })
            let ctl = try SpawnedProcess(
                programs[0],
                [
                    "--reuid=65533", "--clear-groups", SpawnedProcess.built("pickerctl"), "status",
                    "--socket", socket,
                ])
            #expect(ctl.waitForExit() == .exited(code: 1))
            #expect(ctl.standardError.contains("user 65534 listens at \(socket)"))
            #expect(listener.waitForExit() == .exited(code: 0))
            #expect(listener.standardOutput == "heard: ''")
        }
    }
}
