// The real loop, on sd-event.
//
// Owns an sd_event and drives it one handler at a time from `run`. Each source object is the user
// data of its sd_event_source, unretained: the object disables and drops the source when it goes,
// so sd-event never calls into one that is gone. For the length of a call the callback holds the
// object, so that a handler may release its own source. Sources keep the loop alive; the loop knows
// none of them.
//
// Queued work and end-of-turn work each use sources of the "defer" kind that are made once and
// switched on while there is something to do. sd-event takes such a source for ready since ever,
// and would run it before all others of its priority; so it has a priority just below theirs, and
// just above once it has waited for long enough.
//
// Errors of sd-event are its negative return values, and become `EventLoopError` in one place.
// Changing a source that exists can only fail for want of kernel memory or because its descriptor
// was closed under it, which is a mistake of the program: that traps.

import CSystemd
import Glibc
import SystemInterface

/// An event loop on sd-event, for the thread that makes it.
@safe package final class SystemdLoop: EventLoop {
    let event: OpaquePointer
    private let thread = pthread_self()
    private let endOfTurn = EndOfTurnWork()
    private var endOfTurnSource: DeferSource?
    private var lanes: [WorkLane] = []
    private var descriptors: DescriptorSet?
    private var exitCode: Int32?
    private var isRunning = false

    package init() throws(EventLoopError) {
        var created: OpaquePointer?
        // The pointer is to a local variable; on success it holds a reference that is ours.
        try checkSystemd(unsafe sd_event_new(&created), "make an event loop")
        guard let created = unsafe created else {
            throw EventLoopError(SystemError(.outOfMemory, operation: "make an event loop"))
        }
        unsafe event = created
        endOfTurnSource = try unsafe DeferSource(event, priority: SourcePriority.endOfTurn) {
            [unowned self] in runEndOfTurn()
        }
        for priority in LoopPriority.allCases {
            lanes.append(try unsafe WorkLane(event, priority, endOfTurn))
        }
    }

    deinit {
        // Drops our reference; sources that are left hold their own.
        unsafe sd_event_unref(event)
    }

    package var now: MonotonicInstant {
        preconditionOnLoop()
        return MonotonicInstant(nanoseconds: SystemClock.monotonicNanoseconds())
    }

    package var wallSeconds: Double {
        preconditionOnLoop()
        return SystemClock.wallSeconds()
    }

    package func preconditionOnLoop() {
        precondition(
            pthread_equal(pthread_self(), thread) != 0,
            "the loop and all that is on it belong to the thread that made it")
    }

    /// Runs until `exit`, and returns its code. May be run again.
    package func run() throws(EventLoopError) -> Int32 {
        preconditionOnLoop()
        precondition(!isRunning, "a handler cannot run the loop that called it")
        isRunning = true
        defer { isRunning = false }
        while exitCode == nil { try dispatchOne(atMostMicroseconds: .max) }
        runEndOfTurn()
        defer { exitCode = nil }
        return exitCode ?? 0
    }

    /// Runs one handler, waiting for it no longer than `limit`; `false` if the time ran out.
    @discardableResult
    package func runOne(waitingAtMost limit: Duration) throws(EventLoopError) -> Bool {
        preconditionOnLoop()
        precondition(!isRunning, "a handler cannot run the loop that called it")
        isRunning = true
        defer { isRunning = false }
        return try dispatchOne(atMostMicroseconds: limit.microsecondsRoundedUp)
    }

    /// Sends the service manager signs of life, if it asked for them (`WatchdogSec=`), for as long
    /// as the loop turns; `false` if it did not ask.
    @discardableResult
    package func enableWatchdog() throws(EventLoopError) -> Bool {
        preconditionOnLoop()
        // The loop's reference keeps the event alive for the call.
        return try checkSystemd(unsafe sd_event_set_watchdog(event, 1), "start the watchdog") > 0
    }

    package func enqueue(priority: LoopPriority, _ work: @escaping () -> Void) {
        preconditionOnLoop()
        lanes[priority.rawValue].append(work)
    }

    package func atEndOfTurn(_ work: @escaping () -> Void) {
        preconditionOnLoop()
        if endOfTurn.isEmpty { endOfTurnSource?.enableOnce() }
        endOfTurn.append(work)
    }

    package func exit(code: Int32) {
        preconditionOnLoop()
        if exitCode == nil { exitCode = code }
    }

    /// Called by each source of `priority` before its handler.
    func noteHandler(_ priority: LoopPriority) {
        lanes[priority.rawValue].noteHandlerOfSource()
        endOfTurn.noteHandler()
    }

    /// The set of watched descriptors, made when there is one to watch.
    func descriptorSet() throws(EventLoopError) -> DescriptorSet {
        if let descriptors { return descriptors }
        let made = try unsafe DescriptorSet(event)
        descriptors = made
        return made
    }

    @discardableResult
    private func dispatchOne(atMostMicroseconds limit: UInt64) throws(EventLoopError) -> Bool {
        var limit = limit
        if let descriptors, descriptors.hasReady {
            if lanes[LoopPriority.high.rawValue].isEmpty,
                !lanes[LoopPriority.normal.rawValue].isOverdue, !descriptors.isTurnOver,
                dispatchReady(descriptors)
            {
                return true
            }
            if descriptors.hasReady { limit = 0 }
        }
        // The loop's reference keeps the event alive for the call.
        let dispatched = try checkSystemd(
            unsafe sd_event_run(event, limit), "run the event loop")
        if let descriptors, descriptors.hasReady, dispatchReady(descriptors) { return true }
        if endOfTurn.waitedLongEnough { runEndOfTurn() }
        return dispatched > 0
    }

    /// Calls the handler of one descriptor that is known to be ready. After the last of them the turn
    /// is over, if no work is queued: asking the kernel first whether more is ready would cost more
    /// than another turn.
    private func dispatchReady(_ descriptors: DescriptorSet) -> Bool {
        guard descriptors.dispatchNext({ noteHandler(.normal) }) else { return false }
        let isOver =
            !descriptors.hasReady && !descriptors.mayHaveMore
            && lanes[LoopPriority.high.rawValue].isEmpty
            && lanes[LoopPriority.normal.rawValue].isEmpty
        if !endOfTurn.isEmpty, isOver || endOfTurn.waitedLongEnough { runEndOfTurn() }
        return true
    }

    private func runEndOfTurn() {
        endOfTurn.run()
        if endOfTurn.isEmpty { endOfTurnSource?.disable() } else { endOfTurnSource?.enableOnce() }
    }
}
