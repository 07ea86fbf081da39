internal import DequeModule
internal import EventLoops
internal import JSONText
internal import PluginInterface
internal import SystemInterface
internal import WireProtocol

/// One client's connection: its requests, open streams and output queue.
///
/// Requests are handled and answered in order. A request with a pending answer delays those behind it, which
/// wait in `inbox`; only `$/cancel` overtakes.
///
/// The session never blocks on the client. While its output queue is above the soft limit, its streams produce
/// nothing; above the hard limit its requests wait too, unread in the kernel once `inbox` is full.
///
/// `Session+Input.swift` has the input, `Session+Output.swift` the output.
final class Session {
    /// The phase of a session.
    enum Phase {
        /// Requests are read and answered.
        case serving
        /// The client has sent its last request, or the daemon is stopping and reads no more. The client is
        /// sent what it is owed, then the session ends.
        case finishing
        /// The goodbye is in the queue. The queue is sent, then the session ends.
        case parting
        case closed
    }

    /// A waiting request, or a malformed one whose error waits.
    enum Incoming {
        case request(RequestEnvelope, bytes: Int)
        case refused(RefusedLine)
    }

    /// An open stream, and whether it has requested room.
    final class OpenStream: StreamPlace {
        let stream: any SessionStream
        private unowned let session: Session
        var wantsRoom = false
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
    var textUnits = "utf8"
    /// Retained until the session closes and the server releases it.
    let server: PickerServer
    let connection: DescriptorBox
    /// Who gets the answers of the process at the other end, if it is a plugin's; nil for a client.
    let peer: (any SessionPeer)?
    var phase = Phase.serving
    var source: (any IOSource)?

    // Input: bytes → lines → `inbox` → handlers.
    var framer: LineFramer
    var inbox = Deque<Incoming>()
    var inboxBytes = 0
    /// Whether lines of a plugin's process were read and not handled yet.
    var hasLinesLeft = false
    /// The end of this session's slice, and the requests handled since the last read of the clock.
    var sliceEnd = MonotonicInstant(nanoseconds: 0)
    var handledSinceClockRead = 0
    /// The request whose answer is pending.
    var waiting: (id: RequestID?, reply: PendingReply)?

    // Output: handlers and streams → `output` → the socket.
    var output = OutputBuffer()
    var streams: [RequestID: OpenStream] = [:]
    /// The streams that requested room, oldest request first.
    var roomRequests = Deque<OpenStream>()
    var isFlushScheduled = false
    /// The bytes in the queue above which streams produce nothing; taken from the limits at each flush.
    var roomLimit: Int
    /// Whether the client has had its time in this turn, so that its streams wait for the next one.
    var isTurnOver = false
    /// Lines sent by streams since the last flush.
    var notifications = 0
    /// The reason of the goodbye after the last line; nil if there is none.
    var farewell: String?
    var slowTimer: (any TimerSource)?
    var aliveTimer: (any TimerSource)?

    init(
        identifier: Int, connection: DescriptorBox, server: PickerServer,
        peer: (any SessionPeer)? = nil
    ) {
        self.identifier = identifier
        self.connection = connection
        self.server = server
        self.peer = peer
        framer = LineFramer(limit: server.limits.line)
        roomLimit = server.limits.queueSoft
    }

    /// Starts to watch the socket.
    func start() throws(SystemError) {
        source = try server.loop.watch(connection.number, for: .readable) { [unowned self] events in
            socketIsReady(events)
        }
    }

    private func socketIsReady(_ events: IOEvents) {
        if events.isReadReady { readRequests() }
        guard phase != .closed else { return }
        // The loop reports a hangup until the session ends. If the client's remaining requests can't be read
        // for lack of room, only a send finds the end.
        if events.isWriteReady || events.isHungUp && !canRead { flush() }
    }

    /// Ends the session now. Nothing more is sent, and all streams are closed.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        source?.cancel()
        source = nil
        slowTimer = nil
        dropRequests()
        let open = streams
        streams = [:]
        roomRequests = []
        for open in open.values { open.close() }
        server.sessionDidClose(self)
        peer?.connectionEnded()
    }

    /// Drops the requests that wait and the one whose answer is pending, and sends no more signs of life.
    func dropRequests() {
        inbox = []
        inboxBytes = 0
        aliveTimer = nil
        let pending = waiting
        waiting = nil
        pending?.reply.abandon()
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

    var pluginProcess: String? { peer?.plugin }

    func close(_ id: RequestID) {
        guard let open = streams.removeValue(forKey: id) else { return }
        open.close()
    }

    /// Closes the streams of a plugin and tells the client.
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
        guard !open.wantsRoom else { return }
        open.wantsRoom = true
        roomRequests.append(open)
        // While the queue is full, the flush that drains it calls the stream anyway.
        if hasRoom { scheduleFlush() }
    }
}
