import PickerClient
import SystemInterface

// Relays bytes from standard input to a socket, and from the socket to standard output, in both directions
// at once. It reads only what its buffers can hold, and never makes a blocking write, so neither side can
// block the other forever.

final class RawRelay {
    /// The size of the buffer in each direction.
    private static let room = 256 << 10
    /// A writable pipe accepts this many bytes without blocking (PIPE_BUF).
    private static let pieceOfOutput = 4096

    private enum Sending {
        case open
        /// The end is sent after the bytes that wait.
        case ending
        case ended
    }

    private let loop = PollLoop()
    private let socket: DescriptorBox
    // Owned from here on: nothing else uses it after a relay has begun.
    private let input = DescriptorBox(OwnedDescriptor(adopting: 0))

    private var unanswered = UnansweredRequests()
    private var toSocket: [UInt8] = []
    private var toOutput: [UInt8] = []
    private var sending = Sending.open
    private var socketHasEnded = false
    private var failure: (any Error)?
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var watches: (input: PollWatch, socket: PollWatch, output: PollWatch)?

    init(to path: String) throws(ClientError) {
        socket = DescriptorBox(try PickerConnection.openSocket(at: path))
    }

    /// Runs until the socket has ended and everything is printed.
    func run() throws {
        watches = (
            loop.watch(input.number, for: .readable) { [weak self] _ in
                self?.attempt { try $0.takeInput() }
            },
            loop.watch(socket.number, for: .readable) { [weak self] events in
                self?.attempt { try $0.serveSocket(events) }
            },
            loop.watch(1, for: []) { [weak self] events in
                self?.attempt { try $0.giveOutput(events) }
            }
        )
        wait()
        loop.run { failure != nil || socketHasEnded && toOutput.isEmpty }
        if let failure { throw failure }
        if unanswered.count > 0 {
            let requests = unanswered.count == 1 ? "a request" : "\(unanswered.count) requests"
            throw CommandError("the daemon closed the connection, and has not answered \(requests)")
        }
    }

    private func attempt(_ body: (RawRelay) throws -> Void) {
        do {
            try body(self)
            wait()
        } catch {
            failure = failure ?? error
        }
    }

    /// Sets the events of each descriptor.
    private func wait() {
        guard let watches else { return }
        if sending != .open { watches.input.cancel() }
        watches.input.isPaused = Self.room - toSocket.count < buffer.count
        watches.socket.events = toOutput.count < Self.room ? .readable : []
        if !toSocket.isEmpty || sending == .ending { watches.socket.events.insert(.writable) }
        // Otherwise an ended connection would be reported in each turn.
        watches.socket.isPaused = watches.socket.events.isEmpty
        watches.output.events = toOutput.isEmpty ? [] : .writable
    }

    private func takeInput() throws {
        switch try input.descriptor.read(into: &buffer) {
        case .bytes(let count):
            unanswered.send(buffer[..<count])
            toSocket += buffer[..<count]
        case .wouldBlock: return
        case .closed: sending = .ending
        }
    }

    private func serveSocket(_ events: PollLoop.Events) throws(ClientError) {
        do throws(SystemError) {
            if events.contains(.writable) { try sendWaiting() }
            guard events.contains(.readable) || events.contains(.hangup),
                toOutput.count < Self.room
            else { return }
            switch try socket.descriptor.read(into: &buffer) {
            case .bytes(let count):
                toOutput += buffer[..<count]
                unanswered.receive(buffer[..<count])
            case .wouldBlock: return
            case .closed:
                watches?.socket.cancel()
                sending = .ended
                socketHasEnded = true
            }
        } catch {
            throw ClientError(.disconnected, "the connection broke: \(error)")
        }
    }

    private func sendWaiting() throws(SystemError) {
        while !toSocket.isEmpty {
            switch try socket.descriptor.send(toSocket) {
            case .bytes(let count): toSocket.removeFirst(count)
            case .wouldBlock: return
            case .closed:
                // Earlier output of the daemon is still read.
                toSocket = []
                sending = .ended
            }
        }
        if sending == .ending {
            sending = .ended
            try UnixSocket.finishSending(on: socket.descriptor)
        }
    }

    private func giveOutput(_ events: PollLoop.Events) throws {
        guard !toOutput.isEmpty, events.contains(.writable) else {
            if events.contains(.hangup) { throw OutputError.closed }
            return
        }
        let piece = Array(toOutput.prefix(Self.pieceOfOutput))
        if case .bytes(let count) = try Output.standard.writeSome(piece) {
            toOutput.removeFirst(count)
        }
    }
}
