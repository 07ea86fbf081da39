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
        let first = try pass(
            try UnixSocket.listen(at: folder.rawPath("a")),
            try UnixSocket.listen(at: folder.rawPath("b")))
        do {
            let sockets = try SocketActivation.adopt(["pickerd", "other"], from: first)
            #expect(sockets.map(\.name) == ["pickerd", "other"])
            #expect(sockets.map { $0.descriptor.number } == [first, first + 1])

            let client = try UnixSocket.connect(to: folder.rawPath("b"))
            guard case .connection(let served) = try UnixSocket.accept(on: first + 1) else {
                Issue.record("nobody connected")
                return
            }
            #expect(try client.send([1]) == .bytes(1))
            var buffer = [UInt8](repeating: 0, count: 2)
            let received = try served.read(into: &buffer)
            #expect(received == .bytes(1))
            guard case .wouldBlock = try UnixSocket.accept(on: first + 1) else {
                Issue.record("the socket blocks or has another connection")
                return
            }
            for socket in sockets {
                #expect(fcntl(socket.descriptor.number, F_GETFD) == FD_CLOEXEC)
            }
        }
        #expect(fcntl(first, F_GETFD) == -1)
    }

    @Test("anything but a listening stream socket is an error, and all are closed")
    func wrongKind() throws {
        let folder = try TemporaryFolder()
        let first = try pass(
            try UnixSocket.listen(at: folder.rawPath("a")),
            try UnixSocket.receiveDatagrams(at: folder.rawPath("b")))
        #expect(throws: ServiceError.wrongKind(number: first + 1, name: "bad")) {
            try SocketActivation.adopt(["good", "bad"], from: first)
        }
        #expect(fcntl(first, F_GETFD) == -1)
        #expect(fcntl(first + 1, F_GETFD) == -1)
    }

    @Test("a connected socket is not a listening one")
    func connected() throws {
        let pair = try UnixSocket.pair()
        let first = try pass(pair.first, pair.second)
        #expect(throws: ServiceError.wrongKind(number: first, name: "a")) {
            try SocketActivation.adopt(["a", "b"], from: first)
        }
    }
}

/// Puts two blocking descriptors without close-on-exec at consecutive numbers, as the service manager does.
/// - Returns: the first number.
private func pass(
    _ first: borrowing OwnedDescriptor, _ second: borrowing OwnedDescriptor
) throws -> Int32 {
    for number in [first.number, second.number] { try #require(fcntl(number, F_SETFL, 0) == 0) }
    return try #require(copyToConsecutive(first.number, second.number))
}
