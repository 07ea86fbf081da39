package import PickerClient

/// An event for a sink.
package struct PendingEvent {
    package let event: ReceivedEvent
    /// The notification as received, without the newline.
    package let line: [UInt8]
    /// The position after it; nil if the daemon names no epoch.
    package let position: EventPosition?
}

/// A receiver of events, one after the other.
package protocol EventSink: AnyObject {
    /// Called when everything up to a position has been handled.
    var onHandled: ((EventPosition?) -> Void)? { get set }
    /// Called with a failure, which ends the run.
    var onFailure: ((any Error) -> Void)? { get set }
    /// Whether it accepts an event now. When that becomes true again, `onHandled` is called.
    var isReady: Bool { get }
    /// Whether it has handled all its events.
    var isIdle: Bool { get }
    /// Accepts an event. Call this only when it is ready.
    func take(_ event: PendingEvent)
    /// Ends because of a signal: begun work is finished, and nothing else is started. Called again for each
    /// further signal.
    func end(because signal: Int32)
}
