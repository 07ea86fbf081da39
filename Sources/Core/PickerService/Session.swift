internal import DequeModule
internal import JSONText
internal import PluginInterface
internal import SystemInterface
internal import SystemdEventLoop
internal import WireProtocol

/// One client's connection: its requests, its open streams, and what waits to be sent to it.
///
/// Requests are handled and answered in the order they came. One whose answer is still to come
/// holds up those behind it, which wait in `inbox`; only a `$/cancel` overtakes.
///
/// Nothing here waits for the client. While its queue is above the soft limit its streams are not
/// asked for anything; above the hard limit its requests wait as well, unread in the kernel once
/// `inbox` is full.
///
/// `Session+Input.swift` has the way in, `Session+Output.swift` the way out.
final class Session {
    /// How far along a session is.
    enum Phase {
        /// Requests are read and answered.
        case serving
        /// The client has sent its last request, or the daemon stops and reads no more. What the client
        /// is owed is sent, then the session ends.
        case finishing
        /// Goodbye has been said. What is in the queue is sent, then the session ends.
        case parting
        case closed
    }

    /// A request that waits, or one that could not be understood and whose error waits.
    enum Incoming {
        case request(RequestEnvelope, bytes: Int)
        case refused(RefusedLine)
    }

    /// An open stream, and whether it has asked for room.
    final class OpenStream: StreamPlace {
        let stream: any SessionStream
        private unowned let session: Session
        var isWanting = false
        var isOpen = true

        init(_ stream: any SessionStream, in session: Session) {
            self.stream = stream
            self.session = session
        }

        func requestRoom() {
            if isOpen { session.requestRoom(for: self) }
        }

        func close() {
            isOpen = false
            stream.place = nil
            stream.close()
        }
    }

    let identifier: Int
    /// Held until the session closes, when the server lets go of it.
    let server: PickerServer
    let connection: DescriptorBox
    var phase = Phase.serving
    var source: (any IOSource)?

    // In: bytes → lines → `inbox` → handlers.
    var framer: LineFramer
    var inbox = Deque<Incoming>()
    var inboxBytes = 0
    /// Until when requests are handled before other clients get their turn, and how many since a look
    /// at the clock.
    var sliceEnd = MonotonicInstant(nanoseconds: 0)
    var handledSinceLook = 0
    /// The request whose answer is still to come.
    var waiting: (id: RequestID?, reply: PendingReply)?

    // Out: handlers and streams → `output` → the socket.
    var output = OutputBuffer()
    var streams: [RequestID: OpenStream] = [:]
    /// The streams that asked for room, in the order they did.
    var wanting = Deque<OpenStream>()
    var isFlushScheduled = false
    /// How many bytes may wait before streams are asked for no more; from the limits, at each flush.
    var roomLimit: Int
    /// Lines sent by streams since the last flush.
    var notifications = 0
    /// Why goodbye is said when all has been sent; nil if it isn't.
    var farewell: String?
    var slowTimer: (any TimerSource)?
    var aliveTimer: (any TimerSource)?

    init(identifier: Int, connection: DescriptorBox, server: PickerServer) {
        self.identifier = identifier
        self.connection = connection
        self.server = server
        framer = LineFramer(limit: server.limits.line)
        roomLimit = server.limits.queueSoft
    }

    /// Starts to listen to the client.
    func start() throws(SystemError) {
        source = try server.loop.watch(connection.number, for: .readable) { [unowned self] events in
            socketIsReady(events)
        }
    }

    private func socketIsReady(_ events: IOEvents) {
        if events.meanReading { readRequests() }
        guard phase != .closed else { return }
        // A client that is gone in both directions is told of until the session ends. If there is no room
        // for what it has still sent, only the end of sending is left to be found.
        if events.meanWriting || events.meanHangUp && !canRead { flush() }
    }

    /// Ends the session now. Nothing more is sent, and everything it had open is let go.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        source?.cancel()
        source = nil
        slowTimer = nil
        aliveTimer = nil
        let pending = waiting
        waiting = nil
        pending?.reply.abandon()
        let open = streams
        streams = [:]
        wanting = []
        inbox = []
        for open in open.values { open.close() }
        server.sessionDidClose(self)
    }
}

extension Session: ClientSession {
    func open(_ stream: any SessionStream, as id: RequestID) throws(ProtocolError) {
        if streams[id] != nil {
            throw .conflict("id \(id) names something that is still open: use another id")
        }
        if streams.count >= server.limits.subscriptions {
            throw .limitExceeded(
                limit: server.limits.subscriptions,
                "a client may have \(server.limits.subscriptions) subscriptions: close one first")
        }
        let open = OpenStream(stream, in: self)
        streams[id] = open
        stream.place = open
    }

    func stream(_ id: RequestID) -> (any SessionStream)? { streams[id]?.stream }

    func close(_ id: RequestID) {
        guard let open = streams.removeValue(forKey: id) else { return }
        open.close()
    }

    /// Closes what a plugin serves, and tells the client so.
    func closeStreams(of plugin: String) {
        let closing = streams.filter { $0.value.stream.plugin == plugin }
        for id in closing.keys {
            close(id)
            // Nothing comes after a goodbye.
            if phase == .parting { continue }
            let closed = StreamClosed(
                sub: id, plugin: plugin,
                message: "the plugin '\(plugin)' was switched off")
            send { $0.notification(closed) }
        }
        if !closing.isEmpty { scheduleFlush() }
    }

    func requestRoom(for open: OpenStream) {
        guard !open.isWanting else { return }
        open.isWanting = true
        wanting.append(open)
        // While the queue is full the next call comes when it has drained, without asking.
        if hasRoom { scheduleFlush() }
    }
}
