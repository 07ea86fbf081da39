// A connection that reconnects.
//
// The session holds at most one connection. When it ends, its lists and feeds are notified, and the session
// reconnects with exponential backoff; then each member is attached to the new connection. A timer is set
// only without a connection: an idle session never wakes up. A failed first connection is not retried: the
// caller decides. The delay returns to the shortest once a connection has lasted as long as the longest
// delay, so a daemon that accepts and drops connections, or violates the protocol, is not polled without a
// pause.

/// A member of a session, which is attached to each of its connections.
protocol SessionMember: AnyObject {
    func attach(to connection: PickerConnection)
    /// Ends it for good.
    func end()
}

/// A connection to the daemon that is restored whenever it ends, with its lists and feeds.
public final class ReconnectingSession {
    /// The delays between attempts.
    public struct Backoff: Hashable, Sendable {
        /// The delay before the first attempt.
        package var first: Duration
        /// The longest delay.
        package var longest: Duration

        /// By default 100 ms doubling up to 5 s.
        public init(first: Duration = .milliseconds(100), longest: Duration = .seconds(5)) {
            self.first = first
            self.longest = longest
        }
    }

    /// The state of the session.
    public enum State: Hashable, Sendable {
        /// There is a connection.
        case connected
        /// The connection has ended. A `retrying` follows.
        case lost(ClientError)
        /// The next attempt follows after this delay; `attempt` counts from 1.
        case retrying(attempt: Int, in: Duration)
        /// The session was closed.
        case closed
    }

    /// The loop of the session.
    package let loop: PollLoop
    /// The state of the session.
    public private(set) var state: State
    /// Called with each new state.
    public var onState: ((State) -> Void)?
    /// Called with each new connection before lists and feeds are attached to it.
    public var onConnect: ((PickerConnection) -> Void)?

    /// The connection, while there is one.
    public private(set) var connection: PickerConnection?

    private let path: String
    private let backoff: Backoff
    private var members: [any SessionMember] = []
    private var timer: PollTimer?
    /// The delay before the next attempt.
    private var pause: Duration
    private var connectedAt: Int64 = 0

    /// Connects for the first time.
    ///
    /// - Throws: the error of the connection, without a retry.
    public convenience init(
        to path: String, on loop: PollLoop, backoff: Backoff = Backoff()
    ) throws(ClientError) {
        self.init(path, loop, backoff)
        adopt(try PickerConnection(to: path, on: loop))
    }

    /// A session that retries its first connection like all others.
    convenience init(retryingTo path: String, on loop: PollLoop, backoff: Backoff) {
        self.init(path, loop, backoff)
        do throws(ClientError) {
            adopt(try PickerConnection(to: path, on: loop))
        } catch {
            lost(error)
        }
    }

    private init(_ path: String, _ loop: PollLoop, _ backoff: Backoff) {
        self.path = path
        self.loop = loop
        self.backoff = backoff
        pause = backoff.first
        state = .connected
    }

    deinit {
        timer?.cancel()
        connection?.onClose = nil
    }

    /// Opens a list that is reopened on each new connection.
    public func openList(_ query: ListQuery) -> LiveList {
        let list = LiveList(query)
        add(list)
        return list
    }

    /// Receives events. Each new connection resumes where the previous one ended: no event comes twice, and
    /// events that are no longer kept are reported as lost.
    public func subscribe(
        topics: [String], start: EventFeed.Start = .latest(0),
        _ handler: @escaping (FeedMessage) -> Void
    ) -> EventFeed {
        let feed = EventFeed(topics: topics, start: start, handler: handler)
        add(feed)
        return feed
    }

    /// Closes a list for good.
    public func close(_ list: LiveList) { end([list]) }

    /// Ends a feed for good.
    public func cancel(_ feed: EventFeed) { end([feed]) }

    /// The members that `body` adds.
    func members(addedBy body: () -> Void) -> [any SessionMember] {
        let before = members.map { ObjectIdentifier($0) }
        body()
        return members.filter { !before.contains(ObjectIdentifier($0)) }
    }

    /// Ends members for good.
    func end(_ ended: [any SessionMember]) {
        members.removeAll { member in ended.contains { $0 === member } }
        for member in ended { member.end() }
    }

    /// Ends the session and its connection.
    public func close() {
        timer?.cancel()
        timer = nil
        let connection = connection
        self.connection = nil
        members = []
        enter(.closed)
        connection?.onClose = nil
        connection?.close()
    }

    func add(_ member: any SessionMember) {
        members.append(member)
        if let connection { member.attach(to: connection) }
    }

    private func adopt(_ connection: PickerConnection) {
        self.connection = connection
        connectedAt = loop.nanoseconds
        connection.onClose = { [weak self] in self?.lost($0) }
        onConnect?(connection)
        for member in members where connection.isOpen { member.attach(to: connection) }
    }

    private func lost(_ error: ClientError) {
        let lasted = Duration.nanoseconds(loop.nanoseconds - connectedAt)
        if connection != nil, lasted >= backoff.longest { pause = backoff.first }
        connection = nil
        enter(.lost(error))
        if state != .closed { retry(attempt: 1) }
    }

    private func retry(attempt: Int) {
        let pause = pause
        self.pause = min(pause * 2, backoff.longest)
        enter(.retrying(attempt: attempt, in: pause))
        if state == .closed { return }
        timer = loop.schedule(after: pause) { [weak self] in self?.reconnect(attempt: attempt) }
    }

    private func reconnect(attempt: Int) {
        timer = nil
        do {
            let connection = try PickerConnection(to: path, on: loop)
            enter(.connected)
            if state == .connected { adopt(connection) }
        } catch {
            retry(attempt: attempt + 1)
        }
    }

    private func enter(_ state: State) {
        self.state = state
        onState?(state)
    }
}
