// The real loop, on sd-event.
//
// Owns an sd_event and drives it one handler at a time from `run`. Each source object is the user
// data of its sd_event_source, unretained: the object disables and drops the source when it goes,
// so sd-event never calls into one that is gone. For the length of a call the callback holds the
// object, so that a handler may release its own source. Sources keep the loop alive; the loop knows
// none of them.
//
// The loop sleeps on the set of descriptors (`DescriptorSet`), of which sd-event's own is one, so that a
// request costs one call of the kernel to be told of, and nothing of sd-event. For that, sd-event has to
// be armed before the loop sleeps: its timers set, nothing pending. It stays armed while handlers of
// descriptors run, and is armed anew when a timer was set or a source of its own was ready. Queued and
// end-of-turn work is the loop's own business; sd-event knows nothing of it.
//
// Errors of sd-event are its negative return values, and become `SystemError` in one place.
// Changing a source that exists can only fail for want of kernel memory or because its descriptor
// was closed under it, which is a mistake of the program: that traps.

import CSystemd
import Glibc
package import SystemInterface

/// An event loop on sd-event, for the thread that makes it.
@safe package final class SystemdLoop: EventLoop {
    let event: OpaquePointer
    private let thread = pthread_self()
    let descriptors: DescriptorSet
    private let endOfTurn = EndOfTurnWork()
    private var lanes = LoopPriority.allCases.map { _ in WorkLane() }
    private var eventState = EventState.idle
    /// Whether sd-event has something to arm, a timer that was set.
    private var mustArm = false
    /// How long work for the end of a turn waits while there is other work, in nanoseconds.
    private let longestTurn: Int64
    /// When the work for the end of this turn was asked for, or some of it was done.
    private var endAskedAt: Int64 = 0
    private var exitCode: Int32?
    private var isRunning = false

    /// Where sd-event stands between its calls.
    private enum EventState {
        /// It is to be armed before the loop sleeps.
        case idle
        /// Its descriptor tells when it has something to do.
        case armed
        /// It has a handler to call.
        case pending
    }

    /// Makes a loop. A turn that lasts as long as `longestTurn` has its end although there is more to do.
    package init(
        longestTurn: Duration = .milliseconds(1)
    ) throws(SystemError) {
        self.longestTurn = longestTurn.wholeNanoseconds
        var created: OpaquePointer?
        // The pointer is to a local variable; on success it holds a reference that is ours.
        try checkSystemd(unsafe sd_event_new(&created), "make an event loop")
        guard let created = unsafe created else {
            throw SystemError(.outOfMemory, operation: "make an event loop")
        }
        unsafe event = created
        do throws(SystemError) {
            // The event is ours, and lives as long as its descriptor is looked at.
            let number = try checkSystemd(unsafe sd_event_get_fd(created), "watch an event loop")
            descriptors = try DescriptorSet(watching: number)
        } catch {
            unsafe sd_event_unref(created)
            throw error
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
    package func run() throws(SystemError) -> Int32 {
        preconditionOnLoop()
        precondition(!isRunning, "a handler cannot run the loop that called it")
        isRunning = true
        defer { isRunning = false }
        while exitCode == nil { try step(milliseconds: -1) }
        endOfTurn.run()
        defer { exitCode = nil }
        return exitCode ?? 0
    }

    /// Runs one handler, waiting for it no longer than `limit`, rounded up to a millisecond; `false` if the
    /// time ran out.
    @discardableResult
    package func runOne(waitingAtMost limit: Duration) throws(SystemError) -> Bool {
        preconditionOnLoop()
        precondition(!isRunning, "a handler cannot run the loop that called it")
        isRunning = true
        defer { isRunning = false }
        let milliseconds = (limit.microsecondsRoundedUp + 999) / 1000
        return try step(milliseconds: Int32(clamping: milliseconds))
    }

    /// Sends the service manager signs of life, if it asked for them (`WatchdogSec=`), for as long
    /// as the loop turns; `false` if it did not ask.
    @discardableResult
    package func enableWatchdog() throws(SystemError) -> Bool {
        preconditionOnLoop()
        noteEventChange()
        // The loop's reference keeps the event alive for the call.
        return try checkSystemd(unsafe sd_event_set_watchdog(event, 1), "start the watchdog") > 0
    }

    package func enqueue(priority: LoopPriority, _ work: @escaping () -> Void) {
        preconditionOnLoop()
        lanes[priority.rawValue].append(work)
    }

    package func atEndOfTurn(_ work: @escaping () -> Void) {
        preconditionOnLoop()
        if endOfTurn.isEmpty { endAskedAt = SystemClock.monotonicNanoseconds() }
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

    /// Called when a source of sd-event's was made or a timer was set.
    func noteEventChange() { mustArm = true }

    // MARK: Steps

    /// Runs one handler or piece of work, if it need not wait for it longer than told; -1 is for ever.
    @discardableResult
    private func step(milliseconds: Int32) throws(SystemError) -> Bool {
        if descriptors.hasReady, lanes[LoopPriority.high.rawValue].isEmpty,
            !lanes[LoopPriority.normal.rawValue].isOverdue, !descriptors.isTurnOver,
            dispatchReady()
        {
            return true
        }
        try look(milliseconds: milliseconds)
        let isEndDue = descriptors.lastLook &- endAskedAt >= longestTurn
        if isEndDue, !endOfTurn.isEmpty {
            runEndOfTurn()
            return true
        }
        if try runNext() {
            if endOfTurn.waitedLongEnough { runEndOfTurn() }
            return true
        }
        if !endOfTurn.isEmpty {
            runEndOfTurn()
            return true
        }
        return runPiece(.low) || runPiece(.idle)
    }

    /// Runs what goes before the end of the turn.
    private func runNext() throws(SystemError) -> Bool {
        if runPiece(.high, ifOverdue: true) || runPiece(.normal, ifOverdue: true) { return true }
        if try dispatchEvent() { return true }
        return runPiece(.high) || dispatchReady() || runPiece(.normal)
    }

    /// Finds out what is ready, and waits for something if there is no work either.
    private func look(milliseconds: Int32) throws(SystemError) {
        // Where not all that is ready was taken down, or not all of that handled, sd-event is asked outright:
        // it does not wait behind the others.
        let isBehind = descriptors.mayHaveMore || descriptors.hasReady
        if eventState == .armed, mustArm || isBehind { try waitForEvent() }
        if eventState == .idle {
            mustArm = false
            // The loop's reference keeps the event alive for the call.
            let pending = try checkSystemd(unsafe sd_event_prepare(event), "arm the event loop")
            eventState = pending > 0 ? .pending : .armed
        }
        let hasWork =
            eventState == .pending || !endOfTurn.isEmpty || lanes.contains { !$0.isEmpty }
        descriptors.look(milliseconds: hasWork ? 0 : milliseconds)
        if descriptors.isEventReady, eventState == .armed { try waitForEvent() }
    }

    /// Lets sd-event, which is armed, see which of its sources are ready.
    private func waitForEvent() throws(SystemError) {
        // The loop's reference keeps the event alive for the call.
        let pending = try checkSystemd(unsafe sd_event_wait(event, 0), "look at the event loop")
        eventState = pending > 0 ? .pending : .idle
    }

    /// Calls the handler of a source of sd-event's, if one is pending.
    private func dispatchEvent() throws(SystemError) -> Bool {
        guard eventState == .pending else { return false }
        eventState = .idle
        // The loop's reference keeps the event alive for the call.
        try checkSystemd(unsafe sd_event_dispatch(event), "run a handler")
        return true
    }

    private func runPiece(_ priority: LoopPriority, ifOverdue: Bool = false) -> Bool {
        if ifOverdue, !lanes[priority.rawValue].isOverdue { return false }
        guard let work = lanes[priority.rawValue].popFirst() else { return false }
        endOfTurn.noteHandler()
        work()
        return true
    }

    /// Calls the handler of one descriptor that is known to be ready. After the last of them the turn
    /// is over, if no work is queued: asking the kernel first whether more is ready would cost more
    /// than another turn.
    private func dispatchReady() -> Bool {
        guard descriptors.dispatchNext({ noteHandler(.normal) }) else { return false }
        let isOver =
            !descriptors.hasReady && !descriptors.mayHaveMore
            && lanes[LoopPriority.high.rawValue].isEmpty
            && lanes[LoopPriority.normal.rawValue].isEmpty
        if !endOfTurn.isEmpty, isOver || endOfTurn.waitedLongEnough { runEndOfTurn() }
        return true
    }

    /// What it leaves waits for the next turn.
    private func runEndOfTurn() {
        endOfTurn.run()
        if !endOfTurn.isEmpty { endAskedAt = SystemClock.monotonicNanoseconds() }
    }
}
