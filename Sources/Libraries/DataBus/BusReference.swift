/// What connections and wakeups know of their bus: nothing, once it has gone.
///
/// The bus clears it as its end begins. A weak reference would do the same, but from the first one on
/// each count of references to the bus takes a detour, several for every event that is sent.
final class BusReference {
    private unowned(unsafe) var reference: EventBus?

    /// The bus, while it lives.
    var bus: EventBus? {
        // It is cleared before the bus is released.
        get { unsafe reference }
        set { unsafe reference = newValue }
    }
}
