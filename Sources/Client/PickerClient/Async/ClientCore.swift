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
    /// A list, a feed, or what a program follows.
    private struct Opened {
        let object: AnyObject
        /// Ends it, when nobody reads it any more.
        let close: () -> Void
        /// Ends what its reader gets.
        let finish: () -> Void
    }

    private let loop: PollLoop
    private(set) var isClosed = false
    private var session: ReconnectingSession?
    private var calls: [Int: () -> Void] = [:]
    private var opened: [Int: Opened] = [:]
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
        session?.close()
        session = nil
        for one in opened.values {
            one.close()
            one.finish()
        }
        opened = [:]
        for listener in listeners.values { listener.finish() }
        listeners = [:]
    }

    // MARK: Requests

    /// Sends `request`; `completion` is called once, and `onProgress` as often as there is news before.
    func perform<Value>(
        _ number: Int, within limit: Duration?,
        _ request: DaemonRequest<Value>,
        onProgress: ((ScanProgress) -> Void)? = nil,
        then completion: @escaping (Result<Value, ClientError>) -> Void
    ) {
        guard let connection = session?.connection, connection.isOpen else {
            let why =
                isClosed
                ? "the client was closed" : "there is no connection; it is being made again"
            completion(.failure(ClientError(.disconnected, why)))
            return
        }
        let reply =
            if let onProgress { connection.send(request, onProgress: onProgress) } else {
                connection.send(request)
            }
        follow(reply, as: number, within: limit, then: completion)
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
            guard let self, !isClosed else { return }
            if error.code == .disconnected {
                let change = ArrayChange<ListItem>(initialCount: list.items.count)
                mailbox.send(ListUpdate(list, change, isConnected: false))
            } else {
                mailbox.finish(throwing: error)
                close(number)
            }
        }
        opened[number] = Opened(
            object: list,
            close: { [weak self] in
                list.onError = nil
                list.onChange = nil
                self?.session?.close(list)
                changes.disconnect()
            }, finish: { mailbox.finish(throwing: nil) })
        session.add(list)
    }

    func updateList(
        _ number: Int, to query: ListQuery, as request: Int, within limit: Duration?,
        then completion: @escaping (Result<Void, ClientError>) -> Void
    ) {
        guard let list = opened[number]?.object as? LiveList else {
            completion(.failure(ClientError(.disconnected, "the list is not open any more")))
            return
        }
        follow(list.update(to: query), as: request, within: limit, then: completion)
    }

    /// Ends the list, the feed, or whatever else has this number.
    func close(_ number: Int) { opened.removeValue(forKey: number)?.close() }

    // MARK: Events

    func openFeed(
        _ number: Int, topics: [String], start: EventFeed.Start, to path: String,
        backoff: ReconnectingSession.Backoff, into buffer: Mailbox<EventQueue>
    ) {
        if isClosed { return buffer.finish(throwing: nil) }
        let session = ReconnectingSession(retryingTo: path, on: loop, backoff: backoff)
        weak var own: EventFeed?
        let feed = EventFeed(topics: topics, start: start) { [weak self] message in
            if case .ended(let error) = message, error.code != .disconnected {
                buffer.finish(throwing: error)
                self?.close(number)
            } else if buffer.send(.init(message: message, position: own?.position)) {
                own?.pause()
            }
        }
        own = feed
        opened[number] = Opened(
            object: feed, close: { session.close() }, finish: { buffer.finish(throwing: nil) })
        session.add(feed)
    }

    /// Resumes a feed whose reader has caught up.
    func resumeFeed(_ number: Int) { (opened[number]?.object as? EventFeed)?.resume() }

    // MARK: Whatever else there is

    func follow(
        _ number: Int, finish: @escaping () -> Void, _ setUp: (ReconnectingSession) -> AnyObject
    ) {
        guard let session else { return finish() }
        var object: AnyObject?
        let members = session.members { object = setUp(session) }
        guard let object else { return }
        opened[number] = Opened(
            object: object, close: { [weak self] in self?.session?.end(members) }, finish: finish)
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
