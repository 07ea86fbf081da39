package import PickerClient

/// An event on its way to a sink.
package struct PendingEvent {
    package let event: ReceivedEvent
    /// The notification as it came, without the line's end.
    package let line: [UInt8]
    /// The place right after it; nil if the daemon names no epoch.
    package let position: EventPosition?
}

/// Where events go, one after the other.
package protocol EventSink: AnyObject {
    /// Is told when it has done with everything up to a place.
    var onHandled: ((EventPosition?) -> Void)? { get set }
    /// Is told of a failure, which ends the run.
    var onFailure: ((any Error) -> Void)? { get set }
    /// Whether it takes an event now. When that comes to be so again, `onHandled` is called.
    var isReady: Bool { get }
    /// Whether it has done with all that it was given.
    var isIdle: Bool { get }
    /// Takes an event. Only when it is ready.
    func take(_ event: PendingEvent)
    /// A signal asks for the end: what has been begun is finished and nothing else. Comes again with
    /// each further signal.
    func end(because signal: Int32)
}
