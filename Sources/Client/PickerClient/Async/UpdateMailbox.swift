internal import Synchronization

// A mailbox for one update of a list. Later updates are merged with an unread one, so a slow reader gets
// fewer, larger updates, and the memory is that of one update, however much changes.

/// Passes updates from a list to the task that reads them.
final class UpdateMailbox: Sendable {
    private typealias Waiter = CheckedContinuation<ListUpdate?, any Error>

    private struct State {
        var update: ListUpdate?
        var waiter: Waiter?
        var hasEnded = false
        /// Thrown once, after the last update.
        var error: ClientError?
    }

    private let state = Mutex(State())

    /// Passes an update to the reader, now or on its next request.
    func send(_ update: ListUpdate) {
        let waiter: Waiter? = state.withLock { state in
            if state.hasEnded { return nil }
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            state.update = state.update?.merged(with: update) ?? update
            return nil
        }
        waiter?.resume(returning: update)
    }

    /// Ends the updates; an unread one can still be read.
    func finish(throwing error: ClientError?) {
        let waiter: Waiter? = state.withLock { state in
            if state.hasEnded { return nil }
            state.hasEnded = true
            defer { state.waiter = nil }
            if state.waiter == nil { state.error = error }
            return state.waiter
        }
        if let error { waiter?.resume(throwing: error) } else { waiter?.resume(returning: nil) }
    }

    /// The next update; nil at the end, and if the task is cancelled.
    ///
    /// - Throws: the error that ended the list, once.
    func next() async throws -> ListUpdate? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Waiter) in
                let answer: Result<ListUpdate?, any Error>? = state.withLock { state in
                    precondition(
                        state.waiter == nil, "two tasks wait for the updates of one list")
                    if let update = state.update.take() { return .success(update) }
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
