internal import SystemInterface

// A socket without the protocol: bytes go out as they are given and come in as they are, for whoever
// wants to see or type the lines themselves. Neither direction keeps more than a limit: what does not
// fit is not taken, and not read.

/// A connection to the daemon for bytes.
public final class ByteConnection {
    /// How many bytes may wait to be sent.
    public static let longestQueue = 256 << 10

    private enum Sending {
        case open
        /// The end is sent behind what waits.
        case ending
        case ended
    }

    private let socket: DescriptorBox
    private var watch: PollWatch?
    private var queue: [UInt8] = []
    private var sending = Sending.open
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Is given what has come; empty at the end, and nothing follows that.
    public var onBytes: ((ArraySlice<UInt8>) -> Void)?
    /// Is told when there is room again for what is to be sent, and when the daemon takes no more.
    public var onRoom: (() -> Void)?
    /// Is told of what went wrong. Nothing follows.
    public var onError: ((ClientError) -> Void)?
    /// Whether nothing is read for now.
    public var isPaused = false {
        didSet { updateWatch() }
    }

    /// Connects to the daemon's socket.
    ///
    /// - Parameters:
    ///   - path: the socket's.
    ///   - loop: the loop that it runs on.
    /// - Throws: ``ClientError/Code/noDaemon`` if there is no socket or nobody listens on it,
    ///   ``ClientError/Code/cannotConnect`` for everything else.
    public init(to path: String, on loop: PollLoop) throws(ClientError) {
        socket = DescriptorBox(try PickerConnection.openSocket(at: path))
        watch = loop.watch(socket.number, for: .readable) { [weak self] events in
            self?.ready(events)
        }
    }

    deinit { watch?.cancel() }

    /// How many bytes can be given to ``send(_:)`` now; 0 when the daemon takes no more.
    public var room: Int {
        if case .open = sending { max(0, Self.longestQueue - queue.count) } else { 0 }
    }

    /// Whether the daemon can be sent something, now or later.
    public var canSend: Bool {
        if case .open = sending { true } else { false }
    }

    /// Sends bytes behind those that wait.
    ///
    /// - Parameter bytes: no more than there is ``room`` for.
    public func send(_ bytes: some Collection<UInt8>) {
        precondition(bytes.count <= room, "more bytes than there is room for")
        queue += bytes
        flush()
    }

    /// Says that nothing more will be sent, behind what waits. The daemon then sends what it owes.
    public func finishSending() {
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
                    // What the daemon has said before it went is still read.
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
        // A connection that has ended would be told in each turn.
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
