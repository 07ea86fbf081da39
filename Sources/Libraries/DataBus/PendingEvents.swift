internal import DequeModule

/// The events that wait for their delivery, in order.
struct PendingEvents {
    private var events = Deque<SentEvent>()
    /// The most that waited at once since nothing did.
    private var most = 0

    var count: Int { events.count }

    mutating func append(_ sent: SentEvent) {
        events.append(sent)
        most = max(most, events.count)
    }

    mutating func popFirst() -> SentEvent? {
        let first = events.popFirst()
        if events.isEmpty {
            // The room that a flood took is given back, that of everyday is not.
            if most > 256 { events = [] }
            most = 0
        }
        return first
    }
}
