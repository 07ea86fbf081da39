// The sources of the real loop: descriptors, timers, signals.
//
// Each object is the user data of its own sd_event_source. `cancel` releases the handler, so that its captures
// do not live on in a retained source.

import CSystemd
package import EventLoops
import Glibc
package import SystemInterface

extension SystemdLoop {
    package func watch(
        _ descriptor: Int32, for events: IOEvents, _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> any IOSource {
        preconditionOnLoop()
        return try DescriptorSource(self, descriptors, descriptor, events, handler)
    }

    package func schedule(
        after: Duration, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any TimerSource {
        preconditionOnLoop()
        return try SystemdTimerSource(self, after, handler)
    }

    package func onSignal(
        _ signal: Int32, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any LoopSource {
        preconditionOnLoop()
        return try SystemdSignalSource(self, signal, handler)
    }
}

/// A source of sd-event, with its handler.
private class SystemdSource: LoopSource {
    final let loop: SystemdLoop
    private let priority: LoopPriority
    private var handler: (() -> Void)?
    final var handle: SourceHandle?

    init(_ loop: SystemdLoop, _ priority: LoopPriority, _ handler: @escaping () -> Void) {
        self.loop = loop
        self.priority = priority
        self.handler = handler
    }

    final var isCancelled: Bool { handler == nil }

    func cancel() {
        loop.preconditionOnLoop()
        handle = nil
        handler = nil
    }

    func dispatch() {
        loop.countHandler(priority)
        handler?()
    }
}

private final class SystemdTimerSource: SystemdSource, TimerSource {
    /// How late sd-event may be, in microseconds. It takes 0 as its default of a quarter of a second.
    private static let slack: UInt64 = 1000

    private(set) var isSet = true

    init(
        _ loop: SystemdLoop, _ after: Duration, _ handler: @escaping () -> Void
    ) throws(SystemError) {
        super.init(loop, .normal, handler)
        let due = loop.now.microseconds(after: after)
        // The user data is this object, which owns the source.
        handle = try unsafe addSource("set a timer", priority: .normal) { source in
            unsafe sd_event_add_time(
                loop.event, source, CLOCK_MONOTONIC, due, Self.slack,
                { _, _, userdata in
                    unsafe owner(userdata, SystemdTimerSource.self)?.dispatch()
                    return 0
                }, userdata(for: self))
        }
        loop.requestArming()
    }

    func reschedule(after: Duration) {
        loop.preconditionOnLoop()
        if isCancelled { return }
        isSet = true
        handle?.setTime(loop.now.microseconds(after: after))
        handle?.enableOnce()
        loop.requestArming()
    }

    func unschedule() {
        loop.preconditionOnLoop()
        isSet = false
        handle?.disable()
    }

    override func cancel() {
        isSet = false
        super.cancel()
    }

    override func dispatch() {
        isSet = false
        super.dispatch()
    }
}

private final class SystemdSignalSource: SystemdSource {
    init(
        _ loop: SystemdLoop, _ signal: Int32, _ handler: @escaping () -> Void
    ) throws(SystemError) {
        super.init(loop, .high, handler)
        // The user data is this object, which owns the source. The flag makes sd-event block the signal in this
        // thread, and unblock it when the source is released.
        handle = try unsafe addSource("handle", "signal \(signal)", priority: .high) { source in
            unsafe sd_event_add_signal(
                loop.event, source, signal | SD_EVENT_SIGNAL_PROCMASK,
                { _, _, userdata in
                    unsafe owner(userdata, SystemdSignalSource.self)?.dispatch()
                    return 0
                }, userdata(for: self))
        }
        loop.requestArming()
    }
}

extension MonotonicInstant {
    /// The first whole microsecond at or after `after` from this instant.
    fileprivate func microseconds(after: Duration) -> UInt64 {
        let due = max(advanced(by: after).nanoseconds, 0)
        return UInt64(due / 1000) + (due % 1000 == 0 ? 0 : 1)
    }
}
