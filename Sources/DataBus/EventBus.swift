internal import DequeModule
public import Observables

/// A bus: whoever has it can send events, and whoever subscribed to their type is called.
///
/// ```swift
/// let bus = EventBus()
/// let connection = bus >> { (event: Saved) in print(event.path) }
/// bus << Saved(path: "a.txt")
/// ```
///
/// What it holds: the subscribers in order of subscription, the last events (the replay buffer,
/// bounded by ``limits``), and the events that wait for their delivery.
///
/// What holds true:
/// - Every event gets the next number and is delivered to all, in order, before the next one is.
///   An event that a handler sends waits until the current one has been delivered to everyone.
/// - A handler whose ``/Observables/Connection`` is released or disconnected is not called again, not even for the
///   event that is being delivered.
/// - A handler that subscribes with replay sees each kept event and each later one exactly once.
///
/// A bus belongs to one thread. It keeps its handlers alive, and nothing else does; a handler
/// that captures its owner weakly makes no cycle.
public final class EventBus {
    /// How much a bus keeps for replay. The oldest go first.
    public struct Limits: Equatable, Sendable {
        /// The most events kept.
        public var count: Int
        /// The most bytes kept, by ``Event/retainedBytes``.
        public var bytes: Int
        /// How long an event is kept, in seconds; nil for as long as there is room.
        public var age: Double?

        /// Limits of `count` events and `bytes` bytes, and of `age` seconds if that is given.
        public init(count: Int = 5, bytes: Int = .max, age: Double? = nil) {
            precondition(count >= 0 && bytes >= 0, "a bus can't keep less than nothing")
            self.count = count
            self.bytes = bytes
            self.age = age
        }
    }

    /// The most events that may wait for delivery. Handlers that answer each event with more than
    /// one event get here; what they send beyond it is refused (``send(_:)`` answers nil).
    public static let pendingLimit = 65_536

    /// How much is kept; setting it drops at once what is over.
    public var limits: Limits {
        didSet { trim() }
    }

    /// The number of events kept, ``Limits/count``, under the name of old.
    public var bufferLength: Int {
        get { limits.count }
        set { limits.count = newValue }
    }

    /// The number of the newest event; 0 before the first.
    public private(set) var lastSequence = 0

    private let now: () -> Double
    private var kept = Deque<SentEvent>()
    private var keptBytes = 0
    private var pending = Deque<SentEvent>()
    private var isDelivering = false
    private var subscribers: [Subscriber] = []
    /// For each type of event sent so far, those of `subscribers` that want it, in order.
    private var routes: [ObjectIdentifier: [Subscriber]] = [:]

    /// A bus that keeps what `limits` allow and takes the time of its events from `now`.
    public init(limits: Limits = Limits(), now: @escaping () -> Double = { 0 }) {
        self.limits = limits
        self.now = now
    }

    /// Sends `event` to everyone who subscribed to its type, and keeps it for replay.
    ///
    /// - Returns: the number of the event, or nil if ``pendingLimit`` events were waiting already
    ///   and it was refused.
    /// - Complexity: O(1) and one call for each subscriber of its type.
    @discardableResult
    public func send(_ event: some Event) -> Int? {
        guard pending.count < Self.pendingLimit else { return nil }
        lastSequence += 1
        let sent = SentEvent(sequence: lastSequence, time: now(), event: event)
        keep(sent)
        pending.append(sent)
        if !isDelivering { deliverPending() }
        return sent.sequence
    }

    /// Calls `handler` with every event of type `T` sent from now on, and first with the last
    /// `count` that are kept, oldest first. `T` may be a protocol, or a class with subclasses.
    ///
    /// - Returns: the subscription; disconnecting or releasing it ends it.
    public func subscribe<T>(
        replaying count: Int = 0, _ handler: @escaping (T) -> Void
    ) -> Connection {
        subscribe(
            Subscriber(
                wants: { $0 is T },
                handler: { sent in
                    if let event = sent.event as? T { handler(event) }
                }),
            replaying: count)
    }

    /// Calls `handler` with every event of any type, with its number and time.
    public func subscribeToAll(
        replaying count: Int = 0, _ handler: @escaping (SentEvent) -> Void
    ) -> Connection {
        subscribe(Subscriber(wants: { _ in true }, handler: handler), replaying: count)
    }

