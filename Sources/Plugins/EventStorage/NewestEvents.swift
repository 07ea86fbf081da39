/// The last events of a segment, as many as may be kept.
struct NewestEvents {
    private let limits: EventStore.Limits
    private var all: [(event: StoredEvent, size: Int)] = []
    private var start = 0
    private var bytes = 0

    init(_ limits: EventStore.Limits) {
        self.limits = limits
    }

    var events: [StoredEvent] { all[start...].map(\.event) }

    mutating func append(_ event: StoredEvent, size: Int) {
        all.append((event, size))
        bytes += size
        while all.count - start > limits.count || bytes > limits.bytes {
            bytes -= all[start].size
            start += 1
        }
        if start > 1024, start > all.count / 2 {
            all.removeSubrange(..<start)
            start = 0
        }
    }
}
