internal import DequeModule
internal import JSONText
package import SystemInterface
package import WireProtocol

// One connection to the daemon: requests go out in the order they are made, answers and
// notifications are handed to whoever waits for them.
//
// Belongs to the thread of its loop, and never waits by itself: what the socket does not take at
// once is kept (up to a limit) and sent as it takes it. The end of a connection is final: every
// request without an answer fails, `onClose` is told once, and a new connection is a new object.
// What the daemon sends is not trusted: a line that breaks the protocol ends the connection.

/// What has subscribed to something on a connection.
protocol NotificationSink: AnyObject {
    func receive(_ notification: RequestEnvelope)
    /// The connection has ended; or the daemon has closed what was subscribed to, and the error is a refusal.
    func lose(_ error: ClientError)
}

/// A connection to the daemon.
public final class PickerConnection {
    /// How many bytes of requests may wait to be sent.
    public static let longestQueue = 8 << 20
    /// How many requests may wait for their answers.
    public static let mostUnanswered = 65_536

    private struct WeakSink {
        weak var sink: (any NotificationSink)?
    }

    private enum State {
        case open(DescriptorBox, PollWatch)
        case closed(ClientError)
    }

    /// The loop that it runs on.
    public let loop: PollLoop
    /// Is told once, when the connection has ended and every waiting request has failed.
    public var onClose: ((ClientError) -> Void)?
    /// Sees each notification before it is handed on: its method, and the line as it came.
    package var onNotificationLine: ((String, ArraySlice<UInt8>) -> Void)?
    /// Gets the notifications that belong to no list and no feed.
    package var onNotification: ((RequestEnvelope) -> Void)?
    /// Is told the revision of the documents with each sign of life that a `hello` asked for.
    public var onAlive: ((Int) -> Void)?

    private var state: State
    private var framer = LineFramer()
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var queue: Deque<[UInt8]> = []
    private var sentOfFirst = 0
    package private(set) var queuedBytes = 0
    private var lastID: Int64 = 0
    private var pending: [RequestID: (Result<JSONView, ClientError>) -> Void] = [:]
    private var sinks: [RequestID: WeakSink] = [:]
    private var goodbye: String?
    /// How many feeds have reading held up.
    private var pauses = 0

    /// Connects to the daemon's socket.
    ///
    /// - Throws: ``ClientError/Code/noDaemon`` if there is no socket or nobody listens on it,
    ///   ``ClientError/Code/cannotConnect`` for everything else.
    public convenience init(to path: String, on loop: PollLoop) throws(ClientError) {
        self.init(adopting: try Self.openSocket(at: path), on: loop)
    }

    /// A socket that is connected to the daemon's. Nothing is sent before it is known whose that is.
    static func openSocket(at path: String) throws(ClientError) -> OwnedDescriptor {
        let socket: OwnedDescriptor
        do throws(SystemError) {
            socket = try UnixSocket.connect(to: RawPath(path))
        } catch {
            switch error.code {
            case .noSuchFile, .connectionRefused:
                throw ClientError(.noDaemon, "no daemon listens at \(path)")
            case .wouldBlock:
                throw ClientError(
                    .cannotConnect, "too many programs wait to connect to \(path); try again")
            default: throw ClientError(.cannotConnect, "\(error)")
            }
        }
        let listener: UInt32
        do throws(SystemError) {
            listener = try UnixSocket.peerCredentials(of: socket).uid
        } catch {
            throw ClientError(.cannotConnect, "\(error)")
        }
        guard mayTalk(to: listener, as: CurrentProcess.uid) else {
            throw ClientError(
                .cannotConnect,
                "user \(listener) listens at \(path), and not you: nothing was sent. "
                    + "Name the socket of your own daemon, or remove that one")
        }
        return socket
    }

    /// Whether a process of the user `own` may take one of the user `listener` for its daemon: its own, or
    /// root's. Root, whom each daemon lets in, may talk to any.
    static func mayTalk(to listener: UInt32, as own: UInt32) -> Bool {
        listener == own || listener == 0 || own == 0
    }

    /// Speaks over a connected stream socket.
    package init(adopting socket: consuming OwnedDescriptor, on loop: PollLoop) {
        self.loop = loop
        let box = DescriptorBox(socket)
        // A watch needs its handler first, and the handler this object.
        state = .closed(ClientError(.disconnected, "not connected yet"))
        let watch = loop.watch(box.number, for: .readable) { [weak self] events in
            self?.ready(events)
        }
        state = .open(box, watch)
    }

    deinit {
        if case .open(_, let watch) = state { watch.cancel() }
    }

    /// Whether it has not ended.
    public var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Why the daemon said it would end the connection, as `stopping`, if it did.
    public var goodbyeReason: String? { goodbye }

    /// Ends the connection. Requests without an answer fail.
    public func close() {
        close(because: ClientError(.disconnected, "the connection was closed"))
    }

    /// Ends the connection. Requests without an answer, and lists, fail with `error`.
    package func close(because error: ClientError) { end(error) }

