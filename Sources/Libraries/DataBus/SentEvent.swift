/// A sent event, with its number and time.
///
/// Numbers start at 1 and increase by one with each event of a bus, whatever its type or topic, so a
/// reader that gets 7 and then 9 has missed 8.
public struct SentEvent {
    /// The position of this event in the order of all events of its bus.
    public let sequence: Int

    /// The time when it was sent, in the clock and the unit of the bus, usually seconds.
    public let time: Double

    /// The event.
    public let event: any Event

    /// The event, if it is an `E`; otherwise `nil`. Faster than a cast for events of exactly that type.
    ///
    /// - Complexity: O(1)
    public func cast<E: Event>(to type: E.Type) -> E? {
        func opened<Actual: Event>(_ event: Actual) -> E? {
            guard Actual.self == E.self else { return event as? E }
            // Both types are the same.
            return unsafe unsafeBitCast(event, to: E.self)
        }
        return opened(event)
    }

    /// An event of an earlier run, for ``EventBus/restore(_:lastSequence:)``. The bus assigns the number
    /// and time of new events.
    public init(sequence: Int, time: Double, event: any Event) {
        self.sequence = sequence
        self.time = time
        self.event = event
    }
}
