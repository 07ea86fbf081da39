// The event loop of the daemon, as its users see it.
//
// One thread owns a loop and everything on it. Handlers run one after another: none interrupts another, and
// none is called from within a call into the loop.
//
// Order. The next handler is the one with the highest priority. Within a priority, it is the one of the source
// that has been ready longest, and then queued work, which never waits for more than 16 handlers of its own
// priority. End-of-turn work comes between `normal` and `low`: after clients and file changes, before
// background work, and always before the loop sleeps.
//
// Sources. Watches, timers and so on return a source, which lives as long as it is retained: releasing it
// cancels it. After `cancel()` its handler is not called again, even if it was ready, and the handler's
// captures are released. Any handler may cancel any source, including its own, and add others. A descriptor
// must outlive the source that watches it.
//
// An idle loop sleeps until something happens: it sets no timers of its own.

package import SystemInterface

/// The priority of a handler.
package enum LoopPriority: Int, CaseIterable, Sendable {
    /// Signals, and work that must not wait for clients.
    case high
    /// Clients, file changes, timers.
    case normal
    /// Background work with a waiting consumer.
    case low
    /// Background work without a waiting consumer.
    case idle
}

/// The events of a descriptor.
package struct IOEvents: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static var readable: IOEvents { IOEvents(rawValue: 0x1) }
    /// An exceptional condition, such as a change of the mount table.
    package static var urgent: IOEvents { IOEvents(rawValue: 0x2) }
    package static var writable: IOEvents { IOEvents(rawValue: 0x4) }
    /// Always reported.
    package static var error: IOEvents { IOEvents(rawValue: 0x8) }
    /// Reports the other events when they begin, not as long as they last (edge-triggered). Needed for events
    /// that the kernel clears once it has reported them.
    package static var toldOnce: IOEvents { IOEvents(rawValue: 0x8000_0000) }

    // Tested for each handler. The operators of an option set are slow across modules.

    /// Whether a read would return something: bytes, the end, or an error.
    package var isReadReady: Bool { rawValue & 0x2019 != 0 }
    /// Whether there is room for a write.
    package var isWriteReady: Bool { rawValue & 0x4 != 0 }
    /// Whether both directions are closed.
    package var isHungUp: Bool { rawValue & 0x10 != 0 }

    /// The events to watch for reads and writes.
    package static func reading(_ reads: Bool, writing writes: Bool) -> IOEvents {
        IOEvents(rawValue: (reads ? 0x1 : 0) | (writes ? 0x4 : 0))
    }
}

/// A source of events on a loop. Cancelled when released.
package protocol LoopSource: AnyObject {
    /// Cancels it at once and for good. Idempotent.
    func cancel()
    var isCancelled: Bool { get }
}

/// A watched descriptor.
package protocol IOSource: LoopSource {
    /// The watched events. With none, the source is disabled, and not even errors are reported. Ignored after
    /// `cancel()`.
    var events: IOEvents { get set }
}

/// A timer that fires once each time it is set.
package protocol TimerSource: LoopSource {
    /// Whether it is set to fire.
    var isSet: Bool { get }
    /// Sets it to fire once, `after` from now, replacing the previous time. Ignored after `cancel()`.
    func reschedule(after: Duration)
    /// Clears it; it may be set again.
    func unschedule()
}

/// An event loop.
package protocol EventLoop: AnyObject {
    /// The loop's clock, which is monotonic.
    var now: MonotonicInstant { get }

    /// Seconds since 1970, for people; not for measuring.
    var wallSeconds: Double { get }

    /// Traps on any thread but the loop's.
    func preconditionOnLoop()

    /// Calls `handler`, at normal priority, whenever one of `events` holds (level-triggered: repeatedly while
    /// it does, except with `toldOnce`), or the descriptor has an error.
    /// - Throws: `.alreadyExists` for a watched descriptor, `.notPermitted` for a plain file or folder, which
    ///   are always ready.
    func watch(
        _ descriptor: Int32, for events: IOEvents, _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> any IOSource

    /// Calls `handler` once, at normal priority, `after` from now or up to a millisecond later. With zero or
    /// less, it is called as soon as possible, but never from within this call. Timers that become due while
    /// the loop is busy have no defined order.
    func schedule(
        after: Duration, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any TimerSource

    /// Calls `handler`, at high priority, for each delivery of `signal`, whose usual effect is blocked while
    /// the source lives. There is one source per signal. Call it before other threads start, because they
    /// inherit the blocking.
    func onSignal(
        _ signal: Int32, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any LoopSource

    /// Calls `work` once, later. Work of one priority runs in order, one piece at a time, with other ready
    /// handlers in between.
    /// - Complexity: O(1), no system call while the queue is not empty.
    func enqueue(priority: LoopPriority, _ work: @escaping () -> Void)

    /// Calls `work` once, at the end of this turn. That is when no handler of `high` or `normal` priority is
    /// ready, after 64 handlers, or when a handler ended a millisecond after this call, whichever is first.
    /// Work added meanwhile runs in the same turn, for up to 8 rounds; the rest waits for the next turn.
    func atEndOfTurn(_ work: @escaping () -> Void)

    /// Makes `run` return `code` after this handler and the end-of-turn work. The first code wins.
    func exit(code: Int32)
}

extension EventLoop {
    /// `enqueue` at normal priority.
    package func enqueue(_ work: @escaping () -> Void) {
        enqueue(priority: .normal, work)
    }
}

/// The limits of the scheduling order, the same for every loop.
package enum TurnLimits {
    /// The number of ready handlers of its own priority that queued work lets go first.
    package static let handlersBeforeQueue = 16
    /// The number of handlers after which end-of-turn work runs in any case.
    package static let handlersBeforeEnd = 64
    /// The number of times that work added by end-of-turn work runs in the same turn.
    package static let endRounds = 8
}
