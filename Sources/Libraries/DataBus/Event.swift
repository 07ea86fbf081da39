/// Something that happened, as the bus carries it.
///
/// A type of event conforms, states its topic, and is sent with ``EventBus/send(_:)``:
///
/// ```swift
/// struct Saved: Event {
///     var topic: String { "app.saved" }
///     let path: String
/// }
/// ```
///
/// Any struct, enum or class will do. An event of up to three words (two integers and a reference, or
/// a string and a number of eight bits) is kept and handed on where it stands; a larger struct is
/// put into memory of its own once, when it is sent.
public protocol Event {
    /// Dot-separated words that say what kind of thing happened, `app.saved` for one. It is asked for
    /// when an event is sent while somebody subscribes by topic, so it should be cheap.
    var topic: String { get }

    /// About how many bytes keeping this event costs; it counts against
    /// ``EventBus/Limits/bytes``. It is asked once, when the event is sent; less than nothing counts
    /// as nothing, and more than a tebibyte as one. 64 unless the type says otherwise.
    var retainedBytes: Int { get }
}

extension Event {
    /// 64, for events of a few words.
    @inlinable public var retainedBytes: Int { 64 }
}
