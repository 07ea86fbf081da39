/// Something that happened, as the bus carries it.
///
/// A type of event conforms, states its topic, and is sent with ``EventBus/send(_:)``:
///
/// ```swift
/// struct Saved: Event {
///     let topic = "app.saved"
///     let path: String
/// }
/// ```
public protocol Event {
    /// Dot-separated words that say what kind of thing happened, `app.saved` for one.
    var topic: String { get }

    /// About how many bytes keeping this event costs; it counts against
    /// ``EventBus/Limits/bytes``. 64 unless the type says otherwise.
    var retainedBytes: Int { get }
}

extension Event {
    /// 64, for events of a few words.
    public var retainedBytes: Int { 64 }
}

/// One event as it was sent: the event, its number, and when.
///
/// Numbers start at 1 and grow by one with each event of a bus, whatever its topic, so a reader
/// that sees 7 and then 9 knows that it did not see 8.
public final class SentEvent {
    /// The place of this event in the order of all events of its bus.
    public let sequence: Int

    /// When it was sent: seconds since 1970 UTC, by the clock given to the bus.
    public let time: Double

    /// What happened.
    public let event: any Event

    /// Room for one reader-made form of the event, so that a thousand subscribers who want it
    /// encoded can share one encoding. The bus never looks at it.
    public var encoding: [UInt8]?

    init(sequence: Int, time: Double, event: any Event) {
        self.sequence = sequence
        self.time = time
        self.event = event
    }
}
