// What a bus holds: the subscribers in order of subscription, the last events (`EventBuffer`, bounded by
// `limits`), the events that wait for their delivery, and a route for each type of event sent so far:
// the subscribers that want events of that type, in order.
//
// What holds true:
// - Every event gets the next number and is delivered to all, in order, before the next one is. An event
//   that a handler sends waits until the current one has been delivered to everyone.
// - A handler whose connection has ended is not called again, and has been let go of, together with what
//   it captured. Its empty subscriber stays in line until there are enough of them to be taken out at once.
// - No value that a user made (an event, a handler) is let go of while a part of the bus is being
//   changed: its end may run code of the user's, which may use the bus.
//
// What is here is compiled into the programs that use it, so that a handler of the very type of an event
// is called with the event as it is: without a box, a cast, or code that finds out about its type.

public import Observables

/// A bus: whoever has it can send events, and whoever subscribed to their type is called.
///
/// ```swift
/// let bus = EventBus()
/// let connection = bus >> { (event: Saved) in print(event.path) }
/// bus << Saved(path: "a.txt")
/// ```
///
/// - Every event gets the next number and is delivered to all, in order of subscription, before the
///   next one is. What a handler sends waits until the current event has been delivered to everyone.
/// - A handler whose ``/Observables/Connection`` is released or disconnected is not called again, not
///   even for the event that is being delivered.
/// - A handler that subscribes with replay sees each kept event and each later one exactly once.
///
/// A bus belongs to one thread. It keeps its handlers alive, and nothing else does; a handler
/// that captures its owner weakly makes no cycle.
@safe
public final class EventBus {
    /// The most events that may wait for delivery. Handlers that answer each event with more than
    /// one event get here; what they send beyond it is refused (``send(_:)`` answers nil).
    public static let pendingLimit = 65_536

    /// How much is kept; setting it drops at once what is over.
    public var limits: Limits {
        didSet { limitsDidChange() }
    }

    /// The number of the newest event; 0 before the first.
    public internal(set) var lastSequence = 0

    let now: () -> Double
    var buffer = EventBuffer()
    var pending = PendingEvents()
    /// In order of subscription.
    var subscribers: [any Subscriber] = []
    /// Those in `subscribers` that have ended.
    var endedSubscribers = 0
    var routes: [ObjectIdentifier: AnyRoute] = [:]
    var armedWakeups: [Wakeup] = []

    /// Whether events sent now have to wait.
    @usableFromInline var isDelivering = false
    /// Whether something is to be done at the end of the delivery: events wait, or wakeups are armed.
    @usableFromInline var hasMoreToDo = false
    /// How many subscriptions there have been.
    @usableFromInline var lastSubscriber = 0
    /// The route that was used last. `routes` keeps it alive.
    @usableFromInline var lastRoute: Unmanaged<AnyRoute>
    /// This bus, for connections and wakeups.
    let reference = BusReference()
    private let noRoute = AnyRoute(type: ObjectIdentifier(Never.self))

    /// A bus that keeps what `limits` allow and takes the time of its events from `now`.
    public init(limits: Limits = Limits(), now: @escaping () -> Double = { 0 }) {
        self.limits = limits
        self.now = now
        unsafe lastRoute = Unmanaged.passUnretained(noRoute)
        reference.bus = self
    }

    deinit {
        reference.bus = nil
        // Connections outlive the bus, and know their subscribers.
        for subscriber in subscribers { subscriber.end() }
    }

    /// Sends `event` to everyone who subscribed to its type, and keeps it for replay.
    ///
    /// - Returns: the number of the event, or nil if ``pendingLimit`` events were waiting already
    ///   and it was refused.
    /// - Complexity: O(1), and a call for each subscriber of its type; for those by topic O(patterns).
    @discardableResult
    @inlinable
    public func send<E: Event>(_ event: E) -> Int? {
        guard type(of: event) == E.self else { return send(subclass: event) }
        let bytes = event.retainedBytes
        guard !isDelivering else { return enqueue(event, bytes: bytes) }
        isDelivering = true
        var place = EventBuffer.Place(bytes: bytes, event: event)
        let stamp = keep(&place)
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
    /// Keep the connection for as long as the handler is to be called. A statement that is nothing but
    /// `bus >> { … }` draws a warning and hears nothing: its connection goes at once.
    public static func >> <T>(bus: EventBus, handler: @escaping (T) -> Void) -> Connection {
        bus.subscribe(handler)
    }
}
