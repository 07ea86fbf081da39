internal import Synchronization

// The client for tasks: async calls on top of the connection, lists and feeds that programs with a run loop
// use, on a separate thread. Only values cross threads.

/// The daemon, for programs with async/await.
///
///     let client = try await DaemonClient.connect()
///     let status = try await client.send(.info)
///
/// It has its own thread, and its connection is restored whenever it ends. Any task may use it. A request
/// that is unanswered when the connection ends fails with ``ClientError/Code/disconnected``, because it may
/// or may not have been carried out; a request without a connection fails the same way. Lists and events
/// resume by themselves.
///
/// Requests throw a ``ClientError``, or `CancellationError` when their task is cancelled; the daemon is
/// then asked to cancel the request, too.
///
/// The connections and the thread end when the client, its lists and its event sequences are released, or
/// with ``close()``.
public final class DaemonClient: Sendable {
    /// The options of a client.
    public struct Options: Sendable {
        /// The name of this program, for the daemon's log.
        public var name: String?
        /// The delays between attempts to reconnect.
        public var backoff: ReconnectingSession.Backoff
        /// The default time limit of a request; nil for none.
        public var timeout: Duration?
        /// The most messages that an ``EventSequence`` buffers for its reader.
        public var eventBuffer: Int

        /// Options; by default no name, pauses of 100 ms to 5 s, 30 s for a request, and 256 messages.
        public init(
            name: String? = nil, backoff: ReconnectingSession.Backoff = .init(),
            timeout: Duration? = .seconds(30), eventBuffer: Int = 256
        ) {
            self.name = name
            self.backoff = backoff
            self.timeout = timeout
            self.eventBuffer = eventBuffer
        }
    }

    /// The path of the daemon's socket.
    package let path: String
    /// The options of the client.
    package let options: Options
    let thread: LoopThread
    private let lastNumber = Atomic<Int>(0)

    private init(_ path: String, _ options: Options) throws(ClientError) {
        self.path = path
        self.options = options
        thread = try LoopThread()
    }

    deinit { close() }

    /// Connects to the daemon.
    ///
    /// - Parameters:
    ///   - path: the path of the socket; by default that of ``SocketPath/resolve(explicit:environment:)``.
    ///   - options: the options of the client.
    /// - Returns: a client that has been greeted by the daemon.
    /// - Throws: a ``ClientError``, without a retry: ``ClientError/Code/noDaemon`` if nobody listens.
    public static func connect(
        to path: String? = nil, options: Options = Options()
    ) async throws -> DaemonClient {
        let client = try DaemonClient(try SocketPath.resolve(explicit: path), options)
        try await client.wait(for: client.nextNumber()) { [path = client.path] core, completion in
            completion(
                Result { () throws(ClientError) in
                    try core.connect(to: path, backoff: options.backoff)
                })
        }
        try await client.send(.hello(client: options.name))
        return client
    }

    /// Ends the client: pending requests fail, lists and event sequences end.
    public func close() {
        thread.post { $0.close() }
    }

    // MARK: Requests

    /// Sends a request, and waits for the answer.
    ///
    /// - Parameters:
    ///   - request: the request, such as ``DaemonRequest/ping``.
    ///   - limit: how long it may take; by default ``DaemonClient/Options/timeout``.
    /// - Returns: the answer.
    /// - Throws: a ``ClientError``, or `CancellationError`.
    @discardableResult
    public func send<Value: Sendable>(
        _ request: DaemonRequest<Value>, within limit: Duration? = nil
    ) async throws -> Value {
        let limit = limit ?? options.timeout
        let number = nextNumber()
        return try await wait(for: number) { core, completion in
            core.perform(number, within: limit, request, then: completion)
        }
    }

    /// Sends a request, and tells how far the scan of the folders has come while the daemon waits for it.
    ///
    /// - Parameters:
    ///   - request: a request for documents, or ``DaemonRequest/sync(timeoutMs:)``.
    ///   - limit: how long it may take; by default ``DaemonClient/Options/timeout``.
    ///   - onProgress: is called on the client's thread, up to four times a second, and not after the answer.
    /// - Returns: the answer.
    /// - Throws: a ``ClientError``, or `CancellationError`.
    @discardableResult
    public func send<Value: Sendable>(
        _ request: DaemonRequest<Value>, within limit: Duration? = nil,
        onProgress: @escaping @Sendable (ScanProgress) -> Void
    ) async throws -> Value {
        let limit = limit ?? options.timeout
        let number = nextNumber()
        return try await wait(for: number) { core, completion in
            core.perform(
                number, within: limit, request, onProgress: onProgress, then: completion)
        }
    }

