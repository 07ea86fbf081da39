// A bus holds the subscribers in order of subscription, the last events (`EventBuffer`, bounded by
// `limits`), the queue of events to deliver, and a route for each type of event sent so far: the
// subscribers that want events of that type, in order.
//
// Invariants:
// - Every event gets the next number and is delivered to all subscribers, in order, before the next one
//   is. An event sent by a handler is queued until the current one has been delivered to everyone.
// - A handler whose connection has ended is not called again, and has been released, together with its
//   captures. Its empty subscriber stays in place until enough of them can be removed at once.
// - No value of the user (an event, a handler) is released while a part of the bus is being modified:
//   its `deinit` may run the user's code, which may use the bus.
//
// This code is inlined into the programs that use it, so that a handler of an event's exact type is
// called without boxing, casts or type lookups.

public import Observables

/// An event bus: calls the subscribers of an event's type.
///
/// ```swift
/// let bus = EventBus()
/// let connection = bus >> { (event: Saved) in print(event.path) }
/// bus << Saved(path: "a.txt")
/// ```
///
/// - Every event gets the next number and is delivered to all, in order of subscription, before the next
///   one is. An event sent by a handler is queued until the current event has been delivered to
///   everyone.
/// - A handler whose ``/Observables/Connection`` is released or disconnected is not called again, not
///   even for the event that is being delivered.
/// - A handler that subscribes with replay receives each kept event and each later one exactly once.
///
/// A bus belongs to one thread. It is the only owner of its handlers; a handler that captures its owner
/// weakly creates no reference cycle.
@safe
public final class EventBus {
    /// The maximum number of queued events. Handlers that answer each event with more than one event
    /// reach it; further events are refused (``send(_:)`` returns `nil`).
    public static let pendingLimit = 65_536

    /// The limits of the kept events; setting them drops excess events at once.
    public var limits: Limits {
        didSet { applyLimits() }
    }

    /// The number of the newest event; 0 before the first.
    public internal(set) var lastSequence = 0

    let now: () -> Double
    var buffer = EventBuffer()
    var pending = PendingEvents()
    /// In order of subscription.
    var subscribers: [Subscriber] = []
    /// The number of ended ones in `subscribers`.
    var endedSubscribers = 0
    var routes: [ObjectIdentifier: AnyRoute] = [:]
    var armedWakeups: [Wakeup] = []

    /// Whether events sent now are queued.
    @usableFromInline var isDelivering = false
    /// Whether work is left for the end of the delivery: queued events, or armed wakeups.
    @usableFromInline var hasMoreToDo = false
    /// The number of subscriptions so far.
    @usableFromInline var lastSubscriber = 0
    /// The route that was used last. `routes` keeps it alive.
    @usableFromInline var lastRoute: Unmanaged<AnyRoute>
    /// This bus, for connections and wakeups.
    let reference = BusReference()
    private let noRoute = AnyRoute(type: ObjectIdentifier(Never.self))

    /// A bus that keeps events within `limits` and takes their time from `now`.
    public init(limits: Limits = Limits(), now: @escaping () -> Double = { 0 }) {
        self.limits = limits
        self.now = now
        unsafe lastRoute = Unmanaged.passUnretained(noRoute)
        reference.bus = self
    }

    deinit {
        reference.bus = nil
        // Connections may outlive the bus, and hold their subscribers.
        for subscriber in subscribers { subscriber.end() }
    }

    /// Sends `event` to everyone who subscribed to its type, and keeps it for replay.
    ///
    /// - Returns: The number of the event, or `nil` if it was refused because ``pendingLimit`` events
    ///   were queued.
    /// - Complexity: O(1), and a call for each subscriber of its type; O(patterns) for each subscriber
    ///   by topic.
    @discardableResult
    @inlinable
    public func send<E: Event>(_ event: E) -> Int? {
        guard type(of: event) == E.self else { return send(subclass: event) }
        let bytes = event.retainedBytes
        guard !isDelivering else { return enqueue(event, bytes: bytes) }
        isDelivering = true
        var entry = EventBuffer.Entry(bytes: bytes, event: event)
        let stamp = keep(&entry)
        deliver(event, stamp)
        if hasMoreToDo { settle() }
        isDelivering = false
        return stamp.sequence
    }

    /// Sends `event`: the operator form of ``send(_:)``.
    @inlinable
    public static func << <E: Event>(bus: EventBus, event: E) {
        bus.send(event)
    }

    /// Subscribes to the type that `handler` takes: the operator form of
    /// ``subscribe(replaying:_:)``.
    ///
    /// Keep the connection for as long as the handler is to be called. A statement that consists only of
    /// `bus >> { … }` draws a warning and has no effect: its connection is released at once.
    public static func >> <T>(bus: EventBus, handler: @escaping (T) -> Void) -> Connection {
        bus.subscribe(handler)
    }
}
