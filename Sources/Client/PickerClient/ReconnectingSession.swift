// A connection that comes back.
//
// Holds at most one connection. When that ends, which its lists and feeds are told by it, the
// session connects again, after pauses that double from try to try; each member is then attached
// to the new connection. A timer is set only while there is no connection: an idle session never
// wakes up. A first connection that fails is not tried again: that is for the caller to decide.
// Pauses begin with the shortest again once a connection has lasted as long as the longest of them:
// a daemon that takes connections and drops them, or talks nonsense, is not asked without rest.

/// What belongs to a session and is attached to each of its connections.
protocol SessionMember: AnyObject {
    func attach(to connection: PickerConnection)
    /// Ends it for good.
    func end()
}

/// A connection to the daemon that is made again whenever it ends, with its lists and feeds.
public final class ReconnectingSession {
    /// The pauses between tries.
    public struct Backoff: Hashable, Sendable {
        /// Before the first try.
        public var first: Duration
        /// No pause is longer.
        public var longest: Duration

        /// By default 100 ms doubling up to 5 s.
        public init(first: Duration = .milliseconds(100), longest: Duration = .seconds(5)) {
            self.first = first
            self.longest = longest
        }
    }

    /// Where the session stands.
    public enum State: Hashable, Sendable {
        /// There is a connection.
        case connected
        /// The connection has ended. A `retrying` follows.
        case lost(ClientError)
        /// The next try comes after this pause; `attempt` counts from 1.
        case retrying(attempt: Int, in: Duration)
        /// The session was closed.
        case closed
    }

    /// The loop that it runs on.
    public let loop: PollLoop
    /// Where the session stands.
    public private(set) var state: State
    /// Is told each new state.
    public var onState: ((State) -> Void)?
    /// Is given each new connection before lists and feeds are attached to it.
    public var onConnect: ((PickerConnection) -> Void)?

    /// The connection, while there is one.
    public private(set) var connection: PickerConnection?

    private let path: String
    private let backoff: Backoff
    private var members: [any SessionMember] = []
    private var timer: PollTimer?
    /// Before the next try.
    private var pause: Duration
    private var connectedAt: Int64 = 0

    /// Connects for the first time.
    ///
    /// - Throws: as the connection does, without another try.
    public init(
        to path: String, on loop: PollLoop, backoff: Backoff = Backoff()
    ) throws(ClientError) {
        self.path = path
        self.loop = loop
        self.backoff = backoff
        pause = backoff.first
        state = .connected
        adopt(try PickerConnection(to: path, on: loop))
    }

    /// A session whose first connection is tried again like all others.
    init(retryingTo path: String, on loop: PollLoop, backoff: Backoff) {
        self.path = path
        self.loop = loop
        self.backoff = backoff
        pause = backoff.first
        state = .connected
        do throws(ClientError) {
            adopt(try PickerConnection(to: path, on: loop))
        } catch {
            lost(error)
        }
    }

    deinit {
        timer?.cancel()
        connection?.onClose = nil
    }

    /// Opens a list that is opened again after each new connection.
    public func openList(_ query: ListQuery) -> LiveList {
        let list = LiveList(query)
        add(list)
        return list
    }

    /// Receives events. Each new connection goes on where the one before ended: no event comes
    /// twice, and what is no longer kept is told as lost.
    public func subscribe(
        topics: [String], start: EventFeed.Start = .latest(0),
        _ handler: @escaping (FeedMessage) -> Void
    ) -> EventFeed {
        let feed = EventFeed(topics: topics, start: start, handler: handler)
        add(feed)
        return feed
    }

    /// Closes a list for good.
    public func close(_ list: LiveList) {
        members.removeAll { $0 === list }
        list.close()
    }

    /// Ends a feed for good.
    public func cancel(_ feed: EventFeed) {
        members.removeAll { $0 === feed }
        feed.cancel()
    }

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

    /// Ends the session and its connection; no more tries.
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
