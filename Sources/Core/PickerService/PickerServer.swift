package import DataBus
package import EventLoops
internal import ExactStatistics
internal import JSONText
package import PickerModel
package import PluginInterface
package import SystemInterface
package import WireProtocol

/// The socket server. It accepts clients, passes their requests to the methods registered by plugins, and
/// returns the answers. It knows no plugin.
///
/// It has the listening sockets and a `Session` per client. A client of another user is closed before its first
/// byte is read; a client beyond `limits.clients` gets an error and is closed. When descriptors run out,
/// accepting pauses until a client leaves or a second has passed.
package final class PickerServer {
    /// The daemon's identity, as clients see it.
    package struct Identity {
        package var version: String
        package var processID: Int32
        package var userID: UInt32

        package init(version: String, processID: Int32, userID: UInt32) {
            self.version = version
            self.processID = processID
            self.userID = userID
        }
    }

    /// Counters for `daemon.info`.
    struct Counters {
        var requests = 0
        var errors = 0
        var notifications = 0
        var bytesIn = 0
        var bytesOut = 0
        var accepted = 0
        var refused = 0
        var slowClients = 0
    }

    /// Costs of requests, for `daemon.info`; an update takes a few instructions per number.
    struct Measures {
        /// The time in nanoseconds that one client's requests kept the loop in one go, from their read to the
        /// end of the last handler.
        var turnNanoseconds = Statistics<UInt64>()
        /// Lengths of the lines that clients sent.
        var requestBytes = Statistics<UInt64>()
        /// Lengths of the lines that answer them.
        var replyBytes = Statistics<UInt64>()
    }

    package let loop: any EventLoop
    package let registry: MethodRegistry
    package let documents: DocumentStore
    package let bus: EventBus
    /// May change at any time; a new limit applies at its next use. A session's line limit is fixed when it
    /// begins.
    package var limits: ServiceLimits
    package let identity: Identity
    /// The degraded parts of the daemon itself, for `daemon.info`.
    package var degraded: [DegradedPart] = []
    /// The daemon's settings file, for `daemon.info`.
    package var settingsFile: SettingsFileRecord?

    /// Called for `daemon.reload`; returns the error in the new settings, if any.
    package var onReload: () -> ProtocolError? = { nil }
    /// Called for `daemon.stop`, after its answer has been queued.
    package var onStop: () -> Void = {}
    /// Called after a client has left, once nobody has asked for anything for `idleTime`, or after ten times as long.
    package var onIdle: () -> Void = {}
    /// Called with reports for the people who run the daemon.
    package var report: (Report) -> Void = { _ in }

    var counters = Counters()
    var measures = Measures()
    /// The method of the last request, of any client.
    var lastMethod = NamedMethod()
    var readBuffer = [UInt8](repeating: 0, count: 64 << 10)
    let startTime: MonotonicInstant
    private(set) var sessions: [Int: Session] = [:]
    /// The sessions of plugins' processes, which are no clients.
    private var processes: [Int: Session] = [:]

    private var listeners: [(socket: DescriptorBox, source: any IOSource)] = []
    private var acceptTimer: (any TimerSource)?
    private var idleTimer: (any TimerSource)?
    /// What `awaitIdleness` waits for.
    private struct Idleness {
        /// The number of all requests when it was looked at last.
        var requests = 0
        /// How often it may be looked at again.
        var waitsLeft = 9
    }
    private var idleness = Idleness()
    private var lastIdentifier = 0
    private var scratch: JSONWriter? = JSONWriter()
    private var whenStopped: (() -> Void)?
    /// The sessions with something to send at the end of this turn, in order.
    private var sessionsToFlush: [Session] = []
    var spare = SpareStorage()
    /// The batch that runs in several turns, and those that wait for it: at most one per session.
    var heldBatch: BatchRun?
    var waitingBatches: [BatchRun] = []

    package init(
        loop: any EventLoop, registry: MethodRegistry, documents: DocumentStore, bus: EventBus,
        limits: ServiceLimits = ServiceLimits(), identity: Identity
    ) {
        self.loop = loop
        self.registry = registry
        self.documents = documents
        self.bus = bus
        self.limits = limits
        self.identity = identity
        startTime = loop.now
        documents.whenRowsAreFreed = { [weak self] in self?.releaseFreedRows() }
        registerCoreMethods()
    }

    /// The rows that are released at once: a fraction of a millisecond.
    private static let rowsReleasedAtOnce = 2048

    private func releaseFreedRows() {
        // Queued work would have the loop look for ready clients before and after it.
        loop.atEndOfTurn { [weak self] in
            guard let self else { return }
            if documents.releaseFreedRows(atMost: Self.rowsReleasedAtOnce) { return }
            loop.enqueue(priority: .low) { [weak self] in self?.releaseFreedRows() }
        }
    }

    /// Accepts clients from `socket`, which listens.
    package func listen(on socket: DescriptorBox) throws(SystemError) {
        loop.preconditionOnLoop()
        let source = try loop.watch(socket.number, for: .readable) { [unowned self] _ in
            acceptClients(from: socket)
        }
        listeners.append((socket, source))
    }

    /// Serves a connected client.
    package func serve(_ connection: consuming OwnedDescriptor) {
        loop.preconditionOnLoop()
        lastIdentifier += 1
        let session = Session(
            identifier: lastIdentifier, connection: DescriptorBox(connection), server: self)
        if sessions.count >= limits.clients {
            counters.refused += 1
            session.answer(
                nil,
                with: .limitExceeded(
                    limit: limits.clients,
                    "\(limits.clients) clients are connected, which is the limit: close one"))
            session.sayGoodbye(reason: "limit")
            return
        }
        sessions[session.identifier] = session
        counters.accepted += 1
        do throws(SystemError) {
            try session.start()
        } catch {
            report(Report(level: .warning, message: "a client was refused: \(error)", fields: [:]))
            session.close()
        }
    }

    /// Serves a plugin's process at the other end of this socket: it calls methods as clients do, and `peer` gets
    /// its answers. It counts as no client.
    package func connect(
        _ connection: DescriptorBox, to peer: any SessionPeer
    ) throws(SystemError) -> any PeerConnection {
        loop.preconditionOnLoop()
        lastIdentifier += 1
        let session = Session(
            identifier: lastIdentifier, connection: connection, server: self, peer: peer)
        try session.start()
        processes[session.identifier] = session
        return session
    }

    /// Stops accepting and reading. Each client is sent what it is owed and then a goodbye; `done` is called
    /// when all have it, or when the grace period is over.
    package func stop(_ done: @escaping () -> Void) {
        loop.preconditionOnLoop()
        for listener in listeners { listener.source.cancel() }
        listeners = []
        acceptTimer = nil
        whenStopped = done
        for session in allSessions { session.shutDown(reason: "stopping") }
        stoppedIfEmpty()
    }

    /// Those of clients and of plugins' processes, the oldest first.
    private var allSessions: [Session] {
        (Array(sessions.values) + processes.values).sorted { $0.identifier < $1.identifier }
    }

    func sessionDidClose(_ session: Session) {
        if processes.removeValue(forKey: session.identifier) != nil { return stoppedIfEmpty() }
        sessions[session.identifier] = nil
        resumeAccepting()
        if whenStopped == nil { awaitIdleness() }
        stoppedIfEmpty()
    }

    /// Calls `onIdle` after `idleTime`, or later if somebody asks for something until then.
    private func awaitIdleness() {
        idleness = Idleness(requests: counters.requests)
        if let idleTimer { return idleTimer.reschedule(after: limits.idleTime) }
        idleTimer = try? loop.schedule(after: limits.idleTime) { [unowned self] in
            if idleness.requests == counters.requests || idleness.waitsLeft == 0 { return onIdle() }
            idleness.requests = counters.requests
            idleness.waitsLeft -= 1
            idleTimer?.reschedule(after: limits.idleTime)
        }
    }

    private func stoppedIfEmpty() {
        guard sessions.isEmpty, processes.isEmpty, let done = whenStopped else { return }
        whenStopped = nil
        loop.enqueue(done)
    }

    func flushAtEndOfTurn(_ session: Session) {
        sessionsToFlush.append(session)
        guard sessionsToFlush.count == 1 else { return }
        loop.atEndOfTurn { [self] in
            // Most turns have one client, and the array is kept for the next turn.
            if sessionsToFlush.count == 1 { return sessionsToFlush.removeLast().flush() }
            let sessions = sessionsToFlush
            sessionsToFlush = []
            flush(sessions[...])
        }
    }

    /// The time limit of one flush of several sessions, in nanoseconds: the deltas of a few long lists must not
    /// delay the requests of other clients.
    private static let flushSlice: Int64 = 500_000

    private func flush(_ sessions: ArraySlice<Session>) {
        var left = sessions
        let start = sessions.count > 1 ? loop.now : nil
        while let session = left.popFirst() {
            session.flush()
            guard let start, !left.isEmpty else { continue }
            if loop.now.nanoseconds - start.nanoseconds >= Self.flushSlice {
                return loop.enqueue { [self, left] in flush(left) }
            }
        }
    }

    /// The number of open streams of all clients.
    var subscriptionCount: Int { sessions.values.reduce(0) { $0 + $1.streams.count } }
}

