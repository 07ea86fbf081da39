internal import JSONText
internal import WireProtocol

// A subscription to the daemon's bus that outlives connections, and programs.
//
// While it is attached to a connection, `sub` is the id of its `events.subscribe` there. `position`
// is the place up to which everything that matches has been passed on, or told as lost; it only
// moves forward within an epoch. Each new subscription asks for what came since, so that nothing is
// missed while the daemon keeps it, and no event comes twice: those at or before the place are
// dropped, whoever sends them again.
//
// A daemon that does not do `since` (error 1004) is asked to replay all it has instead; what is
// older than the place is dropped here, and what is missing is counted here.
//
// What is told as lost, and where the place is then:
//
//     the answer has `lost`        from the place to its `from`          before `from`
//     another epoch in the answer  what is before its `from`             before `from`
//     `$/lost` among the events    the numbers it names                  the last of them
//
// `lost` also counts numbers that are missing among the kept ones. They are told with the first
// subscription that counts them: `knownGaps` is how many of those that may lie ahead have been told,
// and only more than that is news. An event newer than its subscription is behind all of them. Those
// right before `from` are always told: whether they are among the ones that were told before can't be
// known, and a loss told twice is better than one that is not told.
//
// The daemon's `from` is the first number that a subscription may still send: the place moves up to
// it past events that do not match. Between subscriptions only `advance` can tell such numbers.

/// Receives the events of some topics, from a place on that it remembers.
public final class EventFeed {
    /// Where the feed begins when it has no place yet.
    public enum Start: Hashable, Sendable {
        /// With so many of the latest events that are kept and match; 0 is only new ones.
        case latest(Int)
        /// With all events that are kept and match.
        case kept
        /// After this place; what is not kept any more is told as lost. Of the numbers missing
        /// further on, so many have been told before.
        case after(EventPosition, knownGaps: Int = 0)
    }

    /// The topics: `*` is everything, `a.*` all below `a`, `!` in front takes away.
    public let topics: [String]
    /// Everything that matches up to here has been passed on or told as lost; nil before the first
    /// subscription is taken, and with a daemon that does not name its epoch. Within a call of the
    /// handler with an event, this is that event's place.
    public private(set) var position: EventPosition?
    /// How many of the numbers after ``position`` have been told to be missing, at most.
    public private(set) var knownGaps = 0
    /// Whether reading is held up; see ``pause()``.
    public private(set) var isPaused = false

    /// Of a subscription without a place, as many as this are all.
    private static let mostReplayed = Int(Int32.max)

    private let replay: Int
    private let handler: (FeedMessage) -> Void
    private weak var connection: PickerConnection?
    private var sub: RequestID?

    /// A feed that starts when it is attached to a connection.
    ///
    /// - Parameters:
    ///   - topics: which events are wanted.
    ///   - start: where it begins.
    ///   - handler: is called for each message, in the order of the events.
    public init(
        topics: [String], start: Start = .latest(0), handler: @escaping (FeedMessage) -> Void
    ) {
        self.topics = topics
        self.handler = handler
        switch start {
        case .latest(let count): replay = min(max(0, count), Self.mostReplayed)
        case .kept: replay = Self.mostReplayed
        case .after(let place, let gaps):
            replay = 0
            position = place
            knownGaps = gaps
        }
    }

    deinit {
        if isPaused { connection?.resumeReading() }
    }

    /// Subscribes on `connection`, and leaves the one before. The feed does not hold the
    /// connection: keep it for as long.
    public func attach(to connection: PickerConnection) {
        leave()
        self.connection = connection
        if isPaused { connection.pauseReading() }
        subscribe(on: connection, after: position)
    }

    /// Ends the subscription; nothing more comes.
    public func cancel() {
        leave()
        isPaused = false
        connection = nil
    }

    /// Has nothing more read from the connection, so that events wait in the daemon, which keeps as
    /// many as it keeps for everyone and tells those lost that it must drop.
    ///
    /// No message comes until ``resume()``, even of what has been read already. Since the events
    /// have no connection of their own, everything else on it waits as well: answers, lists, other
    /// feeds. A feed stays paused when it is attached to another connection.
    public func pause() {
        guard !isPaused else { return }
        isPaused = true
        connection?.pauseReading()
    }

    /// Goes on after a ``pause()``. Messages come from the loop, not from within this call.
    public func resume() {
        guard isPaused else { return }
        isPaused = false
        connection?.resumeReading()
    }

    /// Asks the daemon whether the place can move on past events of other topics.
    ///
    /// A place among events that are no longer kept counts as lost whatever came after it; this
    /// keeps the place of a quiet topic from falling behind. It costs two small requests. Nothing
    /// is moved while events that match may be on their way, or if the daemon gives no clear
    /// answer; events that came meanwhile were passed on as ever.
    ///
    /// - Parameter completion: is called once, when ``position`` is as far as it can be.
    public func advance(then completion: @escaping () -> Void = {}) {
        guard let connection, connection.isOpen, let sub, let epoch = position?.epoch else {
            completion()
            return
        }
        let newest = connection.call("daemon.hello", RawJSON([:])) { view in
            Result { () throws(ClientError) in try Self.newest(in: view, of: epoch) }
        }
        // The order of the two matters: the newest that matches must be looked for no earlier than
        // the newest of all.
        newest.then { [weak self, weak connection] outcome in
            guard let self, let connection, case .success(let newest?) = outcome else {
                completion()
                return
            }
            connection.replay(topics: topics, count: 1).then {
                [weak self, weak connection] outcome in
                if let self, self.sub == sub, connection === self.connection,
                    case .success(let events) = outcome,
                    let position, position.epoch == epoch,
                    events.allSatisfy({ $0.seq <= position.seq })
                {
                    self.position = position.moved(to: newest)
                    // All that were missing when this subscription began lie behind it.
                    knownGaps = 0
                }
                completion()
            }
        }
    }

