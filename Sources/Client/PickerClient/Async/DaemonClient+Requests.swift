// The calls of the protocol for tasks. Each throws a `ClientError`, or `CancellationError`.

extension DaemonClient {
    /// Asks the daemon what it is.
    public func hello() async throws -> DaemonHello {
        try await send(.hello(client: options.name))
    }

    /// Asks for nothing but an answer.
    public func ping() async throws { try await send(.ping) }

    /// Asks the daemon how it is doing.
    public func info() async throws -> DaemonStatus { try await send(.info) }

    /// Has the daemon read its settings again.
    public func reload() async throws { try await send(.reload) }

    /// Has the daemon stop. The connection ends, and is made again when there is a daemon.
    public func stop() async throws { try await send(.stop) }

    /// Waits until the daemon has seen every change that was made to its folders before the call.
    ///
    /// - Returns: the revision with all those changes in it.
    @discardableResult
    public func sync(timeoutMs: Int? = nil) async throws -> Int {
        try await send(.sync(timeoutMs: timeoutMs))
    }

    /// One document, by its key.
    public func document(key: String) async throws -> RemoteDocument {
        try await send(.document(key: key))
    }

    /// One document, by its path, relative to a root or absolute.
    public func document(path: String) async throws -> RemoteDocument {
        try await send(.document(path: path))
    }

    /// Makes a document. Never overwrites one.
    ///
    /// - Parameters:
    ///   - name: the file's name, without folders.
    ///   - root: in which of the daemon's folders; by default the first.
    ///   - content: what is in it; nothing by default.
    /// - Returns: the new document.
    /// - Throws: a ``ClientError``, or `CancellationError`.
    @discardableResult
    public func create(
        name: String, root: String? = nil, content: String? = nil
    ) async throws -> RemoteDocument {
        try await send(.create(name: name, root: root, content: content))
    }

    /// The rows of a query, once. A long answer does not fit a line and is refused: ask for a window, or
    /// open a list.
    public func items(_ query: ListQuery) async throws -> ListSnapshot {
        try await send(.items(query))
    }

    /// Publishes an event.
    ///
    /// - Returns: its number.
    @discardableResult
    public func publish(topic: String, data: RawJSON? = nil) async throws -> Int {
        try await send(.publish(topic: topic, data: data))
    }

    /// Publishes an event whose data are `value`.
    ///
    /// - Returns: its number.
    @discardableResult
    public func publish(topic: String, _ value: some Encodable) async throws -> Int {
        try await send(.publish(topic: topic, data: try RawJSON(encoding: value)))
    }

    /// The latest events that the daemon keeps and that match, the oldest first.
    public func replay(topics: [String], count: Int? = nil) async throws -> [ReceivedEvent] {
        try await send(.replay(topics: topics, count: count))
    }
}
