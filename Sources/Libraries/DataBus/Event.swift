/// An event for an ``EventBus``.
///
/// An event type conforms, declares its topic, and is sent with ``EventBus/send(_:)``:
///
/// ```swift
/// struct Saved: Event {
///     var topic: String { "app.saved" }
///     let path: String
/// }
/// ```
///
/// Any struct, enum or class can be an event. An event of up to three words (two integers and a
/// reference, or a string and an eight-bit number) is stored and delivered inline; a larger struct is
/// allocated once, when it is sent.
public protocol Event {
    /// Dot-separated words that name the kind of event, for example `app.saved`. It is read when an
    /// event is sent while a handler is subscribed by topic, so it should be cheap.
    var topic: String { get }

    /// The approximate memory of keeping this event, in bytes; it counts against
    /// ``EventBus/Limits/bytes``. It is read once, when the event is sent; negative values count as
    /// zero, and more than a tebibyte as one. The default is 64.
    var retainedBytes: Int { get }
}

extension Event {
    /// 64, for events of a few words.
    @inlinable public var retainedBytes: Int { 64 }
}
