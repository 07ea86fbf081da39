// An event with its own type, made from a received event. A Decodable type is decoded from the data; other
// types, such as enums over several topics, have an initializer.

/// A type of event that can be received from the daemon's bus.
///
///     struct Saved: PickerEvent, Codable {
///         static let topics = ["app.saved"]
///         let path: String
///     }
public protocol PickerEvent: Sendable {
    /// The topics of its events: `app.saved` is one topic, `app.*` all topics below `app`, `*` all topics;
    /// `!` in front excludes.
    static var topics: [String] { get }

    /// Creates the event from a received one.
    ///
    /// - Throws: ``ClientError/Code/badMessage`` if the received event is not of this type.
    init(_ event: ReceivedEvent) throws(ClientError)
}

extension PickerEvent where Self: Decodable {
    /// Decodes the event from its data.
    ///
    /// - Throws: ``ClientError/Code/badMessage``, with the coding path of the fault. An event without data
    ///   is decoded like one whose data is `null`.
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

/// A message of a subscription to events of one type.
public struct EventMessage<Event: PickerEvent>: Sendable {
    /// What happened.
    public enum Content: Sendable {
        /// The subscription has begun, for the first time or after an interruption.
        case subscribed
        /// An event.
        case event(Event)
        /// An event that can't be decoded; ``EventMessage/received`` is the event as received.
        case unreadable(ClientError)
        /// Events that will not come, at their position in the sequence.
        case lost(EventLoss)
        /// The subscription is interrupted: the connection was lost, or the daemon refused it.
        case interrupted(ClientError)
    }

    /// What happened.
    public let content: Content
    /// The event as received, if the message is about one.
    public let received: ReceivedEvent?
    /// The position after this message: a subscription that starts there continues with the next event.
    public let position: EventPosition?

    /// The event, if the message has one.
    public var event: Event? {
        if case .event(let event) = content { event } else { nil }
    }

    init(_ message: FeedMessage, at position: EventPosition?) {
        self.position = position
        received = if case .event(let event) = message { event } else { nil }
        switch message {
        case .subscribed: content = .subscribed
        case .event(let event):
            do throws(ClientError) {
                content = .event(try Event(event))
            } catch {
                content = .unreadable(error)
            }
        case .lost(let loss): content = .lost(loss)
        case .ended(let error): content = .interrupted(error)
        }
    }
}

extension ReconnectingSession {
    /// Receives the events of one type. Each new connection resumes where the previous one ended: no event
    /// comes twice, and events that are no longer kept are reported as lost.
    ///
    /// - Parameters:
    ///   - type: the type of the events; an event of their topics that is not of this type is reported as
    ///     ``EventMessage/Content/unreadable(_:)``.
    ///   - start: the first event.
    ///   - handler: called for each message, in the order of the events.
    /// - Returns: the feed, which the session holds.
    public func subscribe<Event: PickerEvent>(
        to type: Event.Type, start: EventFeed.Start = .latest(0),
        _ handler: @escaping (EventMessage<Event>) -> Void
    ) -> EventFeed {
        weak var own: EventFeed?
        let feed = EventFeed(topics: Event.topics, start: start) { message in
            handler(EventMessage(message, at: own?.position))
        }
        own = feed
        add(feed)
        return feed
    }
}
