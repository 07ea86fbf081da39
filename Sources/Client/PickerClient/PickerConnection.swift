internal import DequeModule
internal import JSONText
package import SystemInterface
package import WireProtocol

// One connection to the daemon. Requests are sent in order; replies and notifications are passed to their
// receivers.
//
// It belongs to the thread of its loop and never blocks: output that the socket does not accept is queued,
// up to a limit. The end of a connection is final: all unanswered requests fail, `onClose` is called once,
// and a new connection is a new object. The daemon's output is not trusted: a line that violates the
// protocol ends the connection.

/// A receiver of the notifications of a subscription.
protocol NotificationSink: AnyObject {
    func receive(_ notification: RequestEnvelope)
    /// The connection has ended; or the daemon has closed the subscription, and the error is a refusal.
    func lose(_ error: ClientError)
}

/// A connection to the daemon.
public final class PickerConnection {
    /// The most bytes of queued requests.
    public static let longestQueue = 8 << 20
    /// The most unanswered requests.
    public static let mostUnanswered = 65_536

    private struct WeakSink {
        weak var sink: (any NotificationSink)?
    }

    private enum State {
        case open(DescriptorBox, PollWatch)
        case closed(ClientError)
    }

    /// The loop of the connection.
    package let loop: PollLoop
    /// Called once, after the connection has ended and all unanswered requests have failed.
    package var onClose: ((ClientError) -> Void)?
    /// Called before each notification is delivered, with its method and the line as received.
    package var onNotificationLine: ((String, ArraySlice<UInt8>) -> Void)?
    /// Called with notifications that belong to no list and no feed.
    package var onNotification: ((RequestEnvelope) -> Void)?
    /// Called with the revision of the documents for each `$/alive` that a `hello` requested.
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
    /// The handlers of unanswered requests that asked for progress.
    private var progressHandlers: [RequestID: (ScanProgress) -> Void] = [:]
    /// The reason from the daemon's goodbye, such as `stopping`; nil without one.
    package private(set) var goodbyeReason: String?
    /// The number of feeds that have paused reading.
    private var pauses = 0

    /// Connects to the daemon's socket.
    ///
    /// - Throws: ``ClientError/Code/noDaemon`` if there is no socket or nobody listens on it,
    ///   ``ClientError/Code/cannotConnect`` for everything else.
    package convenience init(to path: String, on loop: PollLoop) throws(ClientError) {
        self.init(adopting: try Self.openSocket(at: path), on: loop)
    }

