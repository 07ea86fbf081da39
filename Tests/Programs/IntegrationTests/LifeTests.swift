// How the daemon starts, is told things, and ends.

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
    @Suite("Life")
    struct LifeTests {
        @Test(
            "It sends READY, RELOADING and STOPPING, and removes its socket"
        )
        func serviceManager() throws {
            let place = try TemporaryFolder()
            for name in ["a", "b"] {
                try place.makeFolder(name)
                try place.write("\(name)/in \(name).md", "x")
            }
            let manager = try DatagramReceiver(place.rawPath("notify"))
            try place.write("config.toml", "roots = [\"\(place.path("a"))\"]\n")
            let daemon = try DaemonUnderTest(
                ["--config", place.path("config.toml")], socket: place.path("run/sock"),
                environment: ["NOTIFY_SOCKET": place.path("notify")], waits: false)
            var told: [String] = []
            func hears(_ word: String) -> Bool {
                waitUntil {
                    told += manager.receiveAll()
                    return told.contains { $0.split(separator: "\n").contains(Substring(word)) }
                }
            }
            #expect(hears("READY=1"))
            // Serving by then: no second try.
            let client = DescriptorBox(
                try UnixSocket.connect(to: RawPath(place.path("run/sock"))))
            withExtendedLifetime(client) {}
            #expect(try mode(place.path("run")) == 0o700)
            #expect(try mode(place.path("run/sock")) == 0o600)
            let normal = try daemon.connect()
            try normal.sync()
            #expect(try normal.allDocuments().map(\.name.text) == ["in a.md"])

            // A live list gets the new root's documents.
            try normal.call("items.open", WantedList().params, id: 1)
            try normal.call("events.subscribe", ["topics": ["daemon.*"]], id: 2)
            var mirror = WindowMirror()
            told = []
            try place.write(
                "config.toml", "roots = [\"\(place.path("a"))\", \"\(place.path("b"))\"]\n")
            daemon.process.kill(SIGHUP)
            #expect(hears("RELOADING=1"))
            #expect(hears("READY=1"))
            let reloading = told.first { $0.contains("RELOADING=1") }
            #expect(reloading?.contains("MONOTONIC_USEC=") == true)
            var topics: [String] = []
            func takeAll() throws {
                try normal.call("daemon.ping")
                for notification in normal.takeNotifications() {
                    if notification.method == "event" {
                        topics.append(try EventRecord(decoding: notification.params).topic)
                    } else {
                        try mirror.take(notification)
                    }
                }
            }
            let names = ["in a.md", "in b.md"]
            #expect(
                try waitUntil {
                    try takeAll()
                    return mirror.isComplete && mirror.items.compactMap(\.name?.text) == names
                })
            #expect(topics == ["daemon.reloaded"])

            // A wrong one changes nothing, and says where it is wrong.
            told = []
            try place.write("config.toml", "# settings\nroots = 3\n")
            let refusal = #expect(throws: TestConnection.Failure.self) {
                try normal.call("daemon.reload")
            }
            guard case .refused(let code, let message)? = refusal else {
                Issue.record("not refused: \(String(describing: refusal))")
                return
            }
            #expect(code == 1013)
            #expect(message.contains("\(place.path("config.toml")):2: 'roots'"), "\(message)")
            #expect(hears("RELOADING=1"))
            #expect(hears("READY=1"))
            try normal.sync()
            #expect(try normal.allDocuments().map(\.name.text).sorted() == names)

            told = []
            daemon.process.kill(SIGTERM)
            #expect(hears("STOPPING=1"))
            #expect(daemon.process.waitForExit() == .exited(code: 0))
            #expect(access(place.path("run/sock")) == false)
            var last: [String] = []
            while let line = try normal.readLine() {
                last.append(String(decoding: line, as: UTF8.self))
            }
            #expect(last.last?.contains("\"$/goodbye\"") == true, "\(last)")
            #expect(last.contains { $0.contains("daemon.stopping") }, "\(last)")
        }

        private func mode(_ path: String) throws -> UInt32 {
            try FileStatus.of(RawPath(path)).permissions
        }

        private func access(_ path: String) -> Bool {
            FileManager.default.fileExists(atPath: path)
        }

        @Test("daemon.stop is answered, and ends it; SIGINT does too")
        func stop() throws {
            let served = try ServedFolder()
            let client = try served.daemon.connect()
            try client.call("daemon.stop")
            #expect(served.daemon.process.waitForExit() == .exited(code: 0))
            #expect(!access(served.daemon.socket))

            let other = try ServedFolder()
            other.daemon.process.kill(SIGINT)
            #expect(other.daemon.process.waitForExit() == .exited(code: 0))
        }

        @Test("A second daemon on the same socket refuses, and the first continues")
        func secondDaemon() throws {
            let served = try ServedFolder()
            let client = try served.daemon.connect()
            let second = try DaemonUnderTest(
                [served.folder.text], socket: served.daemon.socket, waits: false)
            #expect(second.process.waitForExit() == .exited(code: 1))
            #expect(second.process.standardError.contains(served.daemon.socket))
            #expect(second.process.standardError.contains("another daemon serves there"))
            try client.call("daemon.ping")
            try served.daemon.connect().call("daemon.ping")
        }

        @Test("A socket that replaced its own is left alone at the end")
        func replacedSocket() throws {
            let served = try ServedFolder()
            try served.place.remove("pickerd.sock")
            let other = DescriptorBox(
                try UnixSocket.listen(at: RawPath(served.daemon.socket)))
            served.daemon.process.kill(SIGTERM)
            #expect(served.daemon.process.waitForExit() == .exited(code: 0))
            _ = try UnixSocket.connect(to: RawPath(served.daemon.socket))
            withExtendedLifetime(other) {}
            #expect(!access(served.daemon.socket + ".lock"))
        }

        @Test("A folder for the socket that others may write to is refused, with what to do")
        func openFolder() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("run")
            RealFolder(place.path("run")).setMode([], 0o777)
            let (exit, message) = try refusal([place.path, "--socket", place.path("run/sock")])
            #expect(exit == .exited(code: 1))
            #expect(
                message.contains(place.path("run")) && message.contains("its mode is 777")
                    && message.contains("chmod go-w"), "\(message)")
            try place.makeFolder("mine")
            try place.makeLink("link", to: place.path("mine"))
            let link = try refusal([place.path, "--socket", place.path("link/sock")])
            #expect(link.exit == .exited(code: 1))
            #expect(link.message.contains("it is a link"), "\(link.message)")
        }

        @Test("A socket left behind by a daemon that was killed is taken over")
        func staleSocket() throws {
            let served = try ServedFolder()
            served.daemon.process.kill(SIGKILL)
            #expect(served.daemon.process.waitForExit() == .killed(signal: SIGKILL))
            #expect(access(served.daemon.socket))
            let second = try DaemonUnderTest([served.folder.text], socket: served.daemon.socket)
            try second.connect().call("daemon.ping")
        }

        /// How a start that can't succeed ends, and what it says.
        private func refusal(
            _ arguments: [String], environment: [String: String] = [:]
        ) throws -> (exit: ChildExit?, message: String) {
            let process = try SpawnedProcess(
                SpawnedProcess.built("pickerd"), arguments, environment: environment)
            return (process.waitForExit(), process.standardError)
        }

        @Test("Without a path for the socket it refuses, and says what to set")
        func noSocketPath() throws {
            let place = try TemporaryFolder()
            let (exit, message) = try refusal([place.path])
            #expect(exit == .exited(code: 1))
            #expect(message.contains("XDG_RUNTIME_DIR") && message.contains("PICKERD_SOCKET"))
        }

        @Test("PICKERD_SOCKET overrides XDG_RUNTIME_DIR, where the socket has its own folder")
        func socketPlaces() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("root")
            var environment = ["XDG_RUNTIME_DIR": place.path]
            for socket in ["pickerd/pickerd.sock", "named"] {
                let process = try SpawnedProcess(
                    SpawnedProcess.built("pickerd"), [place.path("root")],
                    environment: environment)
                #expect(
                    waitUntil {
                        (try? UnixSocket.connect(to: place.rawPath(socket))) != nil
                    }, "\(process.standardError)")
                environment["PICKERD_SOCKET"] = place.path("named")
            }
        }

        @Test(
            "A wrong command line ends with 2",
            arguments: [["--frob"], ["--log-level", "loud"], ["--socket"]])
        func wrongOption(_ arguments: [String]) throws {
            let (exit, message) = try refusal(arguments)
            #expect(exit == .exited(code: 2))
            #expect(message.contains(arguments[0]) || message.contains(arguments.last ?? ""))
        }

        @Test("A socket that was passed in is used, and left in place at the end")
        func passedSocket() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("root")
            try place.write("root/a.md")
            let socket = place.path("sock")
            let listener = DescriptorBox(try UnixSocket.listen(at: RawPath(socket)))
            // The shell knows its own number, which stays the daemon's.
            let script = "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=pickerd exec \"$@\""
            let process = try SpawnedProcess(
                "/bin/sh",
                ["-c", script, "sh", SpawnedProcess.built("pickerd"), place.path("root")],
                passing: [listener.number])
            // It waits in the backlog until the daemon is there.
            let client = try TestConnection(to: socket)
            try client.sync()
            #expect(try client.allDocuments().map(\.name.text) == ["a.md"])
            let info = try DaemonStatus(decoding: client.call("daemon.info"))
            #expect(info.pid == Int(process.pid))
            process.kill(SIGTERM)
            #expect(process.waitForExit() == .exited(code: 0))
            #expect(access(socket))
        }

        @Test("A client of another user is disconnected before it is read")
        func otherUser() throws {
            let programs = ["/usr/bin/setpriv", "/usr/bin/perl"]
            guard CurrentProcess.uid == 0, programs.allSatisfy(access) else {
                print("skipped: only root, with setpriv and perl, can be somebody else here")
                return
            }
            let served = try ServedFolder()
            // The folders' modes keep others out; the check behind them is what is tested.
            served.folder.setModeOfPlace(0o777)
            RealFolder(served.daemon.socket).setMode([], 0o666)
            let script = """
                use IO::Socket::UNIX;
                my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "connect: $!";
                $SIG{PIPE} = 'IGNORE';
                print $s qq({"id":1,"method":"daemon.ping"}\\n); $s->flush;
                my $line = <$s>;
                print defined $line ? "heard: $line" : "closed";
                """
            for (user, answer) in [(65534, "closed"), (0, "heard: ")] {
                let client = try SpawnedProcess(
                    programs[0],
                    [
                        "--reuid=\(user)", "--clear-groups", programs[1], "-e", script,
                        served.daemon.socket,
                    ])
                #expect(client.waitForExit() == .exited(code: 0), "\(client.standardError)")
                #expect(client.standardOutput.hasPrefix(answer), "\(client.standardOutput)")
            }
            let info = try JSONValue(
                parsing: served.daemon.connect().call("daemon.info").bytes)
            #expect(info["counters"]?["refused"]?.integerValue == 1)
        }
    }
}

extension RealFolder {
    /// Sets the mode of the folder that this one is in.
    fileprivate func setModeOfPlace(_ mode: UInt32) {
        setMode(Array("..".utf8), mode)
    }
}
