/// Tells a reader that follows the kept events by number, in its own time, that there are new ones: once,
/// until it asks to be told again.
///
/// ```swift
/// let wakeup = bus.wakeup { scheduleReading() }
/// wakeup.arm()
/// ```
///
/// Sending costs nothing for it, however many events are sent before it is armed again. It belongs to
/// the thread of its bus, which doesn't keep it: released, it tells nothing more.
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

    /// Asks to be told of the next event that is sent, when it and those that handlers sent in answer
    /// have been delivered. Asking again before that changes nothing.
    public func arm() {
        reference.bus?.arm(wakeup)
    }

    /// Takes back what ``arm()`` asked for.
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

/// What the bus knows of a wakeup.
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

    func end() {
        let handler = handler
        self.handler = nil
        withExtendedLifetime(handler) {}
    }
}
