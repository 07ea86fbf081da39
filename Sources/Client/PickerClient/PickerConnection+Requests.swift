// The calls of the protocol, with their types.

extension PickerConnection {
    /// Sends a request.
    ///
    /// - Parameter request: what is asked, as ``DaemonRequest/ping``.
    /// - Returns: the answer, to come.
    @discardableResult
    public func send<Value>(_ request: DaemonRequest<Value>) -> Reply<Value> {
        call(request.method, request.parameters, request.read)
    }

    /// Asks the daemon what it is.
    ///
    /// - Parameter client: the name of this program, for the daemon's log.
    /// - Returns: what the daemon says of itself.
    @discardableResult
    public func hello(client: String? = nil) -> Reply<DaemonHello> { send(.hello(client: client)) }

    /// Asks for nothing but an answer.
    @discardableResult
    public func ping() -> Reply<Void> { send(.ping) }

    /// Asks the daemon how it is doing.
    public func info() -> Reply<DaemonStatus> { send(.info) }

    /// Has the daemon read its settings again.
    @discardableResult
    public func reload() -> Reply<Void> { send(.reload) }

    /// Has the daemon stop. The connection ends after the answer.
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

    /// One document, by its path as the file system has it, relative to a root or absolute.
    public func document(pathBytes path: [UInt8]) -> Reply<RemoteDocument> {
        send(.document(pathBytes: path))
    }

    /// Makes a document. Never overwrites one.
    ///
    /// - Parameters:
    ///   - name: the file's name, without folders.
    ///   - root: in which of the daemon's folders; by default the first.
    ///   - content: what is in it; nothing by default.
    /// - Returns: the new document.
    public func create(
        name: String, root: String? = nil, content: String? = nil
    ) -> Reply<RemoteDocument> {
        send(.create(name: name, root: root, content: content))
    }

    // MARK: Lists

    /// The items of a query, once. A long answer does not fit a line and is refused
    /// (`limitExceeded`): ask for a window, or open a ``LiveList``.
    public func itemsGet(_ query: ListQuery) -> Reply<ListSnapshot> { send(.items(query)) }

    /// Opens a list that is kept current.
    public func openList(_ query: ListQuery) -> LiveList {
        let list = LiveList(query)
        list.attach(to: self)
        return list
    }

    /// Changes what an open list shows.
    @discardableResult
    public func updateList(_ list: LiveList, to query: ListQuery) -> Reply<Void> {
        list.update(to: query)
    }

    /// Closes a list; nothing more of it comes.
    public func close(_ list: LiveList) { list.close() }

    // MARK: Events

    /// Receives the events of some topics until the feed is cancelled.
    ///
    /// - Returns: the feed. The subscription ends when it is let go of.
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

    /// The latest events that the daemon keeps, the oldest first.
    public func replay(topics: [String], count: Int? = nil) -> Reply<[ReceivedEvent]> {
        send(.replay(topics: topics, count: count))
    }
}
