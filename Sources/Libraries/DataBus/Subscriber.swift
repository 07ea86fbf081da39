/// A subscriber with one handler. The handler is released when the subscription ends; the empty
/// subscriber may stay in place for a while.
///
/// The usable parts of this file are for code of the bus that is inlined into other modules.
protocol Subscriber: AnyObject {
    /// The position in the order of subscription, starting at 1.
    var number: Int { get }
    /// The number of the first event to deliver live.
    var next: Int { get }
    var isActive: Bool { get }

    /// The receiver for events of the type of `event`, or `nil` if the subscriber doesn't want them.
    func receiver<E: Event>(for event: E) -> Receiver<E>?

    /// Releases the handler.
    func end()
}

/// A subscriber of events that are a `T`.
@usableFromInline
final class TypedSubscriber<T>: Subscriber {
    let number: Int
    @usableFromInline let next: Int
    private(set) var handler: ((T) -> Void)?

    init(number: Int, next: Int, handler: @escaping (T) -> Void) {
        self.number = number
        self.next = next
        self.handler = handler
    }

    var isActive: Bool { handler != nil }

    /// Calls the handler, which is retained while it runs. Not specialized, like the handler itself: for
    /// a known `T`, the handler would first have to be converted, which may allocate.
    @usableFromInline
    @inline(never)
    func receive(_ event: T) {
        if let handler { handler(event) }
    }

    func receiver<E: Event>(for event: E) -> Receiver<E>? {
        if let exact = self as? TypedSubscriber<E> { return .exactly(exact) }
        if let all = self as? TypedSubscriber<any Event> { return .anyEvent(all) }
        guard event is T else { return nil }
        return .cast(
            CastReceiver(self) { event in
                if let handler = self.handler, let event = event as? T { handler(event) }
            })
    }

    func end() {
        // The handler's captures may have a `deinit` that calls back here.
        withExtendedLifetime(handler.take()) {}
    }
}

/// A subscriber of events of exactly the type `E`, with their numbers.
@usableFromInline
final class NumberedSubscriber<E: Event>: Subscriber {
    let number: Int
    @usableFromInline let next: Int
    private(set) var handler: ((E, EventBus.Stamp) -> Void)?

    init(number: Int, next: Int, handler: @escaping (E, EventBus.Stamp) -> Void) {
        self.number = number
        self.next = next
        self.handler = handler
    }

    var isActive: Bool { handler != nil }

    /// Not specialized, as in `TypedSubscriber`.
    @usableFromInline
    @inline(never)
    func receive(_ event: E, _ stamp: EventBus.Stamp) {
        if let handler { handler(event, stamp) }
    }

    func receiver<Sent: Event>(for event: Sent) -> Receiver<Sent>? {
        (self as? NumberedSubscriber<Sent>).map { .numbered($0) }
    }

    func end() { withExtendedLifetime(handler.take()) {} }
}

/// A receiver that casts events of type `E` for a subscriber of another type.
@usableFromInline
final class CastReceiver<E: Event> {
    let subscriber: any Subscriber
    @usableFromInline let next: Int
    @usableFromInline let handler: (E) -> Void

    init(_ subscriber: any Subscriber, handler: @escaping (E) -> Void) {
        self.subscriber = subscriber
        next = subscriber.next
        self.handler = handler
    }
}

/// A subscriber of `SentEvent`s of any type: of all, or of those whose topic matches a filter.
@usableFromInline
final class SentSubscriber: Subscriber {
    let number: Int
    @usableFromInline let next: Int
    private let filter: TopicFilter?
    private(set) var handler: ((SentEvent) -> Void)?

    init(
        number: Int, next: Int, filter: TopicFilter?, handler: @escaping (SentEvent) -> Void
    ) {
        self.number = number
        self.next = next
        self.filter = filter
        self.handler = handler
    }

    var isActive: Bool { handler != nil }

    func receiver<E: Event>(for event: E) -> Receiver<E>? { .sent(self) }

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

    func end() { withExtendedLifetime(handler.take()) {} }
}
