// The sources of the real loop: descriptors, timers, signals, children.
//
// Each object is the user data of its own sd_event_source. `cancel` releases the handler, so that its captures
// do not live on in a retained source.

import CSystemd
import Glibc
package import SystemInterface

extension SystemdLoop {
    package func watch(
        _ descriptor: Int32, for events: IOEvents, priority: LoopPriority,
        _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> any IOSource {
        preconditionOnLoop()
        if priority == .normal {
            return try DescriptorSource(self, descriptors, descriptor, events, handler)
        }
        return try SystemdIOSource(self, descriptor, events, priority, handler)
    }

    package func schedule(
        after: Duration, priority: LoopPriority, accuracy: Duration,
        _ handler: @escaping () -> Void
    ) throws(SystemError) -> any TimerSource {
        preconditionOnLoop()
        return try SystemdTimerSource(self, after, accuracy, priority, handler)
    }

    package func onSignal(
        _ signal: Int32, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any LoopSource {
        preconditionOnLoop()
        return try SystemdSignalSource(self, signal, handler)
    }

    package func onChildExit(
        _ pid: Int32, _ handler: @escaping (ChildExit) -> Void
    ) throws(SystemError) -> any LoopSource {
        preconditionOnLoop()
        return try SystemdChildSource(self, pid, handler)
    }
}

private final class SystemdIOSource: IOSource {
    private let loop: SystemdLoop
    private let priority: LoopPriority
    private var handler: ((IOEvents) -> Void)?
    private var handle: SourceHandle?
    private var wanted: IOEvents

    init(
        _ loop: SystemdLoop, _ descriptor: Int32, _ events: IOEvents, _ priority: LoopPriority,
        _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.priority = priority
        self.handler = handler
        wanted = events
        // The user data is this object, which owns the source.
        let handle = try unsafe addSource(
            "watch", "descriptor \(descriptor)", priority: SourcePriority.source(priority)
        ) { source in
            unsafe sd_event_add_io(
                loop.event, source, descriptor, events.rawValue,
                { _, _, happened, userdata in
                    unsafe owner(userdata, SystemdIOSource.self)?
                        .dispatch(IOEvents(rawValue: happened))
                    return 0
                }, userdata(for: self))
        }
        if events.isEmpty { handle.disable() }
        self.handle = consume handle
    }

    var events: IOEvents {
        get { wanted }
        set {
            loop.preconditionOnLoop()
            if isCancelled || newValue == wanted { return }
            // Without events a source would still report hangups repeatedly.
            if newValue.isEmpty {
                handle?.disable()
            } else {
                handle?.setIOEvents(newValue)
                if wanted.isEmpty { handle?.enable() }
            }
            wanted = newValue
        }
    }

    var isCancelled: Bool { handler == nil }

    func cancel() {
        loop.preconditionOnLoop()
        handle = nil
        handler = nil
    }

    private func dispatch(_ happened: IOEvents) {
        loop.countHandler(priority)
        handler?(happened)
    }
}

private final class SystemdTimerSource: TimerSource {
    private let loop: SystemdLoop
    private let priority: LoopPriority
    private var handler: (() -> Void)?
    private var handle: SourceHandle?
    private(set) var isSet = true

    init(
        _ loop: SystemdLoop, _ after: Duration, _ accuracy: Duration, _ priority: LoopPriority,
        _ handler: @escaping () -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.priority = priority
        self.handler = handler
        // sd-event treats an accuracy of 0 as its default of a quarter of a second.
        let slack = max(1, accuracy.microsecondsRoundedUp)
        let due = loop.now.microseconds(after: after)
        // The user data is this object, which owns the source.
        handle = try unsafe addSource(
            "set a timer", priority: SourcePriority.source(priority)
        ) { source in
            unsafe sd_event_add_time(
                loop.event, source, CLOCK_MONOTONIC, due, slack,
                { _, _, userdata in
                    unsafe owner(userdata, SystemdTimerSource.self)?.dispatch()
                    return 0
                }, userdata(for: self))
        }
        loop.requestArming()
    }

    var isCancelled: Bool { handler == nil }

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

    func cancel() {
        loop.preconditionOnLoop()
        isSet = false
        handle = nil
        handler = nil
    }

    private func dispatch() {
        loop.countHandler(priority)
        isSet = false
        handler?()
    }
}

private final class SystemdSignalSource: LoopSource {
    private let loop: SystemdLoop
    private var handler: (() -> Void)?
    private var handle: SourceHandle?

    init(
        _ loop: SystemdLoop, _ signal: Int32, _ handler: @escaping () -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.handler = handler
        // The user data is this object, which owns the source. The flag makes sd-event block the signal in this
        // thread, and unblock it when the source is released.
        handle = try unsafe addSource(
            "handle", "signal \(signal)", priority: SourcePriority.source(.high)
        ) { source in
            unsafe sd_event_add_signal(
                loop.event, source, signal | SD_EVENT_SIGNAL_PROCMASK,
                { _, _, userdata in
                    unsafe owner(userdata, SystemdSignalSource.self)?.dispatch()
                    return 0
                }, userdata(for: self))
        }
        loop.requestArming()
    }

    var isCancelled: Bool { handler == nil }

    func cancel() {
        loop.preconditionOnLoop()
        handle = nil
        handler = nil
    }

    private func dispatch() {
        loop.countHandler(.high)
        handler?()
    }
}

private final class SystemdChildSource: LoopSource {
    private let loop: SystemdLoop
    private var handler: ((ChildExit) -> Void)?
    private var handle: SourceHandle?

    init(
        _ loop: SystemdLoop, _ pid: Int32, _ handler: @escaping (ChildExit) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.handler = handler
        try Self.blockChildSignal()
        // The user data is this object, which owns the source.
        handle = try unsafe addSource(
            "wait for", "process \(pid)", priority: SourcePriority.source(.normal)
        ) { source in
            unsafe sd_event_add_child(
                loop.event, source, pid, WEXITED,
                { _, info, userdata in
                    guard let info = unsafe info else { return 0 }
                    // sd-event sets the fields of SIGCHLD before the call.
                    let status = unsafe info.pointee._sifields._sigchld.si_status
                    let exited = unsafe info.pointee.si_code == CLD_EXITED
                    unsafe owner(userdata, SystemdChildSource.self)?
                        .dispatch(exited ? .exited(code: status) : .killed(signal: status))
                    return 0
                }, userdata(for: self))
        }
        loop.requestArming()
    }

    var isCancelled: Bool { handler == nil }

    func cancel() {
        loop.preconditionOnLoop()
        handle = nil
        handler = nil
    }

    /// A child ends once, and so does this source: its handler is released by the call.
    private func dispatch(_ exit: ChildExit) {
        loop.countHandler(.normal)
        let handler = handler
        self.handler = nil
        handler?(exit)
    }

    /// sd-event requires this, even where it has better means to detect a child's end.
    private static func blockChildSignal() throws(SystemError) {
        var signals = sigset_t()
        // The pointers are to a local variable. A set of one known signal cannot be refused.
        _ = unsafe sigemptyset(&signals)
        _ = unsafe sigaddset(&signals, SIGCHLD)
        let result = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        try checkSystemd(-result, "block", "SIGCHLD")
    }
}

extension MonotonicInstant {
    /// The first whole microsecond at or after `after` from this instant.
    fileprivate func microseconds(after: Duration) -> UInt64 {
        let due = max(advanced(by: after).nanoseconds, 0)
        return UInt64(due / 1000) + (due % 1000 == 0 ? 0 : 1)
    }
}

extension Duration {
    /// In microseconds, rounded up; 0 if negative.
    var microsecondsRoundedUp: UInt64 {
        let nanoseconds = max(wholeNanoseconds, 0)
        return UInt64(nanoseconds / 1000) + (nanoseconds % 1000 == 0 ? 0 : 1)
    }
}
