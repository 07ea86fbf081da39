// The loop that all of the daemon runs on, as its users see it.
//
// One thread owns a loop and everything on it. What happens is one handler after another: none
// interrupts another, and none is called from inside a call into the loop.
//
// Order. The handler to run next is the one of the highest priority; within a priority the one of
// the source that has been ready longest, then queued work, though that never waits for more than
// 16 handlers of its own priority. End-of-turn work comes between `normal` and `low`: after what
// clients and files wanted, before background work, and always before the loop sleeps.
//
// Sources. Watching, timing and so on give a source, which lives for as long as someone holds it:
// releasing it cancels it. After `cancel()` its handler is not called again, even if it was ready,
// and what the handler captured is let go. Any handler may cancel any source, its own included, and
// add others. A descriptor must outlive the source that watches it.
//
// A loop with nothing to do sleeps until something happens: it sets no timers of its own.

package import SystemInterface

/// Which of several ready handlers goes first.
package enum LoopPriority: Int, CaseIterable, Comparable, Sendable {
    /// Signals and what must not wait behind clients.
    case high
    /// Clients, file changes, timers.
    case normal
    /// Background work that someone waits for.
    case low
    /// Background work that nobody waits for.
    case idle

    package static func < (left: LoopPriority, right: LoopPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// What can happen to a descriptor.
package struct IOEvents: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static var readable: IOEvents { IOEvents(rawValue: 0x1) }
    /// Something out of the ordinary, as a change of the table of mounts.
    package static var urgent: IOEvents { IOEvents(rawValue: 0x2) }
    package static var writable: IOEvents { IOEvents(rawValue: 0x4) }
    /// Reported without being asked for.
    package static var error: IOEvents { IOEvents(rawValue: 0x8) }
    /// Both directions are closed. Reported without being asked for.
    package static var hangUp: IOEvents { IOEvents(rawValue: 0x10) }
    /// The peer sends no more; what it sent may still wait to be read.
    package static var peerClosed: IOEvents { IOEvents(rawValue: 0x2000) }
    /// The others are told of when they come to hold, not for as long as they do. What the kernel itself forgets
    /// when it has told of it needs this, and the priority `normal`: for any other, sd-event's set is looked
    /// at through the loop's, and that look is the one that is told.
    package static var toldOnce: IOEvents { IOEvents(rawValue: 0x8000_0000) }

    // For each handler that is called. A set's own operators are slow from another module.

    /// Whether reading would give something: bytes, the end, or an error.
    package var meanReading: Bool { rawValue & 0x2019 != 0 }
    /// Whether there is room to write.
    package var meanWriting: Bool { rawValue & 0x4 != 0 }
    /// Whether both directions are closed.
    package var meanHangUp: Bool { rawValue & 0x10 != 0 }

    /// Those that say so.
    package static func reading(_ reads: Bool, writing writes: Bool) -> IOEvents {
        IOEvents(rawValue: (reads ? 0x1 : 0) | (writes ? 0x4 : 0))
    }
}

/// How a child process ended.
package enum ChildExit: Hashable, Sendable {
    case exited(code: Int32)
    case killed(signal: Int32)
}

/// Something that a loop looks out for. Cancelled when released.
package protocol LoopSource: AnyObject {
    /// Ends it at once and for good; again does nothing.
    func cancel()
    var isCancelled: Bool { get }
}

/// A watched descriptor.
package protocol IOSource: LoopSource {
    /// What to look out for. With none at all the source rests, and not even errors are reported.
    /// Without effect after `cancel()`.
    var events: IOEvents { get set }
}

/// A timer that fires once, and again when it is set again.
package protocol TimerSource: LoopSource {
    /// Whether it is going to fire.
    var isSet: Bool { get }
    /// Sets it to fire once, `after` from now, instead of what it was set to. Without effect after
    /// `cancel()`.
    func reschedule(after: Duration)
    /// Takes back what it was set to; it may be set again.
    func unschedule()
}

/// The loop.
package protocol EventLoop: AnyObject {
    /// The loop's clock. Never goes back.
    var now: MonotonicInstant { get }

    /// Seconds since 1970, for people; never for measuring.
    var wallSeconds: Double { get }

    /// Traps on another thread than the loop's.
    func preconditionOnLoop()

    /// Calls `handler` whenever one of `events` holds (level-triggered: again and again while it
    /// does, but for `toldOnce`), or the descriptor has an error.
    /// - Throws: `.alreadyExists` for a descriptor that is watched already, `.notPermitted` for a
    ///   plain file or folder, which are always ready.
    func watch(
        _ descriptor: Int32, for events: IOEvents, priority: LoopPriority,
        _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> any IOSource

    /// Calls `handler` once, `after` from now or up to `accuracy` later. A time of zero or less is
    /// as soon as its turn comes, never from inside this call. Timers that come due while the loop
    /// is busy have no order among themselves.
    func schedule(
        after: Duration, priority: LoopPriority, accuracy: Duration,
        _ handler: @escaping () -> Void
    ) throws(SystemError) -> any TimerSource

    /// Calls `handler` for each delivery of `signal`, which is blocked from its usual effect for
    /// as long as the source lives. One source a signal. Call before other threads are started:
    /// they inherit the blocking.
    func onSignal(
        _ signal: Int32, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any LoopSource

    /// Calls `handler` once, when the child process `pid` has ended, and lets the kernel forget the
    /// process then. Cancelling leaves the child running and unwaited for.
    func onChildExit(
        _ pid: Int32, _ handler: @escaping (ChildExit) -> Void
    ) throws(SystemError) -> any LoopSource

    /// Calls `work` once, later. Work of one priority runs in the order it came, one piece at a
    /// time, and other ready handlers get their turn between pieces.
    /// - Complexity: O(1), no system call while the queue is not empty.
    func enqueue(priority: LoopPriority, _ work: @escaping () -> Void)

    /// Calls `work` once, at the end of this turn: when no handler of `high` or `normal` priority
    /// is ready, after 64 handlers, or when a handler that ran ended a millisecond after this call,
    /// whichever is first. Work added meanwhile runs in the same turn, for up to 8 rounds; the rest is
    /// for the next turn.
    func atEndOfTurn(_ work: @escaping () -> Void)

    /// Makes `run` return `code` after this handler and the end-of-turn work. The first code wins.
    func exit(code: Int32)
}

extension EventLoop {
    /// `watch` at normal priority.
    package func watch(
        _ descriptor: Int32, for events: IOEvents, _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> any IOSource {
        try watch(descriptor, for: events, priority: .normal, handler)
    }

    /// `schedule` to the millisecond.
    package func schedule(
        after: Duration, priority: LoopPriority = .normal, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any TimerSource {
        try schedule(after: after, priority: priority, accuracy: .milliseconds(1), handler)
    }

    /// `enqueue` at normal priority.
    package func enqueue(_ work: @escaping () -> Void) {
        enqueue(priority: .normal, work)
    }
}

/// The numbers of the rules of order, the same for every loop.
package enum TurnLimits {
    /// Queued work lets so many ready handlers of its own priority go first.
    package static let handlersBeforeQueue = 16
    /// After so many handlers end-of-turn work no longer waits for quiet.
    package static let handlersBeforeEnd = 64
    /// So many times work that was added by end-of-turn work is run in the same turn.
    package static let endRounds = 8
}
