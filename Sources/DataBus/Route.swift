/// Which subscribers want events of one type.
@usableFromInline
class AnyRoute {
    @usableFromInline let type: ObjectIdentifier
    /// The number of the last subscriber that was asked whether it wants events of this type.
    @usableFromInline final var asked = 0

    init(type: ObjectIdentifier) {
        self.type = type
    }

    /// Takes out those that have ended.
    func removeEnded() {}
}

/// The subscribers that want events of type `E`, in order of subscription.
@usableFromInline
final class Route<E: Event>: AnyRoute {
    @usableFromInline var receivers: [Receiver<E>] = []

    init() {
        super.init(type: ObjectIdentifier(E.self))
    }

    override func removeEnded() {
        receivers.removeAll { !$0.subscriber.isActive }
    }
}
