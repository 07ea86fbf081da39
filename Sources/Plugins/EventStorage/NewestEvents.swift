internal import DequeModule

/// The last events of a segment, within the limits.
struct NewestEvents {
    private let limits: EventStore.Limits
    private var all = Deque<(event: StoredEvent, size: Int)>()
    private var bytes = 0

    init(_ limits: EventStore.Limits) {
        self.limits = limits
    }

    var events: [StoredEvent] { all.map(\.event) }

    mutating func append(_ event: StoredEvent, size: Int) {
        all.append((event, size))
        bytes += size
        while all.count > limits.count || bytes > limits.bytes, let oldest = all.popFirst() {
            bytes -= oldest.size
        }
    }
}
