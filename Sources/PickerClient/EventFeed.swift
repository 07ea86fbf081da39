internal import JSONText
package import WireProtocol

// A subscription to the daemon's bus that outlives connections.
//
// While it is attached to a connection, `sub` is the id of its `events.subscribe` there. It notes
// the last event that it passed on; after a new connection it asks for what came since, so that
// nothing is missed while the daemon keeps it. A daemon that does not do `since` is asked without,
// and what came in between is then lost without a count.

/// An event as the daemon passed it on.
public struct ReceivedEvent: Hashable, Sendable {
    package let record: EventRecord

    package init(_ record: EventRecord) { self.record = record }

    /// Its place among all events of all topics.
    public var seq: Int { record.seq }
    /// When it was published, in seconds since 1970.
    public var time: Double { record.time }
    /// Dot-separated words.
    public var topic: String { record.topic }
    /// What was published with it.
    public var data: RawJSON? { record.data.map { RawJSON($0) } }
    /// Whether it was kept from before the subscription.
    public var isReplayed: Bool { record.replayed }
    /// The event as one line of JSON, without the line's end.
    public var json: RawJSON { RawJSON(JSONFragment(writing: { record.write(to: &$0) })) }
}

/// What a feed has to tell.
public enum FeedMessage: Sendable {
    /// The daemon has taken the subscription; `lost` events since the last one are no longer kept.
    case subscribed(lost: Int)
    /// An event that matches.
    case event(ReceivedEvent)
    /// Events that this client was too slow for.
    case lost(from: Int, to: Int, reason: String)
    /// The daemon refused the subscription, or the connection ended. The feed is silent until it
    /// is attached again.
    case ended(ClientError)
}

/// Receives the events of some topics.
public final class EventFeed {
    /// The topics: `*` is everything, `a.*` all below `a`, `!` in front takes away.
    public let topics: [String]

    private let replay: Int?
    private let handler: (FeedMessage) -> Void
    private weak var connection: PickerConnection?
    private var sub: RequestID?
    private var last: (epoch: String, seq: Int)?

    /// A feed that starts when it is attached to a connection.
    ///
    /// - Parameters:
    ///   - topics: which events are wanted.
    ///   - replay: how many of the latest kept ones come first.
    ///   - handler: is called for each message, in the order of the events.
    public init(
        topics: [String], replay: Int? = nil, handler: @escaping (FeedMessage) -> Void
    ) {
        self.topics = topics
        self.replay = replay
        self.handler = handler
    }

    /// Subscribes on `connection`, and leaves the one before. The feed does not hold the
    /// connection: keep it for as long.
    public func attach(to connection: PickerConnection) {
        cancel()
        self.connection = connection
        subscribe(on: connection, since: last.map { "\($0.epoch):\($0.seq)" })
    }

    /// Ends the subscription; nothing more comes.
    public func cancel() {
        guard let connection, let sub else { return }
        self.sub = nil
        connection.setSink(nil, for: sub)
        if connection.isOpen {
            connection.request("events.unsubscribe", RawJSON(["sub": sub.value]))
        }
    }

    private func subscribe(on connection: PickerConnection, since: String?) {
        var parameters: JSONObject = ["topics": .array(topics.map { .string($0) })]
        if let since {
            parameters["since"] = .string(since)
        } else if let replay, replay > 0, last == nil {
            parameters["replay"] = JSONValue(replay)
        }
        let sub = connection.nextID()
        self.sub = sub
        connection.setSink(self, for: sub)
        connection.send("events.subscribe", RawJSON(parameters), as: sub)
            .then { [weak self] outcome in
                guard let self, self.sub == sub else { return }
                switch outcome {
                case .success(let result): subscribed(result)
                case .failure(let error):
                    connection.setSink(nil, for: sub)
                    if since != nil, error.code == .refused {
                        subscribe(on: connection, since: nil)
                    } else {
                        self.sub = nil
                        handler(.ended(error))
                    }
                }
            }
    }

    private func subscribed(_ result: RawJSON) {
        let reader = try? ParameterReader(result.fragment.view)
        let epoch = (try? reader?.optionalString("epoch")) ?? ""
        let from = (try? reader?.optionalInt("from")) ?? nil
        // Of another epoch the old number says nothing.
        if last?.epoch != epoch { last = from.map { (epoch, max(0, $0 - 1)) } }
        handler(.subscribed(lost: ((try? reader?.optionalInt("lost")) ?? nil) ?? 0))
    }

    func receive(_ notification: RequestEnvelope) {
        do {
            guard let params = notification.params else { return }
            switch notification.method {
            case "event":
                let event = ReceivedEvent(try EventRecord(decoding: params))
                if let epoch = last?.epoch { last = (epoch, event.seq) }
                handler(.event(event))
            case "$/lost":
                let notice = try LostNotice(decoding: params)
                handler(.lost(from: notice.from, to: notice.to, reason: notice.reason))
            default: return
            }
        } catch {
            connection?.breakOff("\(notification.method): \(error)")
        }
    }
}

extension EventFeed: SessionMember, NotificationSink {
    func lose(_ error: ClientError) {
        sub = nil
        handler(.ended(error))
    }
}
