import Glibc
import SystemInterface
import TestSupport
import Testing

@Suite("Unix sockets")
struct UnixSocketTests {
    @Test("a client connects, and each side has the other's credentials")
    func connect() throws {
        let folder = try TemporaryFolder()
        let path = folder.rawPath("run/socket")
        let listener = try UnixSocket.listen(at: path)
        let folderStatus = try FileStatus.of(folder.rawPath("run"))
        #expect(folderStatus.kind == .directory)
        #expect(folderStatus.permissions == 0o700)
        let socketStatus = try FileStatus.of(path)
        #expect(socketStatus.kind == .socket)
        #expect(socketStatus.permissions == 0o600)

        guard case .wouldBlock = try UnixSocket.accept(on: listener.number) else {
            Issue.record("a connection that nobody made")
            return
        }
        let client = try UnixSocket.connect(to: path)
        guard case .connection(let served) = try UnixSocket.accept(on: listener.number) else {
            Issue.record("nobody connected")
            return
        }
        #expect(try UnixSocket.peerUser(of: served) == getuid())
        #expect(try UnixSocket.peerUser(of: client) == getuid())
        #expect(fcntl(served.number, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(served.number, F_GETFD) == FD_CLOEXEC)

        try UnixSocket.finishSending(on: client)
        var buffer = [UInt8](repeating: 0, count: 1)
        #expect(try served.read(into: &buffer) == .closed)
        #expect(try served.send([5]) == .bytes(1))
        #expect(try client.read(into: &buffer) == .bytes(1))
    }

    @Test("the user is that of the process that connected")
    func otherProcess() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixSocket.listen(at: folder.rawPath("s"))
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.recv(1)
            """
        let python = "/usr/bin/python3"
        guard (try? FileStatus.of(RawPath(python))) != nil else { return }
        let client = try SpawnedProcess(python, ["-c", script, folder.path("s")])
        var user: UInt32?
        _ = try waitUntil {
            guard case .connection(let socket) = try UnixSocket.accept(on: listener.number) else {
                return false
            }
            user = try UnixSocket.peerUser(of: socket)
            return true
        }
        #expect(user == getuid())
        #expect(client.waitForExit() != nil)
    }

    @Test("a stale socket is replaced")
    func stale() throws {
        let folder = try TemporaryFolder()
        let path = folder.rawPath("socket")
        do { _ = try UnixSocket.listen(at: path) }
        #expect(try FileStatus.of(path).kind == .socket)
        // Another test that starts a process may hold a copy of the listener for a moment.
        let isRefused = waitUntil {
            do throws(SystemError) { _ = try UnixSocket.connect(to: path) } catch {
                return error.code == .connectionRefused
            }
            return false
        }
        #expect(isRefused)
        let listener = try UnixSocket.listen(at: path)
        _ = try UnixSocket.connect(to: path)
        _ = listener.number
    }

    @Test("a socket in use is left alone, even with a full backlog")
    func inUse() throws {
        let folder = try TemporaryFolder()
        let path = folder.rawPath("socket")
        let listener = try UnixSocket.listen(at: path, backlog: 1)
        let inode = try FileStatus.of(path).inode
        var clients: [DescriptorBox] = []
        for attempt in 0..<6 {
            let error = #expect(throws: SystemError.self) { _ = try UnixSocket.listen(at: path) }
            #expect(error?.code == .addressInUse, "attempt \(attempt)")
            if let client = try? UnixSocket.connect(to: path) {
                clients.append(DescriptorBox(client))
            }
        }
        let error = #expect(throws: SystemError.self) { _ = try UnixSocket.connect(to: path) }
        #expect(error?.code == .wouldBlock)
        #expect(try FileStatus.of(path).inode == inode)
        _ = listener.number
    }

    @Test("a file that is no socket is left alone")
    func plainFile() throws {
        let folder = try TemporaryFolder()
        try folder.write("socket", "precious")
        let error = #expect(throws: SystemError.self) {
            _ = try UnixSocket.listen(at: folder.rawPath("socket"))
        }
        #expect(error?.code == .alreadyExists)
        #expect(error?.advice == "the file there is not a socket")
        #expect(try folder.contents(of: "socket") == "precious")
        try folder.makeLink("link", to: "socket")
        #expect(throws: SystemError.self) {
            _ = try UnixSocket.listen(at: folder.rawPath("link"))
        }
    }

    @Test("a path that is too long is refused with its length, the longest one is accepted")
    func length() throws {
        let folder = try TemporaryFolder()
        let room = UnixSocket.longestPath - folder.path.utf8.count - 1
        let fits = folder.rawPath(String(repeating: "x", count: room))
        let listener = try UnixSocket.listen(at: fits)
        _ = try UnixSocket.connect(to: fits)
        _ = listener.number
        let long = folder.rawPath(String(repeating: "x", count: room + 1))
        for attempt in [
            { _ = try UnixSocket.listen(at: long) },
            { _ = try UnixSocket.connect(to: long) },
        ] {
            let error = #expect(throws: SystemError.self) { try attempt() }
            #expect(error?.code == .nameTooLong)
            #expect(error?.advice == "a socket's path may have 107 bytes, this one has 108")
        }
        #expect(throws: SystemError.self) { _ = try UnixSocket.connect(to: RawPath("")) }
    }

    @Test("a missing socket, and a folder that cannot be created, are errors")
    func missing() throws {
        let folder = try TemporaryFolder()
        let connecting = #expect(throws: SystemError.self) {
            _ = try UnixSocket.connect(to: folder.rawPath("none"))
        }
        #expect(connecting?.code == .noSuchFile)
        let listening = #expect(throws: SystemError.self) {
            _ = try UnixSocket.listen(at: folder.rawPath("a/b/socket"))
        }
        #expect(listening?.code == .noSuchFile)
    }
}
