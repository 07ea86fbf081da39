/// One event as it was sent: the event, its number, and when.
///
/// Numbers start at 1 and grow by one with each event of a bus, whatever its type or topic, so a
/// reader that sees 7 and then 9 knows that it did not see 8.
public struct SentEvent {
    /// The place of this event in the order of all events of its bus.
    public let sequence: Int

    /// When it was sent: by the clock given to the bus, and in its unit, usually seconds.
    public let time: Double

    /// What happened.
    public let event: any Event

    /// The event, if it is an `E`; nil otherwise. Faster than a cast for events of just that type.
    ///
    /// - Complexity: O(1)
    public func cast<E: Event>(to type: E.Type) -> E? {
        func opened<Actual: Event>(_ event: Actual) -> E? {
            guard Actual.self == E.self else { return event as? E }
            // The two types are one.
            return unsafe unsafeBitCast(event, to: E.self)
        }
        return opened(event)
    }

    /// An event as an earlier run has left it, for ``EventBus/restore(_:lastSequence:)``. Those that
    /// are sent now get their number and time from the bus.
    public init(sequence: Int, time: Double, event: any Event) {
        self.sequence = sequence
        self.time = time
        self.event = event
    }
}
