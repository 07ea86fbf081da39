package import DataBus
internal import ExactStatistics
internal import JSONText
package import PickerModel
package import PluginInterface
package import SystemInterface
package import SystemdEventLoop
package import WireProtocol

/// The socket server: it accepts clients, and carries their requests to the methods that plugins
/// registered and the answers back. It knows no plugin.
///
/// It holds the listening sockets and a `Session` for each client. A client of another user is
/// closed before its first byte is read; one more than `limits.clients` is told so and closed.
/// When descriptors run out, accepting rests until a client leaves or a second has passed.
package final class PickerServer {
    /// What clients are told about the daemon.
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

    /// What has happened so far, for `daemon.info`.
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

    /// What requests have cost so far, for `daemon.info`: a few instructions for each number.
    struct Measures {
        /// How long the requests of one client kept the loop in one go, from when they were read to the
        /// last that was handled, in nanoseconds.
        var turnNanoseconds = Statistics<UInt64>()
        /// Lines that clients sent.
        var requestBytes = Statistics<UInt64>()
        /// Lines that answer them.
        var replyBytes = Statistics<UInt64>()
    }

    package let loop: any EventLoop
    package let registry: MethodRegistry
    package let documents: DocumentStore
    package let bus: EventBus
    /// May be changed at any time; what is over a new limit is dealt with as it comes up. The length
    /// of a line is fixed for a session when it begins.
    package var limits: ServiceLimits
    package let identity: Identity
    /// What of the daemon's own is not as it should be, for `daemon.info`.
    package var degraded: [DegradedPart] = []

    /// Called for `daemon.reload`; answers what is wrong with the new settings, if anything is.
    package var onReload: () -> ProtocolError? = { nil }
    /// Called for `daemon.stop`, after its answer has been queued.
    package var onStop: () -> Void = {}
    /// Told what the people who run the daemon should know.
    package var report: (Report) -> Void = { _ in }

    var counters = Counters()
    var measures = Measures()
    /// The method of the last request of whichever client.
    var lastMethod = NamedMethod()
    var readBuffer = [UInt8](repeating: 0, count: 64 << 10)
    let startTime: MonotonicInstant
    private(set) var sessions: [Int: Session] = [:]

    private var listeners: [(socket: DescriptorBox, source: any IOSource)] = []
    private var acceptTimer: (any TimerSource)?
    private var lastIdentifier = 0
    private var scratch: JSONWriter? = JSONWriter()
    private var whenStopped: (() -> Void)?
    /// The sessions that have something to send at the end of this turn, in order.
    private var flushing: [Session] = []
    var spare = SpareStorage()
    /// The batch that goes on in turns, and those that wait for it: at most one of each session.
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
        registerCoreMethods()
    }

    /// Accepts clients from `socket`, which listens.
    package func listen(on socket: DescriptorBox) throws(SystemError) {
        loop.preconditionOnLoop()
        let source = try loop.watch(socket.number, for: .readable) { [unowned self] _ in
            acceptClients(from: socket)
        }
        listeners.append((socket, source))
    }

    /// Serves a client that is connected already.
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
                    "\(limits.clients) clients are connected, as many as may be: close one"))
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

    /// Stops accepting and reading, says goodbye to every client when it has had all that it is owed, and
    /// calls `done` when they have had that, or the grace period is over.
    package func stop(_ done: @escaping () -> Void) {
        loop.preconditionOnLoop()
        for listener in listeners { listener.source.cancel() }
        listeners = []
        acceptTimer = nil
        whenStopped = done
        for session in sessions.values.sorted(by: { $0.identifier < $1.identifier }) {
            session.part(reason: "stopping")
        }
        stoppedIfEmpty()
    }

    func sessionDidClose(_ session: Session) {
        sessions[session.identifier] = nil
        resumeAccepting()
        stoppedIfEmpty()
    }

    private func stoppedIfEmpty() {
        guard sessions.isEmpty, let done = whenStopped else { return }
        whenStopped = nil
        loop.enqueue(done)
    }

    func flushAtEndOfTurn(_ session: Session) {
        flushing.append(session)
        guard flushing.count == 1 else { return }
        loop.atEndOfTurn { [self] in
            // Most turns have one client, and the list is kept for the next.
            if flushing.count == 1 { return flushing.removeLast().flush() }
            let sessions = flushing
            flushing = []
            flush(sessions[...])
        }
    }

    /// How long sessions are flushed in one go: what is computed for a few with long lists must not hold up
    /// the requests of the others. In nanoseconds.
    private static let flushSlice: Int64 = 1_000_000

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

    /// The open streams of all clients.
    var subscriptionCount: Int { sessions.values.reduce(0) { $0 + $1.streams.count } }
}

// MARK: - Accepting

extension PickerServer {
    /// The most clients accepted in one go, so that those who are served get their turn.
    private static let acceptBatch = 64

    private func acceptClients(from socket: DescriptorBox) {
        for _ in 0..<Self.acceptBatch {
            do throws(SystemError) {
                guard case .connection(let connection) = try UnixSocket.accept(on: socket.number)
                else { return }
                let peer = try UnixSocket.peerCredentials(of: connection)
                guard peer.uid == identity.userID || peer.uid == 0 else {
                    counters.refused += 1
                    report(
                        Report(
                            level: .notice,
                            message: "user \(peer.uid) may not use the daemon of user "
                                + "\(identity.userID): closed",
                            fields: ["PICKERD_PEER_UID": String(peer.uid)]))
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
                message: "no client can be accepted for now, those that are connected go on: "
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
    /// Storage above this size is not kept for the next line.
    private static let keptScratch = 256 << 10

    /// Calls `body` with an empty writer, whose memory is used again from line to line. One of a
    /// `body` that throws is not.
    func withScratch<Result, Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var writer = scratch.take() ?? JSONWriter()
        writer.removeAll()
        let result = try body(&writer)
        if writer.capacity <= Self.keptScratch { scratch = consume writer }
        return result
    }

    /// Closes what a plugin serves, in all sessions, in the order in which those came.
    package func closeStreams(of plugin: String) {
        for session in sessions.values.sorted(by: { $0.identifier < $1.identifier }) {
            session.closeStreams(of: plugin)
        }
    }

    func unknownMethod(_ method: String) -> ProtocolError {
        registry.refusal(of: method)
    }
}