    // MARK: Requests

    /// Sends a request in raw form.
    ///
    /// - Parameters:
    ///   - method: as `daemon.info`.
    ///   - parameters: a JSON object.
    /// - Returns: the `result`.
    @discardableResult
    public func request(_ method: String, _ parameters: RawJSON? = nil) -> Reply<RawJSON> {
        send(method, parameters ?? RawJSON([:]), as: nextID())
    }

    package func nextID() -> RequestID {
        lastID += 1
        return .integer(lastID)
    }

    /// As `request`, under an id that `nextID` gave: the name of what the request opens.
    @discardableResult
    package func send(_ method: String, _ parameters: RawJSON, as id: RequestID) -> Reply<RawJSON> {
        call(method, parameters, as: id) { .success(RawJSON($0.fragment)) }
    }

    /// A request whose result `read` turns into a value.
    func call<Value>(
        _ method: String, _ parameters: RawJSON, as id: RequestID? = nil,
        _ read: @escaping (JSONView) -> Result<Value, ClientError>
    ) -> Reply<Value> {
        let reply = Reply<Value>(on: loop, from: self)
        guard case .open = state else {
            if case .closed(let error) = state { reply.slot.resolve(.failure(error)) }
            return reply
        }
        guard parameters.fragment.kind == .object else {
            let error = ClientError(.badArgument, "the parameters must be a JSON object")
            reply.slot.resolve(.failure(error))
            return reply
        }
        let id = id ?? nextID()
        let line = WireLine.request(id: id, method: method, params: parameters.fragment)
        if line.count > LineFramer.standardLimit + 1 {
            let error = ClientError(
                .badArgument,
                "a request of \(line.count - 1) bytes is longer than the daemon takes "
                    + "(\(LineFramer.standardLimit))")
            reply.slot.resolve(.failure(error))
            return reply
        }
        if queuedBytes + line.count > Self.longestQueue {
            let error = ClientError(
                .tooMuchQueued,
                "over \(Self.longestQueue) bytes of requests wait for the daemon to take them")
            reply.slot.resolve(.failure(error))
            return reply
        }
        if pending.count >= Self.mostUnanswered {
            let error = ClientError(
                .tooMuchQueued, "\(Self.mostUnanswered) requests wait for the daemon to answer them"
            )
            reply.slot.resolve(.failure(error))
            return reply
        }
        pending[id] = { [slot = reply.slot] in slot.resolve($0.flatMap(read)) }
        reply.id = id
        enqueue(line)
        return reply
    }

    /// Asks the daemon not to carry out a request whose answer nobody waits for any more. The answer
    /// that comes all the same is dropped.
    func cancelRequest(_ id: RequestID) {
        guard isOpen, pending[id] != nil else { return }
        let line = WireLine.request(id: nil, method: "$/cancel", params: ["id": id.value])
        if queuedBytes + line.count <= Self.longestQueue { enqueue(line) }
    }

    /// Hands the notifications of what `sub` names to `sink`, until that is nil or gone.
    func setSink(_ sink: (any NotificationSink)?, for sub: RequestID) {
        sinks[sub] = sink.map { WeakSink(sink: $0) }
    }

    // MARK: Pauses

    /// Has nothing more read or handed out until there have been as many `resumeReading`. What is
    /// buffered here meanwhile is a part of a megabyte; the rest waits in the socket and behind it.
    /// An end of the connection is noticed afterwards.
    func pauseReading() {
        pauses += 1
        updateWatch()
    }

    /// Takes back one `pauseReading`. What waits is handed out at the end of the loop's turn.
    func resumeReading() {
        precondition(pauses > 0, "reading is not paused")
        pauses -= 1
        updateWatch()
        if pauses == 0 { loop.atEndOfTurn { [weak self] in self?.handOutLines() } }
    }

    /// What was read and not handed out, in bytes.
    package var bufferedBytes: Int { framer.bufferedCount }

    private func updateWatch() {
        guard case .open(_, let watch) = state else { return }
        watch.events = pauses == 0 ? .readable : []
        if !queue.isEmpty { watch.events.insert(.writable) }
        // A connection that ended would be told in each turn.
        watch.isPaused = watch.events.isEmpty
    }

    // MARK: The socket

    private func enqueue(_ line: [UInt8]) {
        queue.append(line)
        queuedBytes += line.count
        if queue.count == 1 { flush() }
    }

    /// Sends what the socket takes. A socket that is gone is noticed by reading, after the lines
    /// that the daemon sent before it went.
    private func flush() {
        guard case .open(let box, _) = state else { return }
        do {
            sending: while !queue.isEmpty {
                switch try box.descriptor.send(gathering: queue.prefix(16), from: sentOfFirst) {
                case .bytes(let count): dropSent(count)
                case .wouldBlock: break sending
                case .closed:
                    queue = []
                    queuedBytes = 0
                    sentOfFirst = 0
                }
            }
            updateWatch()
        } catch {
            end(ClientError(.disconnected, "the connection broke: \(error)"))
        }
    }

