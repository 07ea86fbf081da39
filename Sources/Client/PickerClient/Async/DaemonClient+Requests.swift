// The calls of the protocol for tasks. Each throws a `ClientError`, or `CancellationError`.

extension DaemonClient {
    /// Requests the daemon's version, limits and capabilities.
    public func hello() async throws -> DaemonHello {
        try await send(.hello(client: options.name))
    }

    /// Checks that the daemon answers.
    public func ping() async throws { try await send(.ping) }

    /// Requests the daemon's status.
    public func info() async throws -> DaemonStatus { try await send(.info) }

    /// Makes the daemon read its settings again.
    public func reload() async throws { try await send(.reload) }

    /// Stops the daemon. The connection ends, and is restored when there is a daemon again.
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

    /// The rows of a query, once. An answer that does not fit into a line is refused: request a window, or
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

    /// Publishes an event with `value` as its data.
    ///
    /// - Returns: its number.
    @discardableResult
    public func publish(topic: String, _ value: some Encodable) async throws -> Int {
        try await send(.publish(topic: topic, data: try RawJSON(encoding: value)))
    }

    /// The latest matching events that the daemon keeps, oldest first.
    public func replay(topics: [String], count: Int? = nil) async throws -> [ReceivedEvent] {
        try await send(.replay(topics: topics, count: count))
    }
}
