// The descriptors that the loop sleeps on: those of normal priority (clients, file changes), and sd-event's
// own.
//
// sd-event polls the kernel before each handler. With many ready clients, that would be a system call per
// client, so they have a set of their own; sd-event's descriptor, which is readable while one of its sources is
// ready, is a member. One call fetches up to 16 ready descriptors, and the loop calls their handlers one by one
// without polling. Then, or when they have taken half a millisecond, it polls again.
//
// A fetched entry may be outdated at its turn: a source that was cancelled or disabled meanwhile is skipped, by
// its token, which is never reused. Entries that had no turn before the next poll go first afterwards, if they
// are still ready. Otherwise, because the kernel reports up to 16 in the same order each time, a slow
// descriptor in front that is always ready, as file changes can be, would starve all others. Edge-triggered
// entries (`IOEvents.toldOnce`) are kept, ready or not.

import CSystemd
import EventLoops
import SystemInterface

/// The descriptors of normal priority, and the ready ones among them.
final class DescriptorSet {
    private let epoll: Epoll
    /// The last token given; the initial one is sd-event's.
    private var lastToken = eventToken
    private static let eventToken: UInt64 = 0
    private var sources: [UInt64: Entry] = [:]
    private var ready: [Epoll.Ready] = []
    private var nextReady = 0
    /// Whether more may be ready than were fetched.
    private(set) var mayHaveMore = false
    /// Whether a source of sd-event was ready at the last poll.
    private(set) var isEventReady = false

    /// A source, which removes itself in its deinit.
    private struct Entry {
        unowned let source: DescriptorSource
    }

    /// Creates a set with `event`, the descriptor of sd-event.
    init(watching event: Int32) throws(SystemError) {
        epoll = try Epoll()
        try epoll.add(event, events: IOEvents.readable.rawValue, token: Self.eventToken)
    }

    var hasReady: Bool { nextReady < ready.count }

    /// The time for which handlers are called without another poll.
    private static let longestTurn: Int64 = 500_000
    /// The time of the last poll, by the loop's clock.
    private(set) var lastPoll: Int64 = 0

    /// Whether to poll again before the remaining entries, because the handlers before them took long. Those
    /// are reported again, after the entries that had no turn.
    var isTurnOver: Bool {
        nextReady >= 1 && SystemClock.monotonicNanoseconds() &- lastPoll > Self.longestTurn
    }

    /// Fetches the ready descriptors; if there are none, waits up to `milliseconds` for one.
    func poll(milliseconds: Int32) {
        let waiting = Array(ready[nextReady...])
        let mayWait = !waiting.contains(where: isToldOnce)
        ready.removeAll(keepingCapacity: true)
        nextReady = 0
        do throws(SystemError) {
            try epoll.poll(into: &ready, milliseconds: mayWait ? milliseconds : 0)
        } catch {
            // Interrupted; the next poll finds what is ready.
        }
        mayHaveMore = ready.count == Epoll.mostReady
        let place = ready.firstIndex { $0.token == Self.eventToken }
        isEventReady = place != nil
        if let place { ready.remove(at: place) }
        if !waiting.isEmpty { moveToFront(waiting) }
        lastPoll = SystemClock.monotonicNanoseconds()
    }

    /// Moves entries that waited since the last poll to the front, if they are still ready.
    private func moveToFront(_ waiting: [Epoll.Ready]) {
        var first: [Epoll.Ready] = []
        for old in waiting {
            let place = ready.firstIndex { $0.token == old.token }
            if isToldOnce(old) {
                first.append(old)
                if let place { ready.remove(at: place) }
            } else if let place {
                first.append(ready.remove(at: place))
            }
        }
        ready.insert(contentsOf: first, at: 0)
    }

    /// Whether the kernel reports it only once, so that it is kept until its handler is called.
    private func isToldOnce(_ entry: Epoll.Ready) -> Bool {
        guard let source = sources[entry.token]?.source else { return false }
        return source.events.rawValue & IOEvents.toldOnce.rawValue != 0
    }

    /// Calls the handler of the next entry that is still watched.
    /// - Returns: false if there is none.
    func dispatchNext(_ willCall: () -> Void) -> Bool {
        while nextReady < ready.count {
            let next = ready[nextReady]
            nextReady += 1
            guard let source = sources[next.token]?.source else { continue }
            if source.dispatch(IOEvents(rawValue: next.events), willCall) { return true }
        }
        return false
    }

    // MARK: - For sources

    func add(
        _ source: DescriptorSource, _ descriptor: Int32, _ events: IOEvents
    ) throws(SystemError) -> UInt64 {
        lastToken += 1
        try epoll.add(descriptor, events: events.rawValue, token: lastToken)
        sources[lastToken] = Entry(source: source)
        if events.isEmpty { epoll.remove(descriptor) }
        return lastToken
    }

    func remove(_ token: UInt64, _ descriptor: Int32, isResting: Bool) {
        sources[token] = nil
        if !isResting { epoll.remove(descriptor) }
    }

    /// Changes the watched events. Without events, a descriptor would still report hangups repeatedly, so it
    /// leaves the set.
    func change(_ token: UInt64, _ descriptor: Int32, from old: IOEvents, to new: IOEvents) {
        do throws(SystemError) {
            if new.isEmpty {
                epoll.remove(descriptor)
            } else if old.isEmpty {
                try epoll.add(descriptor, events: new.rawValue, token: token)
            } else {
                try epoll.change(descriptor, events: new.rawValue, token: token)
            }
        } catch {
            preconditionFailure("cannot watch descriptor \(descriptor): \(error)")
        }
    }
}

/// A watched descriptor of the set.
final class DescriptorSource: IOSource {
    private let loop: SystemdLoop
    private let set: DescriptorSet
    private let descriptor: Int32
    private var token: UInt64 = 0
    private var handler: ((IOEvents) -> Void)?
    private var wanted: IOEvents

    init(
        _ loop: SystemdLoop, _ set: DescriptorSet, _ descriptor: Int32, _ events: IOEvents,
        _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.set = set
        self.descriptor = descriptor
        self.handler = handler
        wanted = events
        do throws(SystemError) {
            token = try set.add(self, descriptor, events)
        } catch {
            self.handler = nil
            throw error
        }
    }

    deinit {
        if handler != nil { set.remove(token, descriptor, isResting: wanted.isEmpty) }
    }

    var events: IOEvents {
        get { wanted }
        set {
            loop.preconditionOnLoop()
            if isCancelled || newValue == wanted { return }
            set.change(token, descriptor, from: wanted, to: newValue)
            wanted = newValue
        }
    }

    var isCancelled: Bool { handler == nil }

    func cancel() {
        loop.preconditionOnLoop()
        guard handler != nil else { return }
        set.remove(token, descriptor, isResting: wanted.isEmpty)
        handler = nil
    }

    /// Calls the handler, unless none of the events is watched any more.
    func dispatch(_ happened: IOEvents, _ willCall: () -> Void) -> Bool {
        // Errors and hangups are always reported.
        let told = happened.rawValue & (wanted.rawValue | 0x18)
        guard wanted.rawValue != 0, told != 0, let handler else { return false }
        willCall()
        handler(IOEvents(rawValue: told))
        return true
    }
}
