import PickerClient
import SystemInterface

// Relays bytes from standard input to a socket, and from the socket to standard output, in both directions
// at once. It reads only what its buffers can hold, and never makes a blocking write, so neither side can
// block the other forever.

final class RawRelay {
    /// The size of the buffer for the daemon's output.
    private static let room = 256 << 10
    /// A writable pipe accepts this many bytes without blocking (PIPE_BUF).
    private static let pieceOfOutput = 4096

    private let loop = PollLoop()
    private let connection: ByteConnection
    // Owned from here on: nothing else uses it after a relay has begun.
    private let input = DescriptorBox(OwnedDescriptor(adopting: 0))

    private var unanswered = UnansweredRequests()
    private var toOutput: [UInt8] = []
    private var inputHasEnded = false
    private var socketHasEnded = false
    private var failure: (any Error)?
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var watches: (input: PollWatch, output: PollWatch)?

    init(to path: String) throws(ClientError) {
        connection = try ByteConnection(to: path, on: loop)
    }

    /// Runs until the socket has ended and everything is printed.
    func run() throws {
        watches = (
            loop.watch(input.number, for: .readable) { [weak self] _ in
                self?.attempt { try $0.takeInput() }
            },
            loop.watch(1, for: []) { [weak self] events in
                self?.attempt { try $0.giveOutput(events) }
            }
        )
        connection.onBytes = { [weak self] bytes in
            self?.attempt { relay in
                relay.toOutput += bytes
                relay.unanswered.receive(bytes[...])
                if bytes.isEmpty { relay.socketHasEnded = true }
            }
        }
        connection.onRoom = { [weak self] in self?.wait() }
        connection.onError = { [weak self] error in self?.attempt { _ in throw error } }
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
        if inputHasEnded || !connection.canSend { watches.input.cancel() }
        watches.input.isPaused = connection.room < buffer.count
        let isFull = toOutput.count >= Self.room
        if connection.isPaused != isFull { connection.isPaused = isFull }
        watches.output.events = toOutput.isEmpty ? [] : .writable
    }

    private func takeInput() throws {
        switch try input.descriptor.read(into: &buffer) {
        case .bytes(let count):
            unanswered.send(buffer[..<count])
            connection.send(buffer[..<count])
        case .wouldBlock: return
        case .closed:
            inputHasEnded = true
            connection.finishSending()
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