    /// Connects to the daemon's socket and checks its owner; nothing is sent before that.
    package static func openSocket(at path: String) throws(ClientError) -> OwnedDescriptor {
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
            listener = try UnixSocket.peerUser(of: socket)
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

    /// Whether a process of user `own` may connect to a daemon of user `listener`: its own or root's. Root
    /// may connect to any daemon, because every daemon accepts root.
    static func mayTalk(to listener: UInt32, as own: UInt32) -> Bool {
        listener == own || listener == 0 || own == 0
    }

    /// A connection over a connected stream socket.
    package init(adopting socket: consuming OwnedDescriptor, on loop: PollLoop) {
        self.loop = loop
        let box = DescriptorBox(socket)
        // A watch needs its handler first, and the handler needs `self`.
        state = .closed(ClientError(.disconnected, "not connected yet"))
        let watch = loop.watch(box.number, for: .readable) { [weak self] events in
            self?.ready(events)
        }
        state = .open(box, watch)
    }

    deinit {
        if case .open(_, let watch) = state { watch.cancel() }
    }

    /// Whether the connection is open.
    public var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    // MARK: Requests

    /// Sends a request.
    ///
    /// - Parameter request: the request, such as ``DaemonRequest/ping``.
    /// - Returns: the pending answer.
    @discardableResult
    public func send<Value>(_ request: DaemonRequest<Value>) -> Reply<Value> {
        call(request.method, request.parameters, request.read)
    }

    /// Sends a request, and tells how far the scan of the folders has come while the daemon waits for it.
    ///
    /// - Parameters:
    ///   - request: a request for documents, or ``DaemonRequest/sync(timeoutMs:)``.
    ///   - onProgress: is called up to four times a second, and not after the outcome.
    /// - Returns: the pending answer.
    @discardableResult
    public func send<Value>(
        _ request: DaemonRequest<Value>, onProgress: @escaping (ScanProgress) -> Void
    ) -> Reply<Value> {
        let reply = send(request.withProgress)
        if let id = reply.id {
            progressHandlers[id] = { [slot = reply.slot] in
                if slot.outcome == nil { onProgress($0) }
            }
        }
        return reply
    }

    package func nextID() -> RequestID {
        lastID += 1
        return .integer(lastID)
    }

    /// Sends a request in raw form, with an id from `nextID`, which names the subscription that it opens.
    @discardableResult
    package func send(_ method: String, _ parameters: RawJSON, as id: RequestID) -> Reply<RawJSON> {
        call(method, parameters, as: id) { .success(RawJSON($0.fragment)) }
    }

    /// Sends a request whose result `read` converts to a value.
    func call<Value>(
        _ method: String, _ parameters: RawJSON, as id: RequestID? = nil,
        _ read: @escaping (JSONView) -> Result<Value, ClientError>
    ) -> Reply<Value> {
        let reply = Reply<Value>(on: loop, from: self)
        let id = id ?? nextID()
        do throws(ClientError) {
            let line = try acceptableLine(id, method, parameters.fragment)
            pending[id] = { [slot = reply.slot] in slot.resolve($0.flatMap(read)) }
            reply.id = id
            enqueue(line)
        } catch {
            reply.slot.resolve(.failure(error))
        }
        return reply
    }

    /// The line of a request, if it can be sent now.
    private func acceptableLine(
        _ id: RequestID, _ method: String, _ parameters: JSONFragment
    ) throws(ClientError) -> [UInt8] {
        if case .closed(let error) = state { throw error }
        guard parameters.kind == .object else {
            throw ClientError(.badArgument, "the parameters must be a JSON object")
        }
        let line = WireLine.request(id: id, method: method, params: parameters)
        if line.count > LineFramer.standardLimit + 1 {
            throw ClientError(
                .badArgument,
                "a request of \(line.count - 1) bytes is longer than the daemon takes "
                    + "(\(LineFramer.standardLimit))")
        }
        if queuedBytes + line.count > Self.longestQueue {
            throw ClientError(
                .tooMuchQueued,
                "over \(Self.longestQueue) bytes of requests wait for the daemon to take them")
        }
        if pending.count >= Self.mostUnanswered {
            throw ClientError(
                .tooMuchQueued, "\(Self.mostUnanswered) requests wait for the daemon to answer them"
            )
        }
        return line
    }

    /// Asks the daemon to cancel a request. An answer that still arrives is dropped.
    func cancelRequest(_ id: RequestID) {
        guard isOpen, pending[id] != nil else { return }
        let line = WireLine.request(id: nil, method: "$/cancel", params: ["id": id.value])
        if queuedBytes + line.count <= Self.longestQueue { enqueue(line) }
    }

    /// Delivers the notifications of the subscription `sub` to `sink`, until that is nil or released.
    func setSink(_ sink: (any NotificationSink)?, for sub: RequestID) {
        sinks[sub] = sink.map { WeakSink(sink: $0) }
    }

    // MARK: Pauses

    /// Stops reading and delivering until there have been as many calls of `resumeReading`. At most part of
    /// a megabyte is buffered here; the rest waits in the socket and in the daemon. An end of the
    /// connection is noticed after the pause.
    func pauseReading() {
        pauses += 1
        updateWatch()
    }

    /// Undoes one `pauseReading`. Buffered lines are delivered at the end of the loop's turn.
    func resumeReading() {
        precondition(pauses > 0, "reading is not paused")
        pauses -= 1
        updateWatch()
        if pauses == 0 { loop.atEndOfTurn { [weak self] in self?.handOutLines() } }
    }

    /// The bytes that were read but not delivered.
    package var bufferedBytes: Int { framer.bufferedCount }

    private func updateWatch() {
        guard case .open(_, let watch) = state else { return }
        watch.events = pauses == 0 ? .readable : []
        if !queue.isEmpty { watch.events.insert(.writable) }
        // Otherwise an ended connection would be reported in each turn.
        watch.isPaused = watch.events.isEmpty
    }

    // MARK: The socket

    private func enqueue(_ line: [UInt8]) {
        queue.append(line)
        queuedBytes += line.count
        if queue.count == 1 { flush() }
    }

    /// Sends as much as the socket accepts. A closed socket is noticed by reading, after the lines that the
    /// daemon sent before.
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
            close(because: ClientError(.disconnected, "the connection broke: \(error)"))
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

    /// Reads up to a megabyte; the rest waits for the next turn, so that other watches of the loop are
    /// served.
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
                    // After a pause there may be undelivered lines.
                    handOutLines()
                    if pauses == 0 { close(because: endOfStream()) }
                    return
                }
            } catch {
                close(because: ClientError(.disconnected, "the connection broke: \(error)"))
            }
        }
    }

    private func endOfStream() -> ClientError {
        switch goodbyeReason {
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
            // A daemon that can't start sends this to every client.
            if error.kind == .notReady { return close(because: ClientError(error)) }
            // The failed request is unknown, so none may keep waiting.
            return breakOff(error.message)
        }
        progressHandlers[id] = nil
        guard let handler = pending.removeValue(forKey: id) else { return }
        handler(reply.outcome.mapError { ClientError($0) })
    }

    private func notify(_ notification: RequestEnvelope) {
        let reader = try? notification.reader()
        if notification.method == "\(Goodbye.method)" {
            goodbyeReason = (try? reader?.optionalString("reason")) ?? "no reason given"
        }
        if notification.method == "\(Alive.method)", let onAlive,
            let alive = notification.params.flatMap({ try? Alive(decoding: $0) })
        {
            onAlive(alive.rev)
        }
        if notification.method == "\(RequestProgress.method)",
            let progress = notification.params.flatMap({ try? RequestProgress(decoding: $0) })
        {
            progressHandlers[progress.id]?(ScanProgress(progress))
        }
        if let sub = (try? reader?.optionalRequestID("sub")) ?? nil {
            if notification.method == "\(StreamClosed.method)" {
                let message = (try? reader?.optionalString("message")) ?? "no reason given"
                let sink = sinks.removeValue(forKey: sub)?.sink
                sink?.lose(ClientError(.refused, "the daemon closed it: \(message)"))
                return
            }
            // A line of a subscription that was just closed is dropped.
            sinks[sub]?.sink?.receive(notification)
        } else {
            onNotification?(notification)
        }
    }

    // MARK: The end

    /// Ends the connection because a message violates the protocol.
    func breakOff(_ why: String) {
        close(
            because: ClientError(
                .badMessage, "the daemon sent what this client does not understand: \(why)"))
    }

    /// Ends the connection. Unanswered requests, and lists, fail with `error`.
    package func close(
        because error: ClientError = ClientError(.disconnected, "the connection was closed")
    ) {
        guard case .open(_, let watch) = state else { return }
        watch.cancel()
        // The descriptor is closed with the state, after its watch.
        state = .closed(error)
        queue = []
        queuedBytes = 0
        let receiving = sinks.sorted { Self.isEarlier($0.key, $1.key) }
        sinks = [:]
        for (_, entry) in receiving { entry.sink?.lose(error) }
        progressHandlers = [:]
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
