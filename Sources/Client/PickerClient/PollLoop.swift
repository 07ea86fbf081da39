internal import Glibc
internal import SystemInterface

// A small event loop on poll(2), for programs without one.
//
// The thread that creates the loop does everything with it. The loop waits only for descriptors and timers:
// without a timer, an idle program never wakes up. A handler may add or cancel any watches and timers,
// including its own; if a handler cancels a watch that became ready in the same turn, that one is not
// called. Descriptors are borrowed: cancel the watch before closing one.

/// Waits for descriptors and timers, and calls handlers.
public final class PollLoop {
    /// The events that a watch waits for or reports.
    public struct Events: OptionSet, Hashable, Sendable {
        /// The bits of the set.
        public let rawValue: UInt8

        /// The set with these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// There is something to read, or the end of the input.
        public static let readable = Events(rawValue: 1)
        /// Writing would not wait.
        public static let writable = Events(rawValue: 2)
        /// The other side is closed. Always reported, even if not requested.
        public static let hangup = Events(rawValue: 4)
    }

    private var watches: [PollWatch] = []
    private var timers: [PollTimer] = []
    private var endOfTurn: [() -> Void] = []
    private var stopRequests = 0
    private let clock: () -> Int64

    /// A loop on the machine's monotonic clock.
    public convenience init() {
        self.init { SystemClock.monotonicNanoseconds() }
    }

    /// A loop on another clock, in nanoseconds, for tests.
    package init(clock: @escaping () -> Int64) {
        self.clock = clock
    }

    /// The time on the loop's clock, in nanoseconds.
    package var nanoseconds: Int64 { clock() }

    /// Calls `handler` whenever `descriptor` is ready for any of `events`, or hung up.
    ///
    /// - Returns: the watch, which the loop holds until it is cancelled.
    @discardableResult
    public func watch(
        _ descriptor: Int32, for events: Events, _ handler: @escaping (Events) -> Void
    ) -> PollWatch {
        let watch = PollWatch(descriptor, events, handler)
        watches.append(watch)
        return watch
    }

    /// Calls `handler` once, no sooner than `delay` from now, unless the timer is cancelled. The loop
    /// retains the timer until then.
    @discardableResult
    public func schedule(
        after delay: Duration, _ handler: @escaping () -> Void
    ) -> PollTimer {
        // At most 146 years, so that the sum does not overflow.
        let wait = min(max(0, delay.wholeNanoseconds), .max / 2)
        let timer = PollTimer(due: clock() + wait, handler)
        timers.append(timer)
        return timer
    }

    /// Calls `work` once, after all handlers that are ready now.
    package func atEndOfTurn(_ work: @escaping () -> Void) {
        endOfTurn.append(work)
    }

    /// Makes the innermost `run` return after the current turn.
    public func stop() { stopRequests += 1 }

    /// Runs until `condition` holds, which is checked before each wait; until ``stop()``; or until there is
    /// nothing left to wait for. May be called from a handler.
    ///
    /// - Returns: whether the condition holds.
    @discardableResult
    public func run(until condition: () -> Bool = { false }) -> Bool {
        let requestsBefore = stopRequests
        while true {
            if condition() { return true }
            if stopRequests > requestsBefore {
                stopRequests = requestsBefore
                return false
            }
            guard turn() else { return condition() }
        }
    }

    /// Waits once and calls the ready handlers.
    /// - Returns: false if there was nothing to wait for.
    private func turn() -> Bool {
        watches.removeAll { $0.isCancelled }
        timers.removeAll { $0.isCancelled }
        if endOfTurn.isEmpty {
            if watches.isEmpty, timers.isEmpty { return false }
            let polled = watches
            let ready = wait(for: polled, milliseconds: millisecondsToWait())
            for (watch, events) in zip(polled, ready) where !events.isEmpty {
                if !watch.isCancelled { watch.handler?(events) }
            }
            let now = clock()
            for timer in timers where !timer.isCancelled && timer.due <= now { timer.fire() }
        }
        let work = endOfTurn
        endOfTurn = []
        for item in work { item() }
        return true
    }

    /// -1 for no limit. Rounded up, so that a timer is due when its wait ends.
    private func millisecondsToWait() -> Int32 {
        guard let due = timers.map(\.due).min() else { return -1 }
        let nanoseconds = max(0, due - clock())
        return Int32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0))
    }

    private func wait(for polled: [PollWatch], milliseconds: Int32) -> [Events] {
        // poll(2) ignores negative descriptors.
        var entries = polled.map {
            pollfd(
                fd: $0.isPaused ? -1 : $0.descriptor, events: $0.events.mask, revents: 0)
        }
        // The array's own pointer and count, for the duration of the call.
        let count = unsafe entries.withUnsafeMutableBufferPointer {
            unsafe poll($0.baseAddress, nfds_t($0.count), milliseconds)
        }
        // A negative result means a signal, whose handler wrote to a watched pipe, or a shortage of kernel
        // memory. Either way the next turn polls again.
        if count < 0 { return [] }
        return entries.map { entry in
            precondition(
                entry.revents & Int16(POLLNVAL) == 0,
                "descriptor \(entry.fd) was closed before its watch was cancelled")
            return Events(mask: entry.revents)
        }
    }
}

/// A descriptor that a loop watches.
public final class PollWatch {
    fileprivate let descriptor: Int32
    fileprivate var handler: ((PollLoop.Events) -> Void)?
    /// The events to wait for, which may be changed at any time. Hang-ups are reported even for an empty
    /// set.
    public var events: PollLoop.Events
    /// Whether the watch is paused. It then does not report a hang-up either, which otherwise repeats in
    /// each turn until the descriptor is read to its end.
    public var isPaused = false

    fileprivate init(
        _ descriptor: Int32, _ events: PollLoop.Events,
        _ handler: @escaping (PollLoop.Events) -> Void
    ) {
        self.descriptor = descriptor
        self.events = events
        self.handler = handler
    }

    fileprivate var isCancelled: Bool { handler == nil }

    /// Ends the watch; its handler is not called again, and is released.
    public func cancel() { handler = nil }
}

/// A call that a loop makes once, later.
public final class PollTimer {
    fileprivate let due: Int64
    private var handler: (() -> Void)?

    fileprivate init(due: Int64, _ handler: @escaping () -> Void) {
        self.due = due
        self.handler = handler
    }

    fileprivate var isCancelled: Bool { handler == nil }

    /// Cancels the call, if it has not been made.
    public func cancel() { handler = nil }

    fileprivate func fire() {
        let handler = handler
        cancel()
        handler?()
    }
}

extension PollLoop.Events {
    fileprivate var mask: Int16 {
        (contains(.readable) ? Int16(POLLIN) : 0) | (contains(.writable) ? Int16(POLLOUT) : 0)
    }

    fileprivate init(mask: Int16) {
        self = []
        if mask & Int16(POLLIN) != 0 { insert(.readable) }
        if mask & Int16(POLLOUT) != 0 { insert(.writable) }
        if mask & Int16(POLLHUP | POLLERR) != 0 { insert(.hangup) }
    }
}
