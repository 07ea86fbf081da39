import Glibc
import ServiceManager
import SystemInterface
import TestSupport
import Testing

@Suite("Sockets from the service manager")
struct SocketActivationTests {
    @Test("without activation there are none")
    func none() throws {
        #expect(try SocketActivation.takeSockets().isEmpty)
    }

    @Test("listening sockets are taken over, with their names, once")
    func taken() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try pass(
                try UnixSocket.listen(at: folder.rawPath("a")),
                try UnixSocket.listen(at: folder.rawPath("b")), names: "pickerd:other")
            do {
                let sockets = try SocketActivation.takeSockets()
                #expect(sockets.map(\.name) == ["pickerd", "other"])
                #expect(sockets.map { $0.descriptor.number } == [3, 4])
                #expect(try SocketActivation.takeSockets().isEmpty)

                let client = try UnixSocket.connect(to: folder.rawPath("b"))
                guard case .connection(let served) = try UnixSocket.accept(on: 4) else {
                    Issue.record("nobody connected")
                    return
                }
                #expect(try client.send([1]) == .bytes(1))
                #expect(try served.readableBytes() == 1)
                guard case .wouldBlock = try UnixSocket.accept(on: 4) else {
                    Issue.record("the socket blocks or has another connection")
                    return
                }
                for socket in sockets {
                    #expect(fcntl(socket.descriptor.number, F_GETFD) == FD_CLOEXEC)
                }
            }
            #expect(fcntl(3, F_GETFD) == -1)
        }
    }

    @Test("anything but a listening stream socket is an error, and all are closed")
    func wrongKind() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try pass(
                try UnixSocket.listen(at: folder.rawPath("a")),
                try UnixSocket.receiveDatagrams(at: folder.rawPath("b")), names: "good:bad")
            #expect(throws: ServiceError.wrongKind(number: 4, name: "bad")) {
                try SocketActivation.takeSockets()
            }
            #expect(fcntl(3, F_GETFD) == -1)
            #expect(fcntl(4, F_GETFD) == -1)
        }
    }
}

/// Puts two descriptors where the service manager would, in an exit test's process.
private func pass(
    _ first: consuming OwnedDescriptor, _ second: consuming OwnedDescriptor, names: String
) throws {
    // Out of the way first: either may be where the other is to go.
    let numbers = [first.number, second.number].map { fcntl($0, F_DUPFD, 100) }
    _ = first.release()
    _ = second.release()
    for (index, number) in numbers.enumerated() {
        try #require(number >= 100)
        try #require(dup2(number, 3 + Int32(index)) >= 0)
        close(number)
    }
    setEnvironment("LISTEN_PID", "\(getpid())")
    setEnvironment("LISTEN_FDS", "2")
    setEnvironment("LISTEN_FDNAMES", names)
}
