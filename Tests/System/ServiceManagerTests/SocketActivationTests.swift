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

    @Test("listening sockets are adopted, with their names")
    func taken() throws {
        let folder = try TemporaryFolder()
        try pass(
            try UnixSocket.listen(at: folder.rawPath("a")),
            try UnixSocket.listen(at: folder.rawPath("b")), at: 610)
        do {
            let sockets = try SocketActivation.adopt(["pickerd", "other"], from: 610)
            #expect(sockets.map(\.name) == ["pickerd", "other"])
            #expect(sockets.map { $0.descriptor.number } == [610, 611])

            let client = try UnixSocket.connect(to: folder.rawPath("b"))
            guard case .connection(let served) = try UnixSocket.accept(on: 611) else {
                Issue.record("nobody connected")
                return
            }
            #expect(try client.send([1]) == .bytes(1))
            var buffer = [UInt8](repeating: 0, count: 2)
            let received = try served.read(into: &buffer)
            #expect(received == .bytes(1))
            guard case .wouldBlock = try UnixSocket.accept(on: 611) else {
                Issue.record("the socket blocks or has another connection")
                return
            }
            for socket in sockets {
                #expect(fcntl(socket.descriptor.number, F_GETFD) == FD_CLOEXEC)
            }
        }
        #expect(fcntl(610, F_GETFD) == -1)
    }

    @Test("anything but a listening stream socket is an error, and all are closed")
    func wrongKind() throws {
        let folder = try TemporaryFolder()
        try pass(
            try UnixSocket.listen(at: folder.rawPath("a")),
            try UnixSocket.receiveDatagrams(at: folder.rawPath("b")), at: 620)
        #expect(throws: ServiceError.wrongKind(number: 621, name: "bad")) {
            try SocketActivation.adopt(["good", "bad"], from: 620)
        }
        #expect(fcntl(620, F_GETFD) == -1)
        #expect(fcntl(621, F_GETFD) == -1)
    }

    @Test("a connected socket is not a listening one")
    func connected() throws {
        let pair = try UnixSocket.pair()
        try pass(pair.first.duplicate(), pair.second.duplicate(), at: 630)
        #expect(throws: ServiceError.wrongKind(number: 630, name: "a")) {
            try SocketActivation.adopt(["a", "b"], from: 630)
        }
    }
}

/// Puts two blocking descriptors without close-on-exec where the service manager would: at consecutive numbers
/// that only this test uses.
private func pass(
    _ first: borrowing OwnedDescriptor, _ second: borrowing OwnedDescriptor, at number: Int32
) throws {
    for (from, to) in [(first.number, number), (second.number, number + 1)] {
        try #require(fcntl(from, F_SETFL, 0) == 0)
        try #require(dup2(from, to) == to)
    }
}