// MARK: - Accepting

extension PickerServer {
    /// The most clients accepted in one go, so that connected clients get their turn.
    private static let acceptBatch = 64

    private func acceptClients(from socket: DescriptorBox) {
        for _ in 0..<Self.acceptBatch {
            do throws(SystemError) {
                guard case .connection(let connection) = try UnixSocket.accept(on: socket.number)
                else { return }
                let user = try UnixSocket.peerUser(of: connection)
                guard user == identity.userID || user == 0 else {
                    counters.refused += 1
                    report(
                        Report(
                            level: .notice,
                            message: "user \(user) may not use the daemon of user "
                                + "\(identity.userID): closed",
                            fields: ["PICKERD_PEER_UID": String(user)]))
                    continue
                }
                serve(connection)
            } catch {
                switch error.code {
                case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .outOfMemory:
                    pauseAccepting(because: error)
                default:
                    break  // That client is gone already; the next one may be there.
                }
                return
            }
        }
    }

    private func pauseAccepting(because error: SystemError) {
        for listener in listeners { listener.source.events = [] }
        report(
            Report(
                level: .warning,
                message: "no client can be accepted for now, connected ones are still served: "
                    + "\(error)", fields: [:]))
        acceptTimer = try? loop.schedule(after: .seconds(1)) { [unowned self] in
            resumeAccepting()
        }
    }

    private func resumeAccepting() {
        guard acceptTimer != nil else { return }
        acceptTimer = nil
        for listener in listeners { listener.source.events = .readable }
    }
}

// MARK: - Scratch

extension PickerServer {
    /// A larger buffer is not kept for the next line.
    private static let keptScratch = 256 << 10

    /// Calls `body` with an empty writer, whose memory is reused from line to line unless `body` throws.
    func withScratch<Result, Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var writer = scratch.take() ?? JSONWriter()
        writer.removeAll()
        let result = try body(&writer)
        if writer.capacity <= Self.keptScratch { scratch = consume writer }
        return result
    }

    /// Closes the streams of a plugin in all sessions, the oldest session first.
    package func closeStreams(of plugin: String) {
        for session in allSessions { session.closeStreams(of: plugin) }
    }
}
