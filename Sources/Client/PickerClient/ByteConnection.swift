internal import SystemInterface

// A socket without the protocol: raw bytes in both directions, for programs that show or type the lines
// themselves. Both directions have limited buffers: bytes beyond the limit are not accepted, and not read.

/// A connection to the daemon for bytes.
package final class ByteConnection {
    /// The most bytes in the send queue.
    package static let longestQueue = 256 << 10

    private enum Sending {
        case open
        /// The end is sent after the queue.
        case ending
        case ended
    }

    private let socket: DescriptorBox
    private var watch: PollWatch?
    private var queue: [UInt8] = []
    private var sending = Sending.open
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Called with received bytes; with none at the end, which is the last call.
    package var onBytes: ((ArraySlice<UInt8>) -> Void)?
    /// Called when there is room to send again, and when the daemon accepts no more.
    package var onRoom: (() -> Void)?
    /// Called with the error that ended the connection. No call follows.
    package var onError: ((ClientError) -> Void)?
    /// Whether reading is paused.
    package var isPaused = false {
        didSet { updateWatch() }
    }

    /// Connects to the daemon's socket.
    ///
    /// - Parameters:
    ///   - path: the socket's.
    ///   - loop: the loop that it runs on.
    /// - Throws: ``ClientError/Code/noDaemon`` if there is no socket or nobody listens on it,
    ///   ``ClientError/Code/cannotConnect`` for everything else.
    package init(to path: String, on loop: PollLoop) throws(ClientError) {
        socket = DescriptorBox(try PickerConnection.openSocket(at: path))
        watch = loop.watch(socket.number, for: .readable) { [weak self] events in
            self?.ready(events)
        }
    }

    deinit { watch?.cancel() }

    /// The number of bytes that ``send(_:)`` accepts now; 0 when the daemon accepts no more.
    package var room: Int {
        if case .open = sending { max(0, Self.longestQueue - queue.count) } else { 0 }
    }

    /// Whether bytes can be sent, now or later.
    package var canSend: Bool {
        if case .open = sending { true } else { false }
    }

    /// Appends bytes to the send queue.
    ///
    /// - Parameter bytes: no more than there is ``room`` for.
    package func send(_ bytes: some Collection<UInt8>) {
        precondition(bytes.count <= room, "more bytes than there is room for")
        queue += bytes
        flush()
    }

    /// Ends sending after the queue. The daemon then sends its pending output.
    package func finishSending() {
        guard case .open = sending else { return }
        sending = .ending
        flush()
    }

    private func ready(_ events: PollLoop.Events) {
        if events.contains(.writable) { flush() }
        guard watch != nil, events.contains(.readable) || events.contains(.hangup), !isPaused else {
            return
        }
        do throws(SystemError) {
            switch try socket.descriptor.read(into: &buffer) {
            case .bytes(let count): onBytes?(buffer[..<count])
            case .wouldBlock: return
            case .closed:
                end()
                onBytes?([])
            }
        } catch {
            fail(error)
        }
    }

    private func flush() {
        do throws(SystemError) {
            while !queue.isEmpty {
                switch try socket.descriptor.send(queue) {
                case .bytes(let count): queue.removeFirst(count)
                case .wouldBlock: return updateWatch()
                case .closed:
                    // Earlier output of the daemon is still read.
                    queue = []
                    sending = .ended
                }
            }
            if case .ending = sending {
                sending = .ended
                try UnixSocket.finishSending(on: socket.descriptor)
            }
            updateWatch()
            onRoom?()
        } catch {
            fail(error)
        }
    }

    private func updateWatch() {
        guard let watch else { return }
        watch.events = isPaused ? [] : .readable
        if !queue.isEmpty { watch.events.insert(.writable) }
        // Otherwise an ended connection would be reported in each turn.
        watch.isPaused = watch.events.isEmpty
    }

    private func fail(_ error: SystemError) {
        end()
        onError?(ClientError(.disconnected, "the connection broke: \(error)"))
    }

    private func end() {
        watch?.cancel()
        watch = nil
        queue = []
        sending = .ended
    }
}