    /// Calls `handler` with the last `count` kept events of type `T`, oldest first.
    public func replay<T>(count: Int = .max, _ handler: (T) -> Void) {
        precondition(count >= 0, "a negative number of events can't be replayed")
        expire()
        var found: [T] = []
        for sent in kept.reversed() {
            if found.count == count { break }
            if let event = sent.event as? T { found.append(event) }
        }
        for event in found.reversed() { handler(event) }
    }

    /// Sends `event`: the operator form of ``send(_:)``.
    public static func << (bus: EventBus, event: some Event) {
        bus.send(event)
    }

    /// Subscribes to the type that `handler` takes: the operator form of
    /// ``subscribe(replaying:_:)``.
    public static func >> <T>(bus: EventBus, handler: @escaping (T) -> Void) -> Connection {
        bus.subscribe(handler)
    }
}

// MARK: - Reading the kept events by number

extension EventBus {
    /// The number of the oldest event kept; one past ``lastSequence`` when none is.
    public var oldestSequence: Int { lastSequence - kept.count + 1 }

    /// The number of events kept.
    public var keptCount: Int { kept.count }

    /// The event of that number, or nil if it is no longer kept, or was never sent.
    ///
    /// - Complexity: O(1).
    public func kept(sequence: Int) -> SentEvent? {
        let index = sequence - oldestSequence
        return kept.indices.contains(index) ? kept[index] : nil
    }

    private func keep(_ sent: SentEvent) {
        kept.append(sent)
        keptBytes += sent.event.retainedBytes
        trim()
    }

    private func trim() {
        while kept.count > limits.count || keptBytes > limits.bytes { dropOldest() }
        expire()
    }

    private func expire() {
        guard let age = limits.age else { return }
        let horizon = now() - age
        while let oldest = kept.first, oldest.time < horizon { dropOldest() }
    }

    private func dropOldest() {
        guard let oldest = kept.popFirst() else { return }
        keptBytes -= oldest.event.retainedBytes
    }
}

// MARK: - Delivery

extension EventBus {
    private func subscribe(_ subscriber: Subscriber, replaying count: Int) -> Connection {
        precondition(count >= 0, "a negative number of events can't be replayed")
        subscriber.next = lastSequence + 1
        subscribers.append(subscriber)
        routes.removeAll(keepingCapacity: true)
        let connection = Connection { [weak self, weak subscriber] in
            guard let subscriber else { return }
            self?.remove(subscriber)
        }
        if count > 0 { replay(to: subscriber, count: count) }
        return connection
    }

    private func replay(to subscriber: Subscriber, count: Int) {
        expire()
        var found: [SentEvent] = []
        for sent in kept.reversed() {
            if found.count == count { break }
            if subscriber.wants(sent.event) { found.append(sent) }
        }
        // What the handler sends meanwhile waits its turn, like all that handlers send.
        let wasDelivering = isDelivering
        isDelivering = true
        for sent in found.reversed() where subscriber.isActive { subscriber.handler(sent) }
        isDelivering = wasDelivering
        if !isDelivering { deliverPending() }
    }

    private func remove(_ subscriber: Subscriber) {
        subscriber.isActive = false
        subscribers.removeAll { $0 === subscriber }
        routes.removeAll(keepingCapacity: true)
    }

    private func deliverPending() {
        isDelivering = true
        while let sent = pending.popFirst() {
            for subscriber in route(for: sent.event)
            where subscriber.isActive && sent.sequence >= subscriber.next {
                subscriber.handler(sent)
            }
        }
        isDelivering = false
    }

    private func route(for event: any Event) -> [Subscriber] {
        let type = ObjectIdentifier(type(of: event))
        if let known = routes[type] { return known }
        let found = subscribers.filter { $0.wants(event) }
        routes[type] = found
        return found
    }
}

/// One handler: what it wants, and from which number on.
private final class Subscriber {
    let wants: (any Event) -> Bool
    let handler: (SentEvent) -> Void
    var next = 0
    var isActive = true

    init(wants: @escaping (any Event) -> Bool, handler: @escaping (SentEvent) -> Void) {
        self.wants = wants
        self.handler = handler
    }
}
