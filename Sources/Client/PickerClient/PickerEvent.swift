// An event with a type of its own, made from what the daemon passed on. A type that is Decodable reads
// itself from the data; others, as enums over several topics, have an initializer.

/// A type of event that can be received from the daemon's bus.
///
///     struct Saved: PickerEvent, Codable {
///         static let topics = ["app.saved"]
///         let path: String
///     }
public protocol PickerEvent: Sendable {
    /// Which topics its events come under: `app.saved` is just that, `app.*` all below `app`, `*`
    /// everything; `!` in front takes away.
    static var topics: [String] { get }

    /// Makes the event of what was received.
    ///
    /// - Throws: ``ClientError/Code/badMessage`` if that is not such an event.
    init(_ event: ReceivedEvent) throws(ClientError)
}

extension PickerEvent where Self: Decodable {
    /// Decodes the event from its data.
    ///
    /// - Throws: ``ClientError/Code/badMessage``, with the way to what is missing or wrong. An event
    ///   without data counts as one whose data are `null`.
    public init(_ event: ReceivedEvent) throws(ClientError) {
        do throws(ClientError) {
            self = try (event.data ?? RawJSON.null).decode()
        } catch {
            throw ClientError(
                .badMessage, "event \(event.seq) under \(event.topic): \(error.message)")
        }
    }
}

extension ReceivedEvent: PickerEvent {
    /// Everything.
    public static var topics: [String] { ["*"] }

    /// The event itself.
    public init(_ event: ReceivedEvent) { self = event }
}

/// What a subscription to events of one type has to tell.
public struct EventMessage<Event: PickerEvent>: Sendable {
    /// What happened.
    public enum Content: Sendable {
        /// The daemon has taken the subscription, for the first time or after an interruption.
        case subscribed
        /// An event.
        case event(Event)
        /// An event that cannot be read as one of the type; ``EventMessage/received`` has it as it came.
        case unreadable(ClientError)
        /// Events that will not come, at the place in the row where they are missing.
        case lost(EventLoss)
        /// The subscription has ended for now: the connection was lost, or the daemon refused it.
        case interrupted(ClientError)
    }

    /// What happened.
    public let content: Content
    /// The event as it came, if the message is about one.
    public let received: ReceivedEvent?
    /// The place right after this message: a subscription that starts there goes on with the next event.
    /// Nil before the daemon has named its epoch.
    public let position: EventPosition?

    /// The event, if the message has one.
    public var event: Event? {
        if case .event(let event) = content { event } else { nil }
    }

    init(_ message: FeedMessage, at position: EventPosition?) {
        self.position = position
        switch message {
        case .subscribed:
            content = .subscribed
            received = nil
        case .event(let event):
            received = event
            do throws(ClientError) {
                content = .event(try Event(event))
            } catch {
                content = .unreadable(error)
            }
        case .lost(let loss):
            content = .lost(loss)
            received = nil
        case .ended(let error):
            content = .interrupted(error)
            received = nil
        }
    }
}

extension EventFeed {
    /// A feed of events of one type, which starts when it is attached to a connection.
    ///
    /// - Parameters:
    ///   - type: which events are wanted; an event under their topics that is none is told as
    ///     ``EventMessage/Content/unreadable(_:)``.
    ///   - start: where it begins.
    ///   - handler: is called for each message, in the order of the events.
    public convenience init<Event: PickerEvent>(
        of type: Event.Type, start: Start = .latest(0),
        _ handler: @escaping (EventMessage<Event>) -> Void
    ) {
        let place = FeedPlace()
        self.init(topics: Event.topics, start: start) { message in
            handler(EventMessage(message, at: place.feed?.position))
        }
        place.feed = self
    }
}

/// How a feed's handler finds the feed, which is made with it.
private final class FeedPlace {
    weak var feed: EventFeed?
}

extension PickerConnection {
    /// Receives the events of one type until the feed is cancelled.
    ///
    /// - Returns: the feed. The subscription ends when it is let go of.
    public func subscribe<Event: PickerEvent>(
        to type: Event.Type, start: EventFeed.Start = .latest(0),
        _ handler: @escaping (EventMessage<Event>) -> Void
    ) -> EventFeed {
        let feed = EventFeed(of: type, start: start, handler)
        feed.attach(to: self)
        return feed
    }

    /// Publishes an event whose data are `value`.
    ///
    /// - Returns: its number.
    @discardableResult
    public func publish(topic: String, _ value: some Encodable) throws(ClientError) -> Reply<Int> {
        send(.publish(topic: topic, data: try RawJSON(encoding: value)))
    }
}

extension ReconnectingSession {
    /// Receives the events of one type. Each new connection goes on where the one before ended: no
    /// event comes twice, and what is no longer kept is told as lost.
    public func subscribe<Event: PickerEvent>(
        to type: Event.Type, start: EventFeed.Start = .latest(0),
        _ handler: @escaping (EventMessage<Event>) -> Void
    ) -> EventFeed {
        let feed = EventFeed(of: type, start: start, handler)
        add(feed)
        return feed
    }
}
