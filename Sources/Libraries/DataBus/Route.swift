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
        calls.append(receiver.call)
        if receiver.call.wantsSentEvents { deliversSentEvents = true }
    }

    override func removeEnded() {
        receivers.removeAll { !$0.subscriber.isActive }
        calls = receivers.map { $0.call }
        deliversSentEvents = calls.contains { $0.wantsSentEvents }
    }
}

/// A call of a subscriber, and the objects that it needs, which it does not retain.
struct Receiver<E: Event> {
    let call: Call<E>
    let subscriber: Subscriber
    /// The object of a call with a cast.
    var cast: CastReceiver<E>?
}

/// A way to deliver events of one type: as their exact type, with or without their numbers, after a
/// cast, or as a `SentEvent`. Creating one is safe; each use is unsafe and states why it holds.
@usableFromInline
@safe
enum Call<E: Event> {
    case exactly(Unmanaged<TypedSubscriber<E>>)
    case numbered(Unmanaged<NumberedSubscriber<E>>)
    case cast(Unmanaged<CastReceiver<E>>)
    case anyEvent(Unmanaged<TypedSubscriber<any Event>>)
    case sent(Unmanaged<SentSubscriber>)

    var wantsSentEvents: Bool {
        switch self {
        case .exactly, .numbered, .cast: false
        case .anyEvent, .sent: true
        }
    }
}
