/// The reference of connections and wakeups to their bus, or `nil` after its release.
///
/// The bus clears it at the start of its `deinit`. A weak reference would do the same, but the first
/// weak reference slows down all later reference counting of the bus, which happens several times per
/// event.
final class BusReference {
    private unowned(unsafe) var reference: EventBus?

    /// The bus, while it lives.
    var bus: EventBus? {
        // The reference is cleared before the bus is released.
        get { unsafe reference }
        set { unsafe reference = newValue }
    }
}
