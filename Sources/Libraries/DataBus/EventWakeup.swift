/// Notifies a reader that follows the kept events by number, at its own pace, of new events: once, until
/// it is armed again.
///
/// ```swift
/// let wakeup = bus.wakeup { scheduleReading() }
/// wakeup.arm()
/// ```
///
/// An unarmed wakeup adds no cost to sending. It belongs to the thread of its bus, which doesn't retain
/// it: a released wakeup never fires.
public final class EventWakeup {
    private let wakeup: Wakeup
    private let reference: BusReference

    fileprivate init(bus: EventBus, handler: @escaping () -> Void) {
        reference = bus.reference
        wakeup = Wakeup(handler)
    }

    deinit {
        reference.bus?.disarm(wakeup)
        wakeup.end()
    }

    /// Requests a notification of the next event. It arrives after the delivery of that event and of the
    /// events that handlers sent in answer. Arming an armed wakeup changes nothing.
    public func arm() {
        reference.bus?.arm(wakeup)
    }

    /// Cancels ``arm()``.
    public func disarm() {
        reference.bus?.disarm(wakeup)
    }
}

extension EventBus {
    /// A wakeup for a reader of this bus, which calls `handler`. It is not armed.
    public func wakeup(_ handler: @escaping () -> Void) -> EventWakeup {
        EventWakeup(bus: self, handler: handler)
    }

    fileprivate func arm(_ wakeup: Wakeup) {
        guard !wakeup.isArmed else { return }
        wakeup.arm(at: lastSequence)
        armedWakeups.append(wakeup)
        hasMoreToDo = true
    }

    fileprivate func disarm(_ wakeup: Wakeup) {
        guard wakeup.isArmed else { return }
        wakeup.disarm()
        armedWakeups.removeAll { $0 === wakeup }
    }
}

/// The part of a wakeup that the bus holds.
final class Wakeup {
    private var handler: (() -> Void)?
    /// The number of the last event when it was armed.
    private var armedAt: Int?

    init(_ handler: @escaping () -> Void) {
        self.handler = handler
    }

    var isArmed: Bool { armedAt != nil }

    func isDue(at sequence: Int) -> Bool { armedAt.map { $0 < sequence } ?? false }

    func arm(at sequence: Int) { armedAt = sequence }

    func disarm() { armedAt = nil }

    func ring() {
        guard isArmed else { return }
        armedAt = nil
        handler?()
    }

    func end() { withExtendedLifetime(handler.take()) {} }
}
