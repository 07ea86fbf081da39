internal import DequeModule
internal import Synchronization

// A buffer between a feed and its reader. When it holds `limit` messages or `byteLimit` bytes of data, the
// feed is paused: its connection is not read, and events wait in the daemon, which keeps what it keeps for
// all clients and reports the rest as lost. When the buffer is half empty, the feed resumes.

/// Passes messages from a feed to the task that reads them.
final class EventBuffer: Sendable {
    /// A message, and the position after it.
    struct Entry: Sendable {
        let message: FeedMessage
        let position: EventPosition?

        /// The approximate size in bytes.
        var size: Int {
            if case .event(let event) = message { event.dataCount + 256 } else { 256 }
        }
    }

    private typealias Waiter = CheckedContinuation<Entry?, any Error>

    private struct State {
        var entries = Deque<Entry>()
        var bytes = 0
        var isFull = false
        var waiter: Waiter?
        var hasEnded = false
        /// Thrown once, after the last message.
        var error: ClientError?

        mutating func takeFirst() -> Entry? {
            let entry = entries.popFirst()
            bytes -= entry?.size ?? 0
            return entry
        }
    }

    static let byteLimit = 1 << 20

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Passes a message to the reader, now or on its next request.
    ///
    /// - Returns: whether to pause the feed.
    func add(_ message: FeedMessage, at position: EventPosition?) -> Bool {
        let entry = Entry(message: message, position: position)
        let (waiter, isFull): (Waiter?, Bool) = state.withLock { state in
            if state.hasEnded { return (nil, false) }
            if let waiter = state.waiter.take() { return (waiter, false) }
            state.entries.append(entry)
            state.bytes += entry.size
            state.isFull = state.entries.count >= limit || state.bytes >= Self.byteLimit
            return (nil, state.isFull)
        }
        waiter?.resume(returning: entry)
        return isFull
    }

    /// Ends the messages; buffered ones can still be read.
    func finish(throwing error: ClientError?) {
        let waiter: Waiter? = state.withLock { state in
            if state.hasEnded { return nil }
            state.hasEnded = true
            if state.waiter == nil { state.error = error }
            return state.waiter.take()
        }
        if let error { waiter?.resume(throwing: error) } else { waiter?.resume(returning: nil) }
    }

    /// The next message; nil at the end, and if the task is cancelled. `resume` is called when the feed may
    /// resume.
    ///
    /// - Throws: the error that ended the feed, once.
    func next(resume: () -> Void) async throws -> Entry? {
        let (ready, mayResume): (Entry?, Bool) = state.withLock { state in
            let entry = state.takeFirst()
            guard state.isFull, state.entries.count <= limit / 2,
                state.bytes <= Self.byteLimit / 2
            else {
                return (entry, false)
            }
            state.isFull = false
            return (entry, true)
        }
        if mayResume { resume() }
        if let ready { return ready }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Waiter) in
                let answer: Result<Entry?, any Error>? = state.withLock { state in
                    precondition(
                        state.waiter == nil, "two tasks wait for the events of one sequence")
                    if let entry = state.takeFirst() { return .success(entry) }
                    if let error = state.error.take() { return .failure(error) }
                    if state.hasEnded || Task.isCancelled { return .success(nil) }
                    state.waiter = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiter.take() }
            waiter?.resume(returning: nil)
        }
    }
}
