internal import DequeModule

// The messages of a feed that wait for the reader. When they are `limit` messages or `byteLimit` bytes of
// data, the feed is paused: its connection is not read, and events wait in the daemon, which keeps what it
// keeps for all clients and reports the rest as lost. When the queue is half empty, the feed resumes.

/// The messages of a feed, up to a limit.
struct EventQueue: MessageQueue {
    /// A message, and the position after it.
    struct Entry: Sendable {
        let message: FeedMessage
        let position: EventPosition?

        /// The approximate size in bytes.
        var size: Int {
            if case .event(let event) = message { event.dataCount + 256 } else { 256 }
        }
    }

    private static let byteLimit = 1 << 20

    private let limit: Int
    private var entries = Deque<Entry>()
    private var bytes = 0
    private var isFull = false

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    mutating func add(_ entry: Entry) -> Bool {
        entries.append(entry)
        bytes += entry.size
        isFull = entries.count >= limit || bytes >= Self.byteLimit
        return isFull
    }

    mutating func take() -> Entry? {
        let entry = entries.popFirst()
        bytes -= entry?.size ?? 0
        return entry
    }

    mutating func hasRoomAgain() -> Bool {
        guard isFull, entries.count <= limit / 2, bytes <= Self.byteLimit / 2 else { return false }
        isFull = false
        return true
    }
}
