/// The subscribers that want events of one type.
@usableFromInline
class AnyRoute {
    @usableFromInline let type: ObjectIdentifier
    /// The number of the last subscriber that was checked for this type.
    @usableFromInline final var asked = 0

    init(type: ObjectIdentifier) {
        self.type = type
    }

    /// Removes ended subscribers.
    func removeEnded() {}
}

/// The subscribers that want events of type `E`, in order of subscription.
///
/// `calls` lists the subscribers without reference counting, which would be half of the cost of a
/// delivery; `receivers` are the same, and keep them alive. Neither changes while handlers of this type
/// are called: new ones are appended when an event looks up its route, before its delivery, and ended
/// ones are removed when nothing is being delivered.
@usableFromInline
final class Route<E: Event>: AnyRoute {
    @usableFromInline private(set) var calls: [Call<E>] = []
    /// Whether some subscribers want a `SentEvent`.
    @usableFromInline private(set) var deliversSentEvents = false
    private var receivers: [Receiver<E>] = []

    init() {
        super.init(type: ObjectIdentifier(E.self))
    }

    func append(_ receiver: Receiver<E>) {
        receivers.append(receiver)
        calls.append(Call(receiver))
        if receiver.wantsSentEvents { deliversSentEvents = true }
    }

    override func removeEnded() {
        receivers.removeAll { !$0.subscriber.isActive }
        calls = receivers.map { Call($0) }
        deliversSentEvents = receivers.contains { $0.wantsSentEvents }
    }
}

/// A way to deliver events of one type: as their exact type, with or without their numbers, after a
/// cast, or as a `SentEvent`.
enum Receiver<E: Event> {
    case exactly(TypedSubscriber<E>)
    case numbered(NumberedSubscriber<E>)
    case cast(CastReceiver<E>)
    case anyEvent(TypedSubscriber<any Event>)
    case sent(SentSubscriber)

    var subscriber: any Subscriber {
        switch self {
        case .exactly(let subscriber): subscriber
        case .numbered(let subscriber): subscriber
        case .cast(let receiver): receiver.subscriber
        case .anyEvent(let subscriber): subscriber
        case .sent(let subscriber): subscriber
        }
    }

    var wantsSentEvents: Bool {
        switch self {
        case .exactly, .numbered, .cast: false
        case .anyEvent, .sent: true
        }
    }
}

/// An unretained receiver. Creating one is safe; each use is unsafe and states why it holds.
@usableFromInline
@safe
enum Call<E: Event> {
    case exactly(Unmanaged<TypedSubscriber<E>>)
    case numbered(Unmanaged<NumberedSubscriber<E>>)
    case cast(Unmanaged<CastReceiver<E>>)
    case anyEvent(Unmanaged<TypedSubscriber<any Event>>)
    case sent(Unmanaged<SentSubscriber>)

    init(_ receiver: Receiver<E>) {
        switch receiver {
        case .exactly(let subscriber): unsafe self = .exactly(.passUnretained(subscriber))
        case .numbered(let subscriber): unsafe self = .numbered(.passUnretained(subscriber))
        case .cast(let receiver): unsafe self = .cast(.passUnretained(receiver))
        case .anyEvent(let subscriber): unsafe self = .anyEvent(.passUnretained(subscriber))
        case .sent(let subscriber): unsafe self = .sent(.passUnretained(subscriber))
        }
    }
}
