import PickerClient
import SystemInterface

// Bytes from standard input to a socket, and from the socket to standard output, both ways at
// once. Nothing is read that there is no room to keep, and nothing is written to a descriptor
// that would make us wait, so neither side can hold up the other for ever.

final class RawRelay {
    /// How much is kept of either direction.
    private static let room = 256 << 10
    /// A pipe that is ready to be written to takes this much without waiting (PIPE_BUF).
    private static let pieceOfOutput = 4096

    private let loop = PollLoop()
    private let socket: DescriptorBox
    // Ours from here on: nothing else uses them after a relay has begun.
    private let input = DescriptorBox(OwnedDescriptor(adopting: 0))
    private let output = DescriptorBox(OwnedDescriptor(adopting: 1))

    private var toSocket: [UInt8] = []
    private var toOutput: [UInt8] = []
    private var inputHasEnded = false
    private var sendingHasEnded = false
    private var socketHasEnded = false
    private var failure: (any Error)?
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var watches: (input: PollWatch, socket: PollWatch, output: PollWatch)?

    init(_ socket: consuming OwnedDescriptor) {
        self.socket = DescriptorBox(socket)
    }

    /// Runs until the socket has ended and all of it is printed.
    func run() throws {
        watches = (
            loop.watch(input.number, for: .readable) { [weak self] _ in
                self?.attempt { try $0.takeInput() }
            },
            loop.watch(socket.number, for: []) { [weak self] events in
                self?.attempt { try $0.serveSocket(events) }
            },
            loop.watch(output.number, for: []) { [weak self] events in
                self?.attempt { try $0.giveOutput(events) }
            }
        )
        wait()
        loop.run { failure != nil || socketHasEnded && toOutput.isEmpty }
        if let failure { throw failure }
    }

    private func attempt(_ body: (RawRelay) throws -> Void) {
        do {
            try body(self)
            wait()
        } catch {
            failure = failure ?? error
        }
    }

    /// Sets what each descriptor is waited for.
    private func wait() {
        guard let watches else { return }
        if inputHasEnded || socketHasEnded { watches.input.cancel() }
        watches.input.isPaused = toSocket.count >= Self.room
        if socketHasEnded { watches.socket.cancel() }
        let isFull = toOutput.count >= Self.room
        watches.socket.events = []
        if !isFull { watches.socket.events.insert(.readable) }
        if !toSocket.isEmpty { watches.socket.events.insert(.writable) }
        watches.socket.isPaused = isFull && toSocket.isEmpty
        watches.output.events = toOutput.isEmpty ? [] : .writable
    }

    private func takeInput() throws {
        switch try input.descriptor.read(into: &buffer) {
        case .bytes(let count): toSocket += buffer[..<count]
        case .wouldBlock: return
        case .closed: inputHasEnded = true
        }
        try sendToSocket()
    }

    private func serveSocket(_ events: PollLoop.Events) throws {
        if events.contains(.writable) { try sendToSocket() }
        guard events.contains(.readable) || events.contains(.hangup), toOutput.count < Self.room
        else { return }
        switch try socket.descriptor.read(into: &buffer) {
        case .bytes(let count): toOutput += buffer[..<count]
        case .wouldBlock: return
        case .closed: socketHasEnded = true
        }
    }

    private func sendToSocket() throws {
        while !toSocket.isEmpty {
            switch try socket.descriptor.send(toSocket) {
            case .bytes(let count): toSocket.removeFirst(count)
            case .wouldBlock: return
            case .closed:
                // The daemon takes no more; what it has said is still read.
                toSocket = []
                inputHasEnded = true
                sendingHasEnded = true
            }
        }
        if inputHasEnded, !sendingHasEnded {
            sendingHasEnded = true
            try UnixSocket.finishSending(on: socket.descriptor)
        }
    }

    private func giveOutput(_ events: PollLoop.Events) throws {
        guard !toOutput.isEmpty, events.contains(.writable) else {
            if events.contains(.hangup) { throw OutputClosed() }
            return
        }
        let piece = Array(toOutput.prefix(Self.pieceOfOutput))
        switch try output.descriptor.write(piece) {
        case .bytes(let count): toOutput.removeFirst(count)
        case .wouldBlock: return
        case .closed: throw OutputClosed()
        }
    }
}