    /// Sends requests that are answered together, at one revision; see ``DaemonRequest/batch(_:)``.
    public func batch<each Value: Sendable>(
        _ request: repeat DaemonRequest<each Value>
    ) async throws -> BatchAnswer<repeat each Value> {
        try await send(.batch(repeat each request))
    }

    /// Creates a document. Never overwrites one.
    ///
    /// - Parameters:
    ///   - name: the file's name, without folders.
    ///   - root: the watched folder; by default the first.
    ///   - content: the content; empty by default.
    /// - Returns: the new document.
    /// - Throws: a ``ClientError``, or `CancellationError`.
    @discardableResult
    public func create(
        name: String, root: String? = nil, content: String? = nil
    ) async throws -> RemoteDocument {
        try await send(.create(name: name, root: root, content: content))
    }

    /// Publishes an event with `value` as its data.
    ///
    /// - Returns: its number.
    @discardableResult
    public func publish(topic: String, _ value: some Encodable) async throws -> Int {
        try await send(.publish(topic: topic, data: try RawJSON(encoding: value)))
    }

    // MARK: Lists and events

    /// A live list; see ``RemoteList``.
    public func list(_ query: ListQuery) -> RemoteList { RemoteList(self, query) }

    /// The events of one type; see ``EventSequence``.
    ///
    /// - Parameters:
    ///   - type: the type of the events.
    ///   - start: the first event.
    /// - Returns: the events; the subscription begins at once.
    public func events<Event: PickerEvent>(
        of type: Event.Type, start: EventFeed.Start = .latest(0)
    ) -> EventSequence<Event> {
        EventSequence(self, topics: Event.topics, start: start)
    }

    /// The events of some topics, as they come; see ``EventSequence``.
    ///
    /// - Parameters:
    ///   - topics: `*` is everything, `a.*` all below `a`, `!` in front takes away.
    ///   - start: the first event.
    /// - Returns: the events; the subscription begins at once.
    public func events(
        _ topics: [String] = ["*"], start: EventFeed.Start = .latest(0)
    ) -> EventSequence<ReceivedEvent> {
        EventSequence(self, topics: topics, start: start)
    }

    /// Values of whatever can be made of the client's session: observables of its lists, layouts, several of
    /// them in one.
    ///
    ///     let names = client.follow { session, yield in
    ///         let list = session.openList(ListQuery())
    ///         let names = list.observableItems.map { $0.name ?? "" }
    ///         return names.connect { _ in yield(names.value) }
    ///     }
    ///     for await names in names { show(names) }
    ///
    /// - Parameter setUp: is called on the client's thread, with its session and a function that passes a
    ///   value on. What it makes must stay there. It returns what is to be held for as long as the values are
    ///   wanted; lists and feeds that it opens on the session are closed after that.
    /// - Returns: the values. A reader that is slow gets the newest only. They end when the client is closed.
    public func follow<Value: Sendable>(
        _ setUp:
            @escaping @Sendable (ReconnectingSession, @escaping (Value) -> Void) -> AnyObject
    ) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = nextNumber()
            continuation.onTermination = { [thread] _ in
                thread.post { $0.close(number) }
            }
            let isPosted = thread.post { core in
                core.follow(number, finish: { continuation.finish() }) { session in
                    setUp(session) { continuation.yield($0) }
                }
            }
            if !isPosted { continuation.finish() }
        }
    }

    /// Where the connection for requests and lists stands, now and from now on. A reader that is slow
    /// misses the oldest of more than 16 states.
    public var states: AsyncStream<ReconnectingSession.State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            let number = nextNumber()
            continuation.onTermination = { [thread] _ in
                thread.post { $0.stopListening(number) }
            }
            if !thread.post({ $0.listen(number, continuation) }) { continuation.finish() }
        }
    }

    // MARK: Waiting

    func nextNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    /// Has a job done on the thread and waits for its completion; `number` is that of the request in it.
    func wait<Value: Sendable>(
        for number: Int,
        _ job:
            @escaping @Sendable (
                ClientCore, @escaping (Result<Value, ClientError>) -> Void
            ) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isPosted = thread.post { core in
                    job(core) { continuation.resume(with: Self.outcome($0)) }
                }
                guard isPosted else {
                    continuation.resume(
                        throwing: ClientError(.disconnected, "the client was closed"))
                    return
                }
                // The handler below may have been called before there was anything to cancel.
                if Task.isCancelled { thread.post { $0.cancel(number) } }
            }
        } onCancel: {
            thread.post { $0.cancel(number) }
        }
    }

    private static func outcome<Value>(
        _ result: Result<Value, ClientError>
    ) -> Result<Value, any Error> {
        switch result {
        case .success(let value): .success(value)
        case .failure(let error) where error.code == .cancelled: .failure(CancellationError())
        case .failure(let error): .failure(error)
        }
    }
}
