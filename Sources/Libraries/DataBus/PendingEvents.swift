internal import DequeModule

/// The queue of events to deliver.
struct PendingEvents {
    private var events = Deque<SentEvent>()
    /// The maximum length since the queue was last empty.
    private var peakCount = 0

    var count: Int { events.count }

    mutating func append(_ sent: SentEvent) {
        events.append(sent)
        peakCount = max(peakCount, events.count)
    }

    mutating func popFirst() -> SentEvent? {
        let first = events.popFirst()
        if events.isEmpty {
            // Release the memory of a burst, but not that of everyday use.
            if peakCount > 256 { events = [] }
            peakCount = 0
        }
        return first
    }
}
