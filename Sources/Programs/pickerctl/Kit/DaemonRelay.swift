import JSONText
import PickerClient
import SystemInterface
import WireProtocol

/// What a plugin asks the daemon, on a connection of its own to a running one: lines go there as they are, and what the
/// daemon answers comes back. The plugin has the rights of any client.
final class DaemonRelay {
    /// The most bytes that wait for a daemon that does not read.
    private static let room = 16 << 20

    private let socket: DescriptorBox
    private let take: ([UInt8]) -> Void
    private var watch: PollWatch?
    private var framer = LineFramer(limit: 64 << 20)
    private var outgoing: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    /// Why there is no daemon any more.
    private(set) var end: String?

    /// Connects, and calls `take` with each line of the daemon.
    init(
        to path: String, on loop: PollLoop, _ take: @escaping ([UInt8]) -> Void
    ) throws(ClientError) {
        socket = DescriptorBox(try PickerConnection.openSocket(at: path))
        self.take = take
        watch = loop.watch(socket.number, for: .readable) { [weak self] in self?.serve($0) }
    }

    deinit { watch?.cancel() }

    func send(_ line: [UInt8]) {
        guard end == nil else { return }
        outgoing += line
        outgoing.append(UInt8(ascii: "\n"))
        if outgoing.count > Self.room { return close("the daemon does not read what it is sent") }
        flush()
    }

    private func serve(_ events: PollLoop.Events) {
        if events.contains(.writable) { flush() }
        guard end == nil else { return }
        switch try? socket.descriptor.read(into: &buffer) {
        case .bytes(let count): framer.append(buffer[..<count])
        case .wouldBlock: return
        case .closed, nil: return close("the daemon closed the connection")
        }
        while let event = framer.next() {
            if case .line(let line) = event { take(Array(line)) }
        }
    }

    private func flush() {
        sending: while !outgoing.isEmpty {
            switch try? socket.descriptor.send(outgoing) {
            case .bytes(let count): outgoing.removeFirst(count)
            case .wouldBlock: break sending
            case .closed, nil: return close("the daemon closed the connection")
            }
        }
        watch?.events = outgoing.isEmpty ? .readable : [.readable, .writable]
    }

    private func close(_ why: String) {
        end = why
        watch?.cancel()
        watch = nil
    }
}
