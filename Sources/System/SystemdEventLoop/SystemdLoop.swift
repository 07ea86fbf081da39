// The real event loop, on sd-event.
//
// It owns an sd_event and runs its handlers one at a time from `run`. Each source object is the unretained user
// data of its sd_event_source: the object disables and releases the source in its deinit, so sd-event never
// calls into a freed object. During a call, the callback retains the object, so that a handler may release its
// own source. Sources keep the loop alive; the loop does not know them.
//
// The loop sleeps on the set of descriptors (`DescriptorSet`), which includes sd-event's own, so that a request
// costs one system call to detect, and no work in sd-event. For that, sd-event has to be armed before the loop
// sleeps: its timers set, nothing pending. It stays armed while handlers of descriptors run, and is armed again
// after a timer was set or one of its sources was ready. Queued and end-of-turn work belongs to the loop alone;
// sd-event does not know it.
//
// Errors of sd-event are negative return values, and become `SystemError` in one place. Changing an existing
// source can only fail for lack of kernel memory or because its descriptor was closed, which is a programming
// error: that traps.

import CSystemd
package import EventLoops
import Glibc
package import SystemInterface

/// An event loop on sd-event, for the thread that creates it.
@safe package final class SystemdLoop: EventLoop {
    let event: OpaquePointer
    private let thread = pthread_self()
    let descriptors: DescriptorSet
    private let endOfTurn = EndOfTurnWork()
    private var lanes = LoopPriority.allCases.map { _ in WorkLane() }
    private var eventState = EventState.idle
    /// Whether a timer was set, so that sd-event must be armed again.
    private var mustArm = false
    /// The time that end-of-turn work waits while there is other work, in nanoseconds.
    private let longestTurn: Int64
    /// When the end-of-turn work was requested, or a part of it was done.
    private var endRequestedAt: Int64 = 0
    private var exitCode: Int32?
    private var isRunning = false

    /// The state of sd-event between its calls.
    private enum EventState {
        /// It must be armed before the loop sleeps.
        case idle
        /// Its descriptor is readable when it has something to do.
        case armed
        /// A handler is pending.
        case pending
    }

    /// Creates a loop. A turn ends after `longestTurn` even if there is more to do.
    package init(
        longestTurn: Duration = .milliseconds(1)
    ) throws(SystemError) {
        self.longestTurn = longestTurn.wholeNanoseconds
        var created: OpaquePointer?
        // The pointer is to a local variable; on success it holds a reference that we own.
        try checkSystemd(unsafe sd_event_new(&created), "make an event loop")
        guard let created = unsafe created else {
            throw SystemError(.outOfMemory, operation: "make an event loop")
        }
        unsafe event = created
        do throws(SystemError) {
            // We own the event, which outlives the set that polls its descriptor.
            let number = try checkSystemd(unsafe sd_event_get_fd(created), "watch an event loop")
            descriptors = try DescriptorSet(watching: number)
        } catch {
            unsafe sd_event_unref(created)
            throw error
        }
    }

    deinit {
        // Releases our reference; remaining sources hold their own.
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

    /// Runs until `exit`, and returns its code. May be called again.
    package func run() throws(SystemError) -> Int32 {
        beginRun()
        defer { isRunning = false }
        while exitCode == nil { try step(milliseconds: -1) }
        endOfTurn.run()
        defer { exitCode = nil }
        return exitCode ?? 0
    }

    /// Runs one handler, waiting for at most `limit`, rounded up to a millisecond.
    /// - Returns: `false` if the time ran out.
    @discardableResult
    package func runOne(waitingAtMost limit: Duration) throws(SystemError) -> Bool {
        beginRun()
        defer { isRunning = false }
        let nanoseconds = max(limit.wholeNanoseconds, 0)
        let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1)
        return try step(milliseconds: Int32(clamping: milliseconds))
    }

    private func beginRun() {
        preconditionOnLoop()
        precondition(!isRunning, "a handler cannot run the loop that called it")
        isRunning = true
    }

    /// Sends watchdog pings to the service manager while the loop runs, if it requested them (`WatchdogSec=`).
    /// - Returns: `false` if it did not.
    @discardableResult
    package func enableWatchdog() throws(SystemError) -> Bool {
        preconditionOnLoop()
        requestArming()
        // The loop's reference keeps the event alive for the call.
        return try checkSystemd(unsafe sd_event_set_watchdog(event, 1), "start the watchdog") > 0
    }

    package func enqueue(priority: LoopPriority, _ work: @escaping () -> Void) {
        preconditionOnLoop()
        lanes[priority.rawValue].append(work)
    }

    package func atEndOfTurn(_ work: @escaping () -> Void) {
        preconditionOnLoop()
        if endOfTurn.isEmpty { endRequestedAt = SystemClock.monotonicNanoseconds() }
        endOfTurn.append(work)
    }

    package func exit(code: Int32) {
        preconditionOnLoop()
        if exitCode == nil { exitCode = code }
    }

    /// Counts a handler. Called by each source of `priority` before its handler.
    func countHandler(_ priority: LoopPriority) {
        lanes[priority.rawValue].countSourceHandler()
        endOfTurn.countHandler()
    }

    /// Arms sd-event again before the next sleep. Called when one of its sources was added or a timer was set.
    func requestArming() { mustArm = true }

    // MARK: Steps

    /// Runs one handler or piece of work, waiting for at most `milliseconds`; -1 means for ever.
    @discardableResult
    private func step(milliseconds: Int32) throws(SystemError) -> Bool {
        if descriptors.hasReady, lanes[LoopPriority.high.rawValue].isEmpty,
            !lanes[LoopPriority.normal.rawValue].isOverdue, !descriptors.isTurnOver,
            dispatchReady()
        {
            return true
        }
        try poll(milliseconds: milliseconds)
        let isEndDue = descriptors.lastPoll &- endRequestedAt >= longestTurn
        if isEndDue, !endOfTurn.isEmpty {
            runEndOfTurn()
            return true
        }
        if try runNext() {
            if endOfTurn.isOverdue, !isPollDue { runEndOfTurn() }
            return true
        }
        if !endOfTurn.isEmpty {
            runEndOfTurn()
            return true
        }
        return runPiece(.low) || runPiece(.idle)
    }

    /// Runs a handler that precedes the end of the turn.
    private func runNext() throws(SystemError) -> Bool {
        if runPiece(.high, ifOverdue: true) || runPiece(.normal, ifOverdue: true) { return true }
        if try dispatchEvent() { return true }
        return runPiece(.high) || dispatchReady() || runPiece(.normal)
    }

    /// Polls for ready descriptors, and waits if there is no work either.
    private func poll(milliseconds: Int32) throws(SystemError) {
        // If some ready descriptors were not fetched or handled yet, sd-event is polled directly: it does not
        // wait behind the others.
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
        descriptors.poll(milliseconds: hasWork ? 0 : milliseconds)
        if descriptors.isEventReady, eventState == .armed { try waitForEvent() }
    }

    /// Lets the armed sd-event find its ready sources.
    private func waitForEvent() throws(SystemError) {
        // The loop's reference keeps the event alive for the call.
        let pending = try checkSystemd(unsafe sd_event_wait(event, 0), "look at the event loop")
        eventState = pending > 0 ? .pending : .idle
    }

    /// Calls a pending handler of sd-event, if there is one.
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
        endOfTurn.countHandler()
        work()
        return true
    }

    /// Calls the handler of one ready descriptor. After the last one the turn ends, if no work is queued:
    /// polling the kernel again first would cost more than another turn, unless the handlers took long.
    private func dispatchReady() -> Bool {
        guard descriptors.dispatchNext({ countHandler(.normal) }) else { return false }
        let isOver =
            !descriptors.hasReady && !descriptors.mayHaveMore
            && lanes[LoopPriority.high.rawValue].isEmpty
            && lanes[LoopPriority.normal.rawValue].isEmpty
        if !endOfTurn.isEmpty, isOver || endOfTurn.isOverdue, !isPollDue { runEndOfTurn() }
        return true
    }

    /// Whether handlers have taken half of a turn since the last poll, so that the end-of-turn work comes after another.
    private var isPollDue: Bool {
        SystemClock.monotonicNanoseconds() &- descriptors.lastPoll > longestTurn / 2
    }

    /// Runs the end-of-turn work. Its rest waits for the next turn.
    private func runEndOfTurn() {
        endOfTurn.run()
        if !endOfTurn.isEmpty { endRequestedAt = SystemClock.monotonicNanoseconds() }
    }
}
