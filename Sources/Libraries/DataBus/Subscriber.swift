/// A subscriber with one handler. The handler is released when the subscription ends; the empty
/// subscriber may stay in place for a while.
///
/// The usable parts of this file are for code of the bus that is inlined into other modules.
@usableFromInline
class Subscriber {
    /// The position in the order of subscription, starting at 1.
    final let number: Int
    /// The number of the first event to deliver live.
    @usableFromInline final let next: Int

    /// The next subscriber of `bus`, for events sent from now on.
    init(to bus: EventBus) {
        bus.lastSubscriber += 1
        number = bus.lastSubscriber
        next = bus.lastSequence + 1
    }

    var isActive: Bool { false }

    /// The receiver for events of the type of `event`, or `nil` if the subscriber doesn't want them.
    func receiver<E: Event>(for event: E) -> Receiver<E>? { nil }

    /// Releases the handler.
    func end() {}
}

/// A subscriber of events that are a `T`.
@usableFromInline
final class TypedSubscriber<T>: Subscriber {
    private(set) var handler: ((T) -> Void)?

    init(to bus: EventBus, handler: @escaping (T) -> Void) {
        self.handler = handler
        super.init(to: bus)
    }

    override var isActive: Bool { handler != nil }

    /// Calls the handler, which is retained while it runs. Not specialized, like the handler itself: for
    /// a known `T`, the handler would first have to be converted, which may allocate.
    @usableFromInline
    @inline(never)
    func receive(_ event: T) {
        if let handler { handler(event) }
    }

    override func receiver<E: Event>(for event: E) -> Receiver<E>? {
        if let exact = self as? TypedSubscriber<E> {
            return unsafe Receiver(call: .exactly(.passUnretained(exact)), subscriber: self)
        }
        if let all = self as? TypedSubscriber<any Event> {
            return unsafe Receiver(call: .anyEvent(.passUnretained(all)), subscriber: self)
        }
        guard event is T else { return nil }
        let cast = CastReceiver<E>(next: next) { event in
            if let handler = self.handler, let event = event as? T { handler(event) }
        }
        return unsafe Receiver(call: .cast(.passUnretained(cast)), subscriber: self, cast: cast)
    }

    override func end() {
        // The handler's captures may have a `deinit` that calls back here.
        withExtendedLifetime(handler.take()) {}
    }
}

/// A subscriber of events of exactly the type `E`, with their numbers.
@usableFromInline
final class NumberedSubscriber<E: Event>: Subscriber {
    private(set) var handler: ((E, EventBus.Stamp) -> Void)?

    init(to bus: EventBus, handler: @escaping (E, EventBus.Stamp) -> Void) {
        self.handler = handler
        super.init(to: bus)
    }

    override var isActive: Bool { handler != nil }

    /// Not specialized, as in `TypedSubscriber`.
    @usableFromInline
    @inline(never)
    func receive(_ event: E, _ stamp: EventBus.Stamp) {
        if let handler { handler(event, stamp) }
    }

    override func receiver<Sent: Event>(for event: Sent) -> Receiver<Sent>? {
        guard let exact = self as? NumberedSubscriber<Sent> else { return nil }
        return unsafe Receiver(call: .numbered(.passUnretained(exact)), subscriber: self)
    }

    override func end() { withExtendedLifetime(handler.take()) {} }
}

/// A receiver that casts events of type `E` for a subscriber of another type.
@usableFromInline
final class CastReceiver<E: Event> {
    @usableFromInline let next: Int
    @usableFromInline let handler: (E) -> Void

    init(next: Int, handler: @escaping (E) -> Void) {
        self.next = next
        self.handler = handler
    }
}

/// A subscriber of `SentEvent`s of any type: of all, or of those whose topic matches a filter.
@usableFromInline
final class SentSubscriber: Subscriber {
    private let filter: TopicFilter?
    private(set) var handler: ((SentEvent) -> Void)?

    init(to bus: EventBus, filter: TopicFilter?, handler: @escaping (SentEvent) -> Void) {
        self.filter = filter
        self.handler = handler
        super.init(to: bus)
    }

    override var isActive: Bool { handler != nil }

    override func receiver<E: Event>(for event: E) -> Receiver<E>? {
        unsafe Receiver(call: .sent(.passUnretained(self)), subscriber: self)
    }

    /// Whether the filter matches the event.
    func wants(_ sent: SentEvent) -> Bool {
        guard let filter else { return true }
        return filter.matches(sent.event.topic)
    }

    @usableFromInline
    func receive(_ sent: SentEvent) {
        guard handler != nil, wants(sent) else { return }
        // The topic is the user's code, too, and may have ended this subscription.
        handler?(sent)
    }

    override func end() { withExtendedLifetime(handler.take()) {} }
}
