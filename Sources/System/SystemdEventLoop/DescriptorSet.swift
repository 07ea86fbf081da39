// What the loop sleeps on: the descriptors of normal priority (clients, file changes), and sd-event's own.
//
// sd-event asks the kernel anew before each handler that it calls. Where many clients are ready at
// once that is a system call for each, so they have a set of their own, and sd-event's descriptor, which
// is readable while one of its sources is ready, is one of them. Up to 16 that are ready are taken
// down in one call, and the loop calls their handlers one by one, without asking; then, or when they
// have taken half a millisecond, it asks again.
//
// What was taken down may be out of date when its turn comes: a source that was cancelled or put to
// rest meanwhile is passed over, by its token, which is never used again. What has not had its turn when the
// loop asks again goes first then, if it is still ready: the kernel tells of up to 16 in the same order each
// time, and a slow one in front that is always ready, as file changes can be, would keep all others waiting.
// What is told once only (`IOEvents.toldOnce`) is kept, ready or not.

import CSystemd
import SystemInterface

/// The descriptors of normal priority, and those of them that are known to be ready.
final class DescriptorSet {
    private let epoll: Epoll
    /// The last that was given; this one is sd-event's.
    private var lastToken = eventToken
    private static let eventToken: UInt64 = 0
    private var sources: [UInt64: Entry] = [:]
    private var ready: [Epoll.Ready] = []
    private var nextReady = 0
    /// Whether more may be ready than were taken down.
    private(set) var mayHaveMore = false
    /// Whether a source of sd-event's was ready at the last look.
    private(set) var isEventReady = false

    /// A source, which takes itself out before it goes.
    private struct Entry {
        unowned let source: DescriptorSource
    }

    /// Makes a set with `event`, the descriptor of sd-event.
    init(watching event: Int32) throws(SystemError) {
        epoll = try Epoll()
        try epoll.add(event, events: IOEvents.readable.rawValue, token: Self.eventToken)
    }

    var hasReady: Bool { nextReady < ready.count }

    /// How long handlers are called without asking what else has happened.
    private static let longestTurn: Int64 = 500_000
    /// When it was, by the loop's clock.
    private(set) var lastLook: Int64 = 0

    /// Whether to look again before the others that were taken down: the handlers of those before them took
    /// long. They are told of again, after those that have not had their turn.
    var isTurnOver: Bool {
        nextReady >= 1 && SystemClock.monotonicNanoseconds() &- lastLook > Self.longestTurn
    }

    /// Takes down what is ready; if nothing is, waits for something as long as `milliseconds` says.
    func look(milliseconds: Int32) {
        let waiting = Array(ready[nextReady...])
        let mayWait = !waiting.contains(where: isToldOnce)
        ready.removeAll(keepingCapacity: true)
        nextReady = 0
        do throws(SystemError) {
            try epoll.look(into: &ready, milliseconds: mayWait ? milliseconds : 0)
        } catch {
            // Interrupted; the next look says what is ready.
        }
        mayHaveMore = ready.count == Epoll.mostReady
        let place = ready.firstIndex { $0.token == Self.eventToken }
        isEventReady = place != nil
        if let place { ready.remove(at: place) }
        if !waiting.isEmpty { putFirst(waiting) }
        lastLook = SystemClock.monotonicNanoseconds()
    }

    /// Puts those that have waited since the last look in front, as long as they are ready.
    private func putFirst(_ waiting: [Epoll.Ready]) {
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

    /// Whether the kernel does not tell of it again, so that it is kept until its handler has been called.
    private func isToldOnce(_ entry: Epoll.Ready) -> Bool {
        guard let source = sources[entry.token]?.source else { return false }
        return source.events.rawValue & IOEvents.toldOnce.rawValue != 0
    }

    /// Calls the handler of the next one that is still wanted; false if there is none.
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

    /// A descriptor without events would still be told of a hang-up, again and again: it leaves the set.
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

    /// Calls the handler, unless nothing of what happened is wanted any more.
    func dispatch(_ happened: IOEvents, _ willCall: () -> Void) -> Bool {
        // Errors and hang-ups are told unasked.
        let told = happened.rawValue & (wanted.rawValue | 0x18)
        guard wanted.rawValue != 0, told != 0, let handler else { return false }
        willCall()
        handler(IOEvents(rawValue: told))
        return true
    }
}
