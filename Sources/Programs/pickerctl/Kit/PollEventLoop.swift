import EventLoops
import PickerClient
import SystemInterface

/// The loop of this program as the parts of the daemon know loops, so that the daemon's own launcher runs on it.
///
/// The program has one thread. There is one priority, and no signals: `SignalPipe` has those.
final class PollEventLoop: EventLoop {
    private let loop: PollLoop

    init(_ loop: PollLoop) { self.loop = loop }

    var now: MonotonicInstant { MonotonicInstant(nanoseconds: loop.nanoseconds) }
    var wallSeconds: Double { SystemClock.wallSeconds() }

    func preconditionOnLoop() {}

    func watch(
        _ descriptor: Int32, for events: IOEvents, _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> any IOSource {
        let source = PollSource(events)
        source.watch = loop.watch(descriptor, for: PollLoop.Events(events)) { found in
            handler(IOEvents(found))
        }
        return source
    }

    func schedule(
        after delay: Duration, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any TimerSource {
        let source = PollTimerSource(loop, handler)
        source.reschedule(after: delay)
        return source
    }

    func onSignal(
        _ signal: Int32, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any LoopSource {
        throw SystemError(.invalidArgument, operation: "watch a signal", subject: "\(signal)")
    }

    func enqueue(priority: LoopPriority, _ work: @escaping () -> Void) { loop.atEndOfTurn(work) }
    func atEndOfTurn(_ work: @escaping () -> Void) { loop.atEndOfTurn(work) }
    func exit(code: Int32) { loop.stop() }
}

private final class PollSource: IOSource {
    var watch: PollWatch?
    var events: IOEvents {
        didSet {
            watch?.events = PollLoop.Events(events)
            watch?.isPaused = events.isEmpty
        }
    }

    init(_ events: IOEvents) { self.events = events }

    deinit { watch?.cancel() }

    var isCancelled: Bool { watch == nil }

    func cancel() {
        watch?.cancel()
        watch = nil
    }
}

private final class PollTimerSource: TimerSource {
    private let loop: PollLoop
    private var handler: (() -> Void)?
    private var timer: PollTimer?

    init(_ loop: PollLoop, _ handler: @escaping () -> Void) {
        self.loop = loop
        self.handler = handler
    }

    deinit { timer?.cancel() }

    var isCancelled: Bool { handler == nil }
    var isSet: Bool { timer != nil }

    func cancel() {
        unschedule()
        handler = nil
    }

    func reschedule(after delay: Duration) {
        unschedule()
        guard handler != nil else { return }
        timer = loop.schedule(after: delay) { [weak self] in
            self?.timer = nil
            self?.handler?()
        }
    }

    func unschedule() {
        timer?.cancel()
        timer = nil
    }
}

extension PollLoop {
    /// Runs until the condition holds, for `limit` at most.
    /// - Returns: Whether it holds.
    @discardableResult
    func run(within limit: Duration, until condition: () -> Bool) -> Bool {
        var isLate = false
        let timer = schedule(after: limit) { isLate = true }
        run { condition() || isLate }
        timer.cancel()
        return condition()
    }
}

extension PollLoop.Events {
    fileprivate init(_ events: IOEvents) {
        self = []
        if events.contains(.readable) { insert(.readable) }
        if events.contains(.writable) { insert(.writable) }
    }
}

extension IOEvents {
    fileprivate init(_ events: PollLoop.Events) {
        self = []
        if events.contains(.readable) { insert(.readable) }
        if events.contains(.writable) { insert(.writable) }
        if events.contains(.hangup) { insert(.error) }
    }
}
