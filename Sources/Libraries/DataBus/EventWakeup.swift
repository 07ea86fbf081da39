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
        disarm()
        wakeup.end()
    }

    /// Requests a notification of the next event. It arrives after the delivery of that event and of the
    /// events that handlers sent in answer. Arming an armed wakeup changes nothing.
    public func arm() {
        guard wakeup.armedAt == nil, let bus = reference.bus else { return }
        wakeup.armedAt = bus.lastSequence
        bus.armedWakeups.append(wakeup)
        bus.hasMoreToDo = true
    }

    /// Cancels ``arm()``.
    public func disarm() {
        guard wakeup.armedAt != nil else { return }
        wakeup.armedAt = nil
        reference.bus?.armedWakeups.removeAll { $0 === wakeup }
    }
}

extension EventBus {
    /// A wakeup for a reader of this bus, which calls `handler`. It is not armed.
    public func wakeup(_ handler: @escaping () -> Void) -> EventWakeup {
        EventWakeup(bus: self, handler: handler)
    }
}

/// The part of a wakeup that the bus holds.
final class Wakeup {
    private var handler: (() -> Void)?
    /// The number of the last event when it was armed.
    var armedAt: Int?

    init(_ handler: @escaping () -> Void) {
        self.handler = handler
    }

    func isDue(at sequence: Int) -> Bool { armedAt.map { $0 < sequence } ?? false }

    func ring() {
        guard armedAt.take() != nil else { return }
        handler?()
    }

    func end() { withExtendedLifetime(handler.take()) {} }
}
