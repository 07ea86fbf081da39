internal import JSONText
internal import WireProtocol

// A subscription to the daemon's bus that survives lost connections and, with a stored position, restarts
// of the program.
//
// While attached to a connection, `sub` is the id of its `events.subscribe` there. All matching events up
// to `position` have been delivered or reported as lost; the position only moves forward within an epoch.
// Each new subscription requests the events since then, so no event is missed while the daemon keeps it,
// and none comes twice: events at or before the position are dropped.
//
// A daemon without `since` (error 1004) is asked to replay everything instead; events before the position
// are dropped here, and missing ones are counted here.
//
// The reported losses, and the position after each:
//
//     the answer has `lost`        from position to its `from`           before `from`
//     another epoch in the answer  what is before its `from`             before `from`
//     `$/lost` among the events    the numbers it names                  the last of them
//
// `lost` also counts gaps among the kept numbers. The first subscription that counts them reports them:
// `knownGaps` is the number of gaps ahead that may have been reported, and only a larger number is reported
// again. Events newer than the subscription are after all gaps. Missing numbers right before `from` are
// always reported: they may have been reported before, but a duplicate report is better than none.
//
// The daemon's `from` is the first number that a subscription may still send, so the position advances to
// it past events that do not match. Between subscriptions only `advance` can do that.

/// Receives the events of some topics, from a position that it tracks.
public final class EventFeed {
    /// The start of a feed without a position.
    public enum Start: Hashable, Sendable {
        /// With this number of latest matching events that are kept; 0 for new events only.
        case latest(Int)
        /// With all matching events that are kept.
        case kept
        /// After this position; events that are no longer kept are reported as lost. `knownGaps` is the
        /// number of later gaps that were reported before.
        case after(EventPosition, knownGaps: Int = 0)
    }

    /// The topics: `*` is everything, `a.*` all below `a`, `!` in front takes away.
    package let topics: [String]
    /// All matching events up to here have been delivered or reported as lost; nil before the first
    /// subscription succeeds, and with a daemon that does not name its epoch. During a call of the handler
    /// with an event, this is that event's position.
    public private(set) var position: EventPosition?
    /// The most gaps after ``position`` that have been reported.
    public private(set) var knownGaps = 0
    /// Whether reading is paused; see ``pause()``.
    package private(set) var isPaused = false

    /// Stands for all events in a subscription without a position.
    private static let mostReplayed = Int(Int32.max)

    private let replay: Int
    private let handler: (FeedMessage) -> Void
    private weak var connection: PickerConnection?
    private var sub: RequestID?

    /// A feed that starts when it is attached to a connection.
    ///
    /// - Parameters:
    ///   - topics: the topics.
    ///   - start: the first event.
    ///   - handler: called for each message, in the order of the events.
    package init(
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

    /// Subscribes on `connection`, and leaves the previous one. The feed does not retain the connection.
    package func attach(to connection: PickerConnection) {
        leave()
        self.connection = connection
        if isPaused { connection.pauseReading() }
        subscribe(on: connection, after: position)
    }

    /// Ends the subscription; no more messages come.
    package func cancel() {
        leave()
        isPaused = false
        connection = nil
    }

    /// Stops reading from the connection, so that events wait in the daemon, which keeps what it keeps for
    /// all clients and reports dropped events as lost.
    ///
    /// No message comes until ``resume()``, even of events that were read already. Because the feed shares
    /// its connection, everything else on it waits as well: answers, lists, other feeds. A feed stays
    /// paused when it is attached to another connection.
    public func pause() {
        guard !isPaused else { return }
        isPaused = true
        connection?.pauseReading()
    }

    /// Ends a ``pause()``. Messages come from the loop, not during this call.
    public func resume() {
        guard isPaused else { return }
        isPaused = false
        connection?.resumeReading()
    }

    /// Asks the daemon whether the position can advance past events of other topics.
    ///
    /// A position among events that are no longer kept counts as a loss, even if none of them matched; this
    /// call keeps the position of a quiet topic current. It takes two small requests. The position stays if
    /// matching events may be under way, or if the daemon's answer is inconclusive; events that came in the
    /// meantime were delivered as usual.
    ///
    /// - Parameter completion: called once, when ``position`` is as far as possible.
    package func advance(then completion: @escaping () -> Void = {}) {
        guard let connection, connection.isOpen, let sub, let epoch = position?.epoch else {
            completion()
            return
        }
        // The order matters: the newest matching event must be requested no earlier than the newest of all.
        connection.send(.hello()).then { [weak self, weak connection] outcome in
            guard let self, let connection, case .success(let hello) = outcome,
                let newest = hello.newestEvent, newest.epoch == epoch
            else {
                completion()
                return
            }
            connection.send(.replay(topics: topics, count: 1)).then {
                [weak self, weak connection] outcome in
                if let self, self.sub == sub, connection === self.connection,
                    case .success(let events) = outcome,
                    let position, position.epoch == epoch,
                    events.allSatisfy({ $0.seq <= position.seq })
                {
                    self.position = position.moved(to: newest.seq)
                    // All gaps known when this subscription began are before it.
                    knownGaps = 0
                }
                completion()
            }
        }
    }

    private func leave() {
        guard let connection else { return }
        if isPaused { connection.resumeReading() }
        guard let sub else { return }
        self.sub = nil
        connection.setSink(nil, for: sub)
        if connection.isOpen { connection.send(.nothing("events.unsubscribe", ["sub": sub.value])) }
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
            // Ids belong to a connection, and an answer may come from the previous one.
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
        // The handler may have cancelled the feed.
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