    private func dropSent(_ count: Int) {
        queuedBytes -= count
        sentOfFirst += count
        while let first = queue.first, sentOfFirst >= first.count {
            sentOfFirst -= first.count
            queue.removeFirst()
        }
    }

    private func ready(_ events: PollLoop.Events) {
        if events.contains(.writable) || pauses > 0 { flush() }
        if events.contains(.readable) || events.contains(.hangup) { receive() }
    }

    /// Takes what has come, up to a megabyte; more of it waits for the next turn, so that other
    /// watches of the loop get theirs.
    private func receive() {
        for _ in 0..<16 {
            guard case .open(let box, _) = state, pauses == 0 else { return }
            do {
                switch try box.descriptor.read(into: &buffer) {
                case .bytes(let count):
                    framer.append(buffer[..<count])
                    handOutLines()
                    if count < buffer.count { return }
                case .wouldBlock: return
                case .closed:
                    // After a pause there may be lines that were not handed out yet.
                    handOutLines()
                    if pauses == 0 { end(endOfStream()) }
                    return
                }
            } catch {
                end(ClientError(.disconnected, "the connection broke: \(error)"))
            }
        }
    }

    private func endOfStream() -> ClientError {
        switch goodbye {
        case "stopping": ClientError(.disconnected, "the daemon is stopping")
        case "slow":
            ClientError(.disconnected, "the daemon gave up on this client, which read too slowly")
        case let reason?: ClientError(.disconnected, "the daemon said goodbye: \(reason)")
        case nil: ClientError(.disconnected, "the daemon closed the connection")
        }
    }

    // MARK: Lines

    private func handOutLines() {
        while isOpen, pauses == 0, let event = framer.next() {
            switch event {
            case .line(let line): handOut(line)
            case .overlong: breakOff("a line is longer than \(framer.limit) bytes")
            case .incomplete: return
            }
        }
    }

    private func handOut(_ line: ByteSlice) {
        do {
            switch try WireMessage(parsing: line) {
            case .reply(let reply): answer(reply)
            case .request(let notification) where notification.id == nil:
                onNotificationLine?(notification.method, line[line.range])
                notify(notification)
            case .request(let request): breakOff("it asked for \(request.method)")
            }
        } catch {
            breakOff(error.error.message)
        }
    }

    private func answer(_ reply: ReplyEnvelope) {
        guard let id = reply.id else {
            guard case .failure(let error) = reply.outcome else { return }
            // Of a daemon that can't start, it is the answer to whoever connects.
            if error.kind == .notReady { return end(ClientError(error)) }
            // Which request it was cannot be told, so none may go on waiting.
            return breakOff(error.message)
        }
        guard let handler = pending.removeValue(forKey: id) else { return }
        handler(reply.outcome.mapError { ClientError($0) })
    }

    private func notify(_ notification: RequestEnvelope) {
        if notification.method == "\(Goodbye.method)" {
            let reader = try? notification.reader()
            goodbye = (try? reader?.optionalString("reason")) ?? "no reason given"
        }
        if notification.method == "\(Alive.method)", let onAlive,
            let alive = notification.params.flatMap({ try? Alive(decoding: $0) })
        {
            onAlive(alive.rev)
        }
        let reader = try? notification.reader()
        if let sub = (try? reader?.optionalRequestID("sub")) ?? nil {
            if notification.method == "\(StreamClosed.method)" {
                let message = (try? reader?.optionalString("message")) ?? "no reason given"
                let sink = sinks.removeValue(forKey: sub)?.sink
                sink?.lose(ClientError(.refused, "the daemon closed it: \(message)"))
                return
            }
            // Of something that was just closed there may be a line on its way: nobody's.
            sinks[sub]?.sink?.receive(notification)
        } else {
            onNotification?(notification)
        }
    }

    // MARK: The end

    /// Ends the connection because of a message that the protocol does not have.
    func breakOff(_ why: String) {
        end(
            ClientError(.badMessage, "the daemon sent what this client does not understand: \(why)")
        )
    }

    private func end(_ error: ClientError) {
        guard case .open(_, let watch) = state else { return }
        watch.cancel()
        // The descriptor goes with the state, after its watch.
        state = .closed(error)
        queue = []
        queuedBytes = 0
        let receiving = sinks.sorted { Self.isEarlier($0.key, $1.key) }
        sinks = [:]
        for (_, entry) in receiving { entry.sink?.lose(error) }
        let waiting = pending.sorted { Self.isEarlier($0.key, $1.key) }
        pending = [:]
        for (_, handler) in waiting { handler(.failure(error)) }
        let onClose = onClose
        self.onClose = nil
        onClose?(error)
    }

    private static func isEarlier(_ one: RequestID, _ other: RequestID) -> Bool {
        guard case .integer(let one) = one, case .integer(let other) = other else { return false }
        return one < other
    }
}
