// The sources of the fake loop.

package import EventLoops
package import SystemInterface

extension FakeLoop {
    package func watch(
        _ descriptor: Int32, for events: IOEvents, _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> any IOSource {
        preconditionOnLoop()
        let subject = "descriptor \(descriptor)"
        let kind = try FileStatus.of(descriptorNumber: descriptor).kind
        if kind == .regular || kind == .directory {
            throw SystemError(.notPermitted, operation: "watch", subject: subject)
        }
        let isWatched = sources.contains { entry in
            guard let other = entry.source as? FakeIOSource else { return false }
            return !other.isCancelled && other.descriptor == descriptor
        }
        if isWatched {
            throw SystemError(.alreadyExists, operation: "watch", subject: subject)
        }
        return add(FakeIOSource(self, descriptor, events, handler))
    }

    package func schedule(
        after: Duration, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any TimerSource {
        preconditionOnLoop()
        return add(FakeTimerSource(self, after, handler))
    }

    package func onSignal(
        _ signal: Int32, _ handler: @escaping () -> Void
    ) throws(SystemError) -> any LoopSource {
        preconditionOnLoop()
        return add(FakeSignalSource(self, signal, handler))
    }

    private func add<Source: FakeSource>(_ source: Source) -> Source {
        sources.append(WeakSource(source: source))
        sourcesMade += 1
        return source
    }
}

/// The common parts of all sources: a priority, a state, and the time since which they are ready.
class FakeSource: LoopSource {
    let loop: FakeLoop
    let priority: LoopPriority
    var readySince: Int?
    final private(set) var isCancelled = false

    init(_ loop: FakeLoop, _ priority: LoopPriority) {
        self.loop = loop
        self.priority = priority
    }

    var isReady: Bool { false }
    func refresh(now: MonotonicInstant) {}
    func dispatch() {}
    func letGo() {}

    final func cancel() {
        loop.preconditionOnLoop()
        isCancelled = true
        letGo()
    }
}

final class FakeIOSource: FakeSource, IOSource {
    let descriptor: Int32
    var happened: IOEvents = []
    private var handler: ((IOEvents) -> Void)?

    var events: IOEvents {
        didSet {
            loop.preconditionOnLoop()
            happened = []
        }
    }

    init(
        _ loop: FakeLoop, _ descriptor: Int32, _ events: IOEvents,
        _ handler: @escaping (IOEvents) -> Void
    ) {
        self.descriptor = descriptor
        self.events = events
        self.handler = handler
        super.init(loop, .normal)
    }

    override var isReady: Bool { !events.isEmpty && !happened.isEmpty }

    override func dispatch() {
        let events = happened
        happened = []
        handler?(events)
    }

    override func letGo() { handler = nil }
}

final class FakeTimerSource: FakeSource, TimerSource {
    private(set) var due: MonotonicInstant?
    private var isDue = false
    private var handler: (() -> Void)?

    init(_ loop: FakeLoop, _ after: Duration, _ handler: @escaping () -> Void) {
        self.handler = handler
        super.init(loop, .normal)
        due = loop.now.advanced(by: max(after, .zero))
    }

    var isSet: Bool { due != nil }

    func reschedule(after: Duration) {
        loop.preconditionOnLoop()
        if isCancelled { return }
        isDue = false
        readySince = nil
        due = loop.now.advanced(by: max(after, .zero))
    }

    func unschedule() {
        loop.preconditionOnLoop()
        isDue = false
        due = nil
    }

    override var isReady: Bool { isDue }

    override func refresh(now: MonotonicInstant) {
        if let due { isDue = due <= now }
    }

    override func dispatch() {
        isDue = false
        due = nil
        handler?()
    }

    override func letGo() {
        isDue = false
        due = nil
        handler = nil
    }
}

final class FakeSignalSource: FakeSource {
    let signal: Int32
    var isDelivered = false
    private var handler: (() -> Void)?

    init(_ loop: FakeLoop, _ signal: Int32, _ handler: @escaping () -> Void) {
        self.signal = signal
        self.handler = handler
        super.init(loop, .high)
    }

    override var isReady: Bool { isDelivered }

    override func dispatch() {
        isDelivered = false
        handler?()
    }

    override func letGo() { handler = nil }
}