    /// The number of the newest event, from the answer to `daemon.hello`; nil in another epoch.
    private static func newest(in view: JSONView, of epoch: String) throws(ClientError) -> Int? {
        do {
            let events = try ParameterReader(view).object("events")
            return try events.string("epoch") == epoch ? try events.int("seq") : nil
        } catch {
            throw ClientError(error)
        }
    }

    private func leave() {
        guard let connection else { return }
        if isPaused { connection.resumeReading() }
        guard let sub else { return }
        self.sub = nil
        connection.setSink(nil, for: sub)
        if connection.isOpen {
            connection.request("events.unsubscribe", RawJSON(["sub": sub.value]))
        }
    }

    // MARK: Subscribing

    private func subscribe(on connection: PickerConnection, after place: EventPosition?) {
        request(on: connection, place.map { ["since": .string("\($0)")] } ?? replaying(replay)) {
            [weak self, weak connection] outcome in
            guard let self, let connection else { return }
            switch outcome {
            case .success(let answer): subscribed(answer, after: place, hasCounted: place != nil)
            case .failure(let error) where place != nil && error.isRefusal(.unsupported):
                request(on: connection, replaying(Self.mostReplayed)) { [weak self] outcome in
                    switch outcome {
                    case .success(let answer):
                        self?.subscribed(answer, after: place, hasCounted: false)
                    case .failure(let error): self?.refused(error)
                    }
                }
            case .failure(let error): refused(error)
            }
        }
    }

    private func replaying(_ count: Int) -> JSONObject {
        count > 0 ? ["replay": JSONValue(count)] : [:]
    }

    private func request(
        on connection: PickerConnection, _ extra: JSONObject,
        _ answered: @escaping (Reply<SubscribeAnswer>.Outcome) -> Void
    ) {
        var parameters = extra
        parameters["topics"] = .array(topics.map { .string($0) })
        let sub = connection.nextID()
        self.sub = sub
        connection.setSink(self, for: sub)
        connection.call("events.subscribe", RawJSON(parameters), as: sub) { view in
            Result { () throws(ClientError) in try SubscribeAnswer(reading: view) }
        }.then { [weak self, weak connection] outcome in
            // Ids are a connection's own, and an answer may come from the one before.
            guard let self, let connection, connection === self.connection, self.sub == sub
            else { return }
            if case .failure = outcome { connection.setSink(nil, for: sub) }
            answered(outcome)
        }
    }

    private func refused(_ error: ClientError) {
        sub = nil
        handler(.ended(error))
    }

    /// `hasCounted` is whether the answer's `lost` is about `place`.
    private func subscribed(
        _ answer: SubscribeAnswer, after place: EventPosition?, hasCounted: Bool
    ) {
        let loss = place.flatMap { answer.loss(after: $0, hasCounted: hasCounted) }
        let isNews = loss.map { self.isNews($0, after: place) } ?? false
        knownGaps = loss?.gaps ?? 0
        position = loss?.position ?? position ?? answer.start
        if let start = answer.start, start.epoch == position?.epoch {
            position = position?.moved(to: start.seq)
        }
        let sub = sub
        handler(.subscribed)
        // The handler may have ended it.
        if let loss, isNews, self.sub == sub { handler(.lost(loss)) }
    }

    private func isNews(_ loss: EventLoss, after place: EventPosition?) -> Bool {
        loss.numbers != nil || loss.gaps > knownGaps || loss.position?.epoch != place?.epoch
    }

    // MARK: Receiving

    func receive(_ notification: RequestEnvelope) {
        do {
            guard let params = notification.params else { return }
            switch notification.method {
            case "event":
                let event = ReceivedEvent(try EventRecord(decoding: params))
                if let position {
                    guard event.seq > position.seq else { return }
                    self.position = position.moved(to: event.seq)
                }
                if !event.isReplayed { knownGaps = 0 }
                handler(.event(event))
            case "$/lost":
                let notice = try LostNotice(decoding: params)
                guard notice.from <= notice.to, notice.from >= 0,
                    notice.to <= EventPosition.greatest
                else {
                    connection?.breakOff("$/lost from \(notice.from) to \(notice.to)")
                    return
                }
                position = position?.moved(to: notice.to)
                handler(
                    .lost(
                        EventLoss(
                            numbers: notice.from...notice.to, gaps: 0, reason: .told(notice.reason),
                            position: position)))
            default: return
            }
        } catch {
            connection?.breakOff("\(notification.method): \(error)")
        }
    }
}

extension EventFeed: SessionMember, NotificationSink {
    func end() { cancel() }

    func lose(_ error: ClientError) {
        sub = nil
        handler(.ended(error))
    }
}
