// The calls of the protocol, with their types.

extension PickerConnection {
    /// Sends a request.
    ///
    /// - Parameter request: the request, such as ``DaemonRequest/ping``.
    /// - Returns: the pending answer.
    @discardableResult
    public func send<Value>(_ request: DaemonRequest<Value>) -> Reply<Value> {
        call(request.method, request.parameters, request.read)
    }

    /// Requests the daemon's version, limits and capabilities.
    ///
    /// - Parameter client: the name of this program, for the daemon's log.
    /// - Returns: the daemon's answer.
    @discardableResult
    public func hello(client: String? = nil) -> Reply<DaemonHello> { send(.hello(client: client)) }

    /// Checks that the daemon answers.
    @discardableResult
    public func ping() -> Reply<Void> { send(.ping) }

    /// Requests the daemon's status.
    public func info() -> Reply<DaemonStatus> { send(.info) }

    /// Makes the daemon read its settings again.
    @discardableResult
    public func reload() -> Reply<Void> { send(.reload) }

    /// Stops the daemon. The connection ends after the answer.
    @discardableResult
    public func stop() -> Reply<Void> { send(.stop) }

    /// Waits until the daemon has seen every change that was made to its folders before the call.
    ///
    /// - Returns: the revision with all those changes in it.
    public func sync(timeoutMs: Int? = nil) -> Reply<Int> { send(.sync(timeoutMs: timeoutMs)) }

    // MARK: Documents

    /// One document, by its key.
    public func document(key: String) -> Reply<RemoteDocument> { send(.document(key: key)) }

    /// One document, by its path, relative to a root or absolute.
    public func document(path: String) -> Reply<RemoteDocument> { send(.document(path: path)) }

    /// One document, by the bytes of its path, relative to a root or absolute.
    public func document(pathBytes path: [UInt8]) -> Reply<RemoteDocument> {
        send(.document(pathBytes: path))
    }

    /// Creates a document. Never overwrites one.
    ///
    /// - Parameters:
    ///   - name: the file's name, without folders.
    ///   - root: the watched folder; by default the first.
    ///   - content: the content; empty by default.
    /// - Returns: the new document.
    public func create(
        name: String, root: String? = nil, content: String? = nil
    ) -> Reply<RemoteDocument> {
        send(.create(name: name, root: root, content: content))
    }

    // MARK: Lists

    /// The items of a query, once. An answer that does not fit into a line is refused (`limitExceeded`):
    /// request a window, or open a ``LiveList``.
    public func itemsGet(_ query: ListQuery) -> Reply<ListSnapshot> { send(.items(query)) }

    /// Opens a live list.
    public func openList(_ query: ListQuery) -> LiveList {
        let list = LiveList(query)
        list.attach(to: self)
        return list
    }

    /// Changes the query of an open list.
    @discardableResult
    public func updateList(_ list: LiveList, to query: ListQuery) -> Reply<Void> {
        list.update(to: query)
    }

    /// Closes a list; no more changes of it come.
    public func close(_ list: LiveList) { list.close() }

    // MARK: Events

    /// Receives the events of some topics until the feed is cancelled.
    ///
    /// - Returns: the feed. The subscription ends when the feed is released.
    public func subscribe(
        topics: [String], start: EventFeed.Start = .latest(0),
        _ handler: @escaping (FeedMessage) -> Void
    ) -> EventFeed {
        let feed = EventFeed(topics: topics, start: start, handler: handler)
        feed.attach(to: self)
        return feed
    }

    /// Ends a subscription.
    public func unsubscribe(_ feed: EventFeed) { feed.cancel() }

    /// Publishes an event.
    ///
    /// - Returns: its number.
    @discardableResult
    public func publish(topic: String, data: RawJSON? = nil) -> Reply<Int> {
        send(.publish(topic: topic, data: data))
    }

    /// The latest events that the daemon keeps, oldest first.
    public func replay(topics: [String], count: Int? = nil) -> Reply<[ReceivedEvent]> {
        send(.replay(topics: topics, count: count))
    }
}
