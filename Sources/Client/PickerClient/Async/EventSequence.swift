// Events for tasks. The feed is on the client's thread, with its own connection; other threads hold this
// object. The reading task decodes the events.

/// Events of one type from the daemon's bus, as a sequence.
///
///     for try await message in client.events(of: DocumentEvent.self) {
///         if let event = message.event { print(event) }
///     }
///
/// There may be one reader at a time: a second task that waits is a programming error, which traps. A slow
/// reader blocks nothing else: up to ``DaemonClient/Options/eventBuffer`` messages, or 1 MiB, are buffered
/// here, and then reading stops. Events that the daemon no longer keeps are reported as
/// ``EventMessage/Content/lost(_:)``, at their position.
///
/// A lost connection is reported as ``EventMessage/Content/interrupted(_:)`` and restored; the sequence
/// resumes after the last event, and no event comes twice. It ends when the client is closed or the reading
/// task is cancelled, and throws a ``ClientError`` if the daemon refuses the subscription. The subscription
/// ends when this object and its iterators are released.
public final class EventSequence<Event: PickerEvent>: AsyncSequence, Sendable {
    /// An event, or a change of the subscription.
    public typealias Element = EventMessage<Event>

    private let client: DaemonClient
    private let number: Int
    private let buffer: Mailbox<EventQueue>

    init(_ client: DaemonClient, topics: [String], start: EventFeed.Start) {
        self.client = client
        number = client.nextNumber()
        buffer = Mailbox(EventQueue(limit: client.options.eventBuffer))
        let isPosted = client.thread.post {
            [buffer, number, path = client.path, backoff = client.options.backoff] core in
            core.openFeed(
                number, topics: topics, start: start, to: path, backoff: backoff, into: buffer)
        }
        if !isPosted { buffer.finish(throwing: nil) }
    }

    deinit {
        client.thread.post { [number] core in core.close(number) }
    }

    private func next() async throws -> EventMessage<Event>? {
        let entry = try await buffer.next {
            client.thread.post { [number] core in core.resumeFeed(number) }
        }
        return entry.map { EventMessage($0.message, at: $0.position) }
    }

    /// A reader, which holds the sequence.
    public func makeAsyncIterator() -> Iterator { Iterator(events: self) }

    /// Reads events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let events: EventSequence

        /// The next message; nil when the sequence has ended.
        public mutating func next() async throws -> EventMessage<Event>? {
            try await events.next()
        }
    }
}
