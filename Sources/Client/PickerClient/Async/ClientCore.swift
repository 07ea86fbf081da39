internal import JSONText
internal import Observables
internal import WireProtocol

// The objects on the thread of a `DaemonClient`: the session, pending requests, lists and feeds, each under
// a number that other threads use for it.
//
// Requests and lists share one connection. A feed has its own connection: it is paused while its reader is
// behind, and a pause blocks everything on a connection.

/// The objects of a client's thread.
final class ClientCore {
    private final class OpenFeed {
        let session: ReconnectingSession
        var feed: EventFeed?
        let buffer: Mailbox<EventQueue>

        init(_ session: ReconnectingSession, _ buffer: Mailbox<EventQueue>) {
            self.session = session
            self.buffer = buffer
        }
    }

    private struct OpenList {
        let list: LiveList
        let mailbox: Mailbox<MergedUpdate>
        let changes: Connection
    }

    private struct Followed {
        let object: AnyObject
        let members: [any SessionMember]
        let finish: () -> Void
    }

    private let loop: PollLoop
    private(set) var isClosed = false
    private var session: ReconnectingSession?
    private var calls: [Int: () -> Void] = [:]
    private var lists: [Int: OpenList] = [:]
    private var feeds: [Int: OpenFeed] = [:]
    private var followed: [Int: Followed] = [:]
    private var listeners: [Int: AsyncStream<ReconnectingSession.State>.Continuation] = [:]

    init(on loop: PollLoop) {
        self.loop = loop
    }

    /// Makes the first connection.
    func connect(
        to path: String, backoff: ReconnectingSession.Backoff
    ) throws(ClientError) {
        let session = try ReconnectingSession(to: path, on: loop, backoff: backoff)
        session.onState = { [weak self] state in
            for listener in self?.listeners.values.map({ $0 }) ?? [] { listener.yield(state) }
        }
        self.session = session
    }

    /// Ends everything: requests fail, lists and feeds end.
    func close() {
        if isClosed { return }
        isClosed = true
        for open in feeds.values {
            open.session.close()
            open.buffer.finish(throwing: nil)
        }
        feeds = [:]
        for open in lists.values {
            open.list.onError = nil
            open.mailbox.finish(throwing: nil)
        }
        lists = [:]
        session?.close()
        session = nil
        for one in followed.values { one.finish() }
        followed = [:]
        for listener in listeners.values { listener.finish() }
        listeners = [:]
    }

    // MARK: Requests

    /// Sends `request`; `completion` is called once.
    func perform<Value>(
        _ number: Int, within limit: Duration?,
        _ request: DaemonRequest<Value>,
        then completion: @escaping (Result<Value, ClientError>) -> Void
    ) {
        guard let connection = session?.connection, connection.isOpen else {
            let why =
                isClosed
                ? "the client was closed" : "there is no connection; it is being made again"
            completion(.failure(ClientError(.disconnected, why)))
            return
        }
        follow(connection.send(request), as: number, within: limit, then: completion)
    }

    private func follow<Value>(
        _ reply: Reply<Value>, as number: Int, within limit: Duration?,
        then completion: @escaping (Result<Value, ClientError>) -> Void
    ) {
        if let limit { reply.expire(after: limit) }
        calls[number] = { reply.cancel() }
        reply.then { [weak self] outcome in
            self?.calls[number] = nil
            completion(outcome)
        }
    }

    /// Cancels the request with this number, if it has not been answered.
    func cancel(_ number: Int) { calls[number]?() }

    // MARK: Lists

    func openList(_ number: Int, _ query: ListQuery, into mailbox: Mailbox<MergedUpdate>) {
        guard let session else { return mailbox.finish(throwing: nil) }
        let list = LiveList(query)
        var gathered: ArrayChange<ListItem>?
        // Called in the transaction of each message, before `onChange`.
        let changes = list.observableItems.connect { gathered = $0 }
        list.onChange = { [unowned list] _ in
            let change = gathered.take() ?? ArrayChange(initialCount: list.items.count)
            mailbox.send(ListUpdate(list, change, isConnected: true))
        }
        list.onError = { [weak self, unowned list] error in
            if error.code == .disconnected {
                let change = ArrayChange<ListItem>(initialCount: list.items.count)
                mailbox.send(ListUpdate(list, change, isConnected: false))
            } else {
                mailbox.finish(throwing: error)
                self?.closeList(number)
            }
        }
        lists[number] = OpenList(list: list, mailbox: mailbox, changes: changes)
        session.add(list)
    }

    func updateList(
        _ number: Int, to query: ListQuery, as request: Int, within limit: Duration?,
        then completion: @escaping (Result<Void, ClientError>) -> Void
    ) {
        guard let open = lists[number] else {
            completion(.failure(ClientError(.disconnected, "the list is not open any more")))
            return
        }
        follow(open.list.update(to: query), as: request, within: limit, then: completion)
    }

    func closeList(_ number: Int) {
        guard let open = lists.removeValue(forKey: number) else { return }
        open.list.onError = nil
        open.list.onChange = nil
        session?.close(open.list)
    }

    // MARK: Events

    func openFeed(
        _ number: Int, topics: [String], start: EventFeed.Start, to path: String,
        backoff: ReconnectingSession.Backoff, into buffer: Mailbox<EventQueue>
    ) {
        if isClosed { return buffer.finish(throwing: nil) }
        let open = OpenFeed(
            ReconnectingSession(retryingTo: path, on: loop, backoff: backoff), buffer)
        feeds[number] = open
        open.feed = open.session.subscribe(topics: topics, start: start) {
            [weak self, weak open] message in
            if case .ended(let error) = message, error.code != .disconnected {
                buffer.finish(throwing: error)
                self?.closeFeed(number)
            } else if buffer.send(.init(message: message, position: open?.feed?.position)) {
                open?.feed?.pause()
            }
        }
    }

    /// Resumes a feed whose reader has caught up.
    func resumeFeed(_ number: Int) { feeds[number]?.feed?.resume() }

    func closeFeed(_ number: Int) {
        guard let open = feeds.removeValue(forKey: number) else { return }
        open.session.close()
    }

    // MARK: Whatever else there is

    func follow(
        _ number: Int, finish: @escaping () -> Void, _ setUp: (ReconnectingSession) -> AnyObject
    ) {
        guard let session else { return finish() }
        var object: AnyObject?
        let members = session.members { object = setUp(session) }
        if let object {
            followed[number] = Followed(object: object, members: members, finish: finish)
        }
    }

    func stopFollowing(_ number: Int) {
        guard let one = followed.removeValue(forKey: number) else { return }
        session?.end(one.members)
    }

    // MARK: States

    func listen(
        _ number: Int, _ listener: AsyncStream<ReconnectingSession.State>.Continuation
    ) {
        guard let session else { return listener.finish() }
        listeners[number] = listener
        listener.yield(session.state)
    }

    func stopListening(_ number: Int) { listeners[number] = nil }
}
