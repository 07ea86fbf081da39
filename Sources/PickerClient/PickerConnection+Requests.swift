internal import JSONText
internal import WireProtocol

// The calls of the protocol, with their types.

extension PickerConnection {
    /// Asks the daemon what it is.
    ///
    /// - Parameter client: the name of this program, for the daemon's list of clients.
    /// - Returns: what the daemon says of itself.
    @discardableResult
    public func hello(client: String? = nil) -> Reply<DaemonHello> {
        var parameters = JSONObject()
        if let client { parameters["client"] = .string(client) }
        return call("daemon.hello", RawJSON(parameters)) { view in
            Self.read(view, HelloResult.self) { DaemonHello($0) }
        }
    }

    /// Asks for nothing but an answer.
    @discardableResult
    public func ping() -> Reply<Void> { callForNothing("daemon.ping") }

    /// Asks the daemon how it is doing.
    public func info() -> Reply<DaemonStatus> {
        call("daemon.info", RawJSON([:])) { view in
            Self.read(view, DaemonInfo.self) { DaemonStatus($0) }
        }
    }

    /// Has the daemon read its settings again.
    @discardableResult
    public func reload() -> Reply<Void> { callForNothing("daemon.reload") }

    /// Has the daemon stop. The connection ends after the answer.
    @discardableResult
    public func stop() -> Reply<Void> { callForNothing("daemon.stop") }

    /// Waits until the daemon has seen every change that was made to its folders before the call.
    ///
    /// - Returns: the revision with all those changes in it.
    public func sync(timeoutMs: Int? = nil) -> Reply<Int> {
        var parameters = JSONObject()
        if let timeoutMs { parameters["timeoutMs"] = JSONValue(timeoutMs) }
        return call("sync", RawJSON(parameters)) { view in
            Self.read(view) { reader throws(ProtocolError) in try reader.int("rev") }
        }
    }

    // MARK: Documents

    /// One document, by its key.
    public func document(key: String) -> Reply<RemoteDocument> {
        document("documents.get", ["key": .string(key)])
    }

    /// One document, by its path relative to a root.
    public func document(path: String) -> Reply<RemoteDocument> {
        document("documents.get", ["path": .string(path)])
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
        var parameters: JSONObject = ["name": .string(name)]
        if let root { parameters["root"] = .string(root) }
        if let content { parameters["content"] = .string(content) }
        return document("documents.create", parameters)
    }

    private func document(_ method: String, _ parameters: JSONObject) -> Reply<RemoteDocument> {
        call(method, RawJSON(parameters)) { view in
            Self.read(view, DocumentRecord.self) { RemoteDocument($0) }
        }
    }

    // MARK: Lists

    /// The items of a query, once. A long answer does not fit a line and is refused
    /// (`limitExceeded`): ask for a window, or open a ``LiveList``.
    public func itemsGet(_ query: ListQuery) -> Reply<[ListItem]> {
        call("items.get", RawJSON(query.parameters)) { view in
            Self.read(view, ItemsResult.self) { $0.items.map { ListItem($0) } }
        }
    }

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
        let parameters = JSONFragment(writing: { writer in
            writer.beginObject()
            writer.member("topic", topic)
            if let data { writer.member("data", data.fragment) }
            writer.endObject()
        })
        return call("events.publish", RawJSON(parameters)) { view in
            Self.read(view) { reader throws(ProtocolError) in try reader.int("seq") }
        }
    }

    /// The latest events that the daemon keeps, the oldest first.
    public func replay(topics: [String], count: Int? = nil) -> Reply<[ReceivedEvent]> {
        var parameters: JSONObject = ["topics": .array(topics.map { .string($0) })]
        if let count { parameters["count"] = JSONValue(count) }
        return call("events.replay", RawJSON(parameters)) { view in
            Self.read(view) { reader throws(ProtocolError) in
                var events: [ReceivedEvent] = []
                for event in try reader.objects("events") {
                    events.append(ReceivedEvent(try EventRecord(reading: event)))
                }
                return events
            }
        }
    }

    // MARK: Reading results

    private func callForNothing(_ method: String) -> Reply<Void> {
        call(method, RawJSON([:])) { _ in .success(()) }
    }

    private static func read<Message: WireReadable, Value>(
        _ view: JSONView, _ type: Message.Type, _ body: (Message) -> Value
    ) -> Result<Value, ClientError> {
        read(view) { reader throws(ProtocolError) in body(try Message(reading: reader)) }
    }

    private static func read<Value>(
        _ view: JSONView, _ body: (ParameterReader) throws(ProtocolError) -> Value
    ) -> Result<Value, ClientError> {
        do {
            return .success(try body(try ParameterReader(view)))
        } catch {
            return .failure(
                ClientError(.badMessage, "the daemon's answer is not as agreed: \(error.message)"))
        }
    }
}
