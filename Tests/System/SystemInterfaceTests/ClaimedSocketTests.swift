import Dispatch
import Foundation
import Glibc
import Synchronization
import SystemInterface
import TestSupport
import Testing

@Suite("Claimed sockets")
struct ClaimedSocketTests {
    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    @Test("a path has one listener at a time, which leaves nothing behind")
    func alone() throws {
        let folder = try TemporaryFolder()
        let path = folder.rawPath("run/socket")
        let first = try ClaimedSocket(path, backlog: 8)
        let error = #expect(throws: SystemError.self) { _ = try ClaimedSocket(path, backlog: 8) }
        #expect(error?.code == .addressInUse)
        #expect(error?.advice == "another daemon serves there")
        _ = try UnixSocket.connect(to: path)
        first.removeFile()
        #expect(try names(in: folder.path("run")) == [])
        // While the first still has its listener, which nobody can reach any more.
        let second = try ClaimedSocket(path, backlog: 8)
        first.removeFile()
        _ = try UnixSocket.connect(to: path)
        second.removeFile()
        #expect(try names(in: folder.path("run")) == [])
        withExtendedLifetime(first.listener) {}
    }

    @Test(
        "a listener that knows no locks is found by its answer, and one that is gone by its silence"
    )
    func withoutLock() throws {
        let folder = try TemporaryFolder()
        let path = folder.rawPath("socket")
        var other: DescriptorBox? = DescriptorBox(try UnixSocket.listen(at: path))
        let error = #expect(throws: SystemError.self) { _ = try ClaimedSocket(path, backlog: 8) }
        #expect(error?.advice == "another process answers there")
        #expect(try names(in: folder.path(".")) == ["socket"])
        #expect(other != nil)
        other = nil
        // Another test that starts a process may hold a copy of the listener for a moment.
        var mine: ClaimedSocket?
        #expect(
            waitUntil {
                mine = try? ClaimedSocket(path, backlog: 8)
                return mine != nil
            })
        _ = try UnixSocket.connect(to: path)
    }

    @Test("a file that replaced the socket is not removed")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let path = folder.rawPath("socket")
        let mine = try ClaimedSocket(path, backlog: 8)
        try folder.remove("socket")
        try folder.write("socket", "precious")
        mine.removeFile()
        #expect(try names(in: folder.path(".")) == ["socket"])
    }

    @Test(
        "of many that find a stale socket at once, one claims it, and is reached")
    func race() throws {
        let folder = try TemporaryFolder()
        for round in 0..<100 {
            let path = folder.rawPath("socket-\(round)")
            do { _ = try UnixSocket.listen(at: path) }
            let winners = Mutex<[ClaimedSocket]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                guard let mine = try? ClaimedSocket(path, backlog: 8) else { return }
                winners.withLock { $0.append(mine) }
            }
            let found = winners.withLock { $0 }
            // None, if a process started by another test held the stale listener at that moment.
            #expect(found.count <= 1)
            guard let winner = found.first else { continue }
            let client = try UnixSocket.connect(to: path)
            guard case .connection = try UnixSocket.accept(on: winner.listener.number) else {
                Issue.record("somebody else is reached, in round \(round)")
                return
            }
            _ = client.number
            winner.removeFile()
        }
    }

    @Test("a folder that others can write to is refused with a remedy")
    func folders() throws {
        let place = try TemporaryFolder()
        func refusal(_ name: String) -> SystemError? {
            #expect(throws: SystemError.self) {
                _ = try UnixSocket.listen(at: place.rawPath(name + "/s"))
            }
        }
        for (name, mode) in [("all", UInt32(0o777)), ("group", 0o770), ("sticky", 0o1777)] {
            try place.makeFolder(name)
            // The path is a C string for the length of the call.
            #expect(unsafe chmod(place.path(name), mode) == 0)
            let error = refusal(name)
            #expect(error?.code == .notPermitted)
            #expect(error?.subject == place.path(name))
            #expect(error?.advice.contains("chmod go-w") == true)
            #expect(error?.advice.contains("mode is \(String(mode, radix: 8))") == true)
        }
        try place.makeFolder("own")
        try place.makeLink("link", to: "own")
        #expect(refusal("link")?.advice.contains("it is a link") == true)
        try place.write("file")
        #expect(refusal("file")?.code == .notADirectory)
        if CurrentProcess.uid == 0 {
            // The path is a C string for the length of the call.
            #expect(unsafe chown(place.path("own"), 65534, 65534) == 0)
            #expect(refusal("own")?.advice.contains("belongs to user 65534") == true)
        }
        // Read permission for others is harmless: the socket has its own mode.
        try place.makeFolder("read")
        #expect(unsafe chmod(place.path("read"), 0o755) == 0)
        _ = try UnixSocket.listen(at: place.rawPath("read/s"))
    }

    @Test("a listener knows its path")
    func path() throws {
        let folder = try TemporaryFolder()
        let socket = try UnixSocket.listen(at: folder.rawPath("s"))
        #expect(UnixSocket.path(of: socket.number) == folder.rawPath("s"))
        let long = String(
            repeating: "x", count: UnixSocket.longestPath - folder.path.utf8.count - 1)
        let other = try UnixSocket.listen(at: folder.rawPath(long))
        #expect(UnixSocket.path(of: other.number) == folder.rawPath(long))
        let pair = try UnixSocket.pair().boxed()
        #expect(UnixSocket.path(of: pair.first.number) == nil)
        #expect(UnixSocket.path(of: 0) == nil)
    }
}
