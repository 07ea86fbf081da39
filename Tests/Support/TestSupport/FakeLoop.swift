// A loop for tests: the test moves its clock, and descriptors are really polled.
//
// The scheduling order is that of `EventLoop`, which both loops are tested for. Nothing here sleeps, except
// `run(until:)`, which waits for descriptors in real time, up to a deadline. It does not check threads, so that
// asynchronous tests may use it; `isOnLoop = false` makes `preconditionOnLoop` trap, for exit tests.

import DequeModule
package import EventLoops
import Glibc
import SystemInterface

/// An `EventLoop` whose clock is moved by the test.
package final class FakeLoop: EventLoop {
    var sources: [WeakSource] = []
    private var clock = MonotonicInstant(nanoseconds: 1_000_000_000)
    private var lanes = LoopPriority.allCases.map { _ in FakeLane() }
    private let endOfTurn = EndOfTurnWork()
    private var iteration = 0
    private var isDispatching = false

    /// The condition of `preconditionOnLoop`.
    package var isOnLoop = true
    /// `wallSeconds` at time 0; it moves with the clock.
    package var wallStart: Double = 1_700_000_000
    /// The code passed to `exit`; `nil` before.
    package private(set) var exitCode: Int32?
    /// The number of handlers and pieces of work that have run.
    package private(set) var handlersRun = 0
    /// The number of sources created.
    package var sourcesMade = 0
    /// The total cost of the handlers. The cost of the loop itself, which grows with its sources, is excluded.
    package private(set) var handlerCost = Cost()

    package init() {}

    package var now: MonotonicInstant {
        preconditionOnLoop()
        return clock
    }

    package var wallSeconds: Double {
        preconditionOnLoop()
        return wallStart + Double(clock.nanoseconds) / 1e9
    }

    package func preconditionOnLoop() {
        precondition(isOnLoop, "the loop and all that is on it belong to the thread that made it")
    }

    package func enqueue(priority: LoopPriority, _ work: @escaping () -> Void) {
        preconditionOnLoop()
        lanes[priority.rawValue].queue.append(work)
    }

    package func atEndOfTurn(_ work: @escaping () -> Void) {
        preconditionOnLoop()
        endOfTurn.append(work)
    }

    package func exit(code: Int32) {
        preconditionOnLoop()
        if exitCode == nil { exitCode = code }
    }

    /// The number of live sources that are not cancelled: a test's cleanup must bring it to 0.
    package var liveSourceCount: Int {
        sources.count { $0.source.map { !$0.isCancelled } ?? false }
    }

    /// The time of the next timer; `nil` if none is set.
    package var nextTimer: MonotonicInstant? {
        liveSources.compactMap { ($0 as? FakeTimerSource)?.due }.min()
    }

    /// Whether anything is ready to run now.
    package var isIdle: Bool {
        refresh(waitingMilliseconds: 0)
        return nextReady() == nil
    }

    /// Runs ready handlers, and those that become ready, until none is: one turn and its consequences. Stops
    /// after `limit` handlers, for work that never ends.
    /// - Returns: the number of handlers that ran.
    @discardableResult
    package func turn(limit: Int = 100_000) -> Int {
        var count = 0
        while count < limit, runOne() { count += 1 }
        return count
    }

    /// Runs one handler, if one is ready.
    @discardableResult
    package func runOne() -> Bool {
        preconditionOnLoop()
        precondition(!isDispatching, "a handler cannot run the loop that called it")
        refresh(waitingMilliseconds: 0)
        guard let next = nextReady() else { return false }
        isDispatching = true
        defer { isDispatching = false }
        handlersRun += 1
        handlerCost = handlerCost + Cost.of { next() }
        if endOfTurn.isOverdue { endOfTurn.run() }
        return true
    }

    /// The cost of the handlers that run because of `work`, without `work` itself.
    package func costOfHandlers(after work: () throws -> Void) rethrows -> Cost {
        let before = handlerCost
        try work()
        turn()
        return handlerCost - before
    }

    /// Moves the clock, stopping at each timer on the way, and runs all ready handlers then.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "time never goes back")
        let target = clock.advanced(by: duration)
        turn()
        while let due = nextTimer, due <= target {
            clock = max(clock, due)
            // A timer that reschedules itself for now must not stop the clock for ever.
            if turn() == 0 { break }
        }
        clock = target
        turn()
    }

    /// Moves the clock and runs nothing: for handlers that take this long.
    package func spend(_ duration: Duration) {
        precondition(duration >= .zero, "time never goes back")
        clock = clock.advanced(by: duration)
    }

    /// Runs until `condition` holds, waiting for descriptors in real time.
    /// - Returns: whether it held before the deadline.
    @discardableResult
    package func run(within limit: Duration = patience, until condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + limit
        while !condition() {
            if runOne() { continue }
            if ContinuousClock.now >= deadline { return condition() }
            refresh(waitingMilliseconds: 5)
        }
        return true
    }

    /// Calls the handlers of `signal` in the next turn, as if it had been delivered.
    package func deliver(signal: Int32) {
        for case let source as FakeSignalSource in liveSources where source.signal == signal {
            source.isDelivered = true
        }
    }

    private var liveSources: [FakeSource] {
        sources.compactMap { $0.source }.filter { !$0.isCancelled }
    }

    /// Determines which sources are ready, and since when.
    private func refresh(waitingMilliseconds: Int32) {
        sources.removeAll { $0.source?.isCancelled ?? true }
        iteration += 1
        let live = liveSources
        pollDescriptors(live, waitingMilliseconds)
        for source in live {
            source.refresh(now: clock)
            if !source.isReady {
                source.readySince = nil
            } else if source.readySince == nil {
                source.readySince = iteration
            }
        }
    }

    private func pollDescriptors(_ live: [FakeSource], _ waitingMilliseconds: Int32) {
        let watching = live.compactMap { $0 as? FakeIOSource }.filter { !$0.events.isEmpty }
        var polled = watching.map {
            pollfd(fd: $0.descriptor, events: $0.events.pollMask, revents: 0)
        }
        // The array's own pointer and count; poll writes within them.
        let result = unsafe polled.withUnsafeMutableBufferPointer {
            unsafe poll($0.baseAddress, nfds_t($0.count), waitingMilliseconds)
        }
        if result < 0 { return }
        for (source, entry) in zip(watching, polled) {
            precondition(
                entry.revents & Int16(POLLNVAL) == 0,
                "descriptor \(source.descriptor) was closed before its source was cancelled")
            source.happened = IOEvents(pollMask: entry.revents)
        }
    }

    /// The next handler in the scheduling order, as a closure that includes the bookkeeping.
    private func nextReady() -> (() -> Void)? {
        let live = liveSources
        for priority in LoopPriority.allCases {
            let lane = lanes[priority.rawValue]
            let first =
                live
                .filter { $0.priority == priority && $0.isReady }
                .min { ($0.readySince ?? 0) < ($1.readySince ?? 0) }
            if !lane.queue.isEmpty, first == nil || lane.isOverdue {
                return { [endOfTurn] in
                    endOfTurn.countHandler()
                    lane.runOne()
                }
            }
            if let first {
                return { [endOfTurn] in
                    lane.countSourceHandler()
                    endOfTurn.countHandler()
                    first.readySince = nil
                    first.dispatch()
                }
            }
            if priority == .normal, !endOfTurn.isEmpty {
                return { [endOfTurn] in endOfTurn.run() }
            }
        }
        return nil
    }
}

/// The queued work of one priority.
private final class FakeLane {
    var queue = Deque<() -> Void>()
    private var handlersSincePiece = 0

    var isOverdue: Bool { handlersSincePiece >= TurnLimits.handlersBeforeQueue }

    func countSourceHandler() {
        if !queue.isEmpty { handlersSincePiece += 1 }
    }

    func runOne() {
        handlersSincePiece = 0
        queue.popFirst()?()
    }
}

struct WeakSource {
    weak var source: FakeSource?
}

extension IOEvents {
    /// poll and epoll have the same numbers for these five.
    fileprivate var pollMask: Int16 { Int16(truncatingIfNeeded: rawValue) }

    fileprivate init(pollMask: Int16) {
        self.init(rawValue: UInt32(UInt16(bitPattern: pollMask)))
    }
}
