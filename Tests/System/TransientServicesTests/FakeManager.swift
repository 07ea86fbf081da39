// A service manager of a few lines: it accepts connections, and answers all calls in one way.

import EventLoops
import SystemInterface

/// Listens at a path, and answers as told, on the loop of the test.
final class FakeManager {
    enum Manner: Sendable {
        /// It accepts, and says nothing.
        case silent
        /// It closes each connection once it has been sent something.
        case closing
        /// It answers with bytes that are no D-Bus.
        case garbage
        /// It lets clients in, and then does the same at their first call.
        indirect case letsIn(then: Manner)
        /// It lets clients in, and answers each call with an error.
        case refuses(name: String, message: String)
    }

    var manner: Manner
    private(set) var connections = 0
    /// All that was received.
    private(set) var received: [UInt8] = []
    private let loop: any EventLoop
    private let listener: DescriptorBox
    private var watch: (any IOSource)?
    private var clients: [Client] = []

    private final class Client {
        let socket: DescriptorBox
        var watch: (any IOSource)?
        var bytes: [UInt8] = []
        var isIn = false

        init(_ socket: DescriptorBox) { self.socket = socket }
    }

    init(_ loop: any EventLoop, at path: RawPath, _ manner: Manner) throws {
        self.loop = loop
        self.manner = manner
        listener = DescriptorBox(try UnixSocket.listen(at: path))
        watch = try loop.watch(listener.number, for: .readable) { [weak self] _ in self?.accept() }
    }

    private func accept() {
        guard case .connection(let socket)? = try? UnixSocket.accept(on: listener.number) else {
            return
        }
        connections += 1
        let client = Client(DescriptorBox(socket))
        clients.append(client)
        client.watch = try? loop.watch(client.socket.number, for: .readable) {
            [weak self, unowned client] _ in self?.read(client)
        }
    }

    private func drop(_ client: Client) {
        client.watch?.cancel()
        clients.removeAll { $0 === client }
    }

    private func read(_ client: Client) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        guard case .bytes(let count)? = try? client.socket.descriptor.read(into: &buffer) else {
            return drop(client)
        }
        received += buffer[..<count]
        client.bytes += buffer[..<count]
        if !client.isIn, isLet(in: manner) {
            let end = Array("BEGIN\r\n".utf8)
            guard
                let begin = client.bytes.indices.first(where: {
                    client.bytes[$0...].starts(with: end)
                })
            else { return }
            client.isIn = true
            client.bytes.removeFirst(begin + end.count)
            let welcome = "DATA\r\nOK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n"
            _ = try? client.socket.descriptor.send(Array(welcome.utf8))
        } else if !client.isIn {
            return act(manner, client)
        }
        while client.isIn, let call = BusBytes.takeCall(&client.bytes) { answer(call, client) }
    }

    private func isLet(in manner: Manner) -> Bool {
        switch manner {
        case .letsIn, .refuses: true
        case .silent, .closing, .garbage: false
        }
    }

    private func answer(_ call: BusBytes.Call, _ client: Client) {
        // The first call on a bus; its answer is the client's name.
        if call.isHello {
            let answer = BusBytes.answer(to: call.serial, error: nil, text: ":1.7")
            _ = try? client.socket.descriptor.send(answer)
            return
        }
        switch manner {
        case .letsIn(let then): act(then, client)
        case .refuses(let name, let message):
            let answer = BusBytes.answer(to: call.serial, error: name, text: message)
            _ = try? client.socket.descriptor.send(answer)
        default: break
        }
    }

    private func act(_ manner: Manner, _ client: Client) {
        switch manner {
        case .closing: drop(client)
        case .garbage:
            let line = Array("this is no D-Bus\r\n".utf8)
            _ = try? client.socket.descriptor.send(line + line + line)
        default: break
        }
    }
}
