internal import Synchronization

/// The messages of a mailbox that wait for its reader.
protocol MessageQueue: Sendable {
    associatedtype Message: Sendable

    /// - Returns: whether the queue is full; then the sender is to pause.
    mutating func add(_ message: Message) -> Bool
    mutating func take() -> Message?
    /// Whether a queue that was full has room again; true once.
    mutating func hasRoomAgain() -> Bool
}

/// Passes messages to the task that reads them.
final class Mailbox<Queue: MessageQueue>: Sendable {
    private typealias Waiter = CheckedContinuation<Queue.Message?, any Error>

    private struct State {
        var queue: Queue
        var waiter: Waiter?
        var hasEnded = false
        /// Thrown once, after the last message.
        var error: ClientError?
    }

    private let state: Mutex<State>

    init(_ queue: Queue) {
        state = Mutex(State(queue: queue))
    }

    /// Passes a message to the reader, now or on its next request.
    ///
    /// - Returns: whether the sender is to pause.
    @discardableResult
    func send(_ message: Queue.Message) -> Bool {
        let (waiter, isFull): (Waiter?, Bool) = state.withLock { state in
            if state.hasEnded { return (nil, false) }
            if let waiter = state.waiter.take() { return (waiter, false) }
            return (nil, state.queue.add(message))
        }
        waiter?.resume(returning: message)
        return isFull
    }

    /// Ends the messages; those that wait can still be read.
    func finish(throwing error: ClientError?) {
        let waiter: Waiter? = state.withLock { state in
            if state.hasEnded { return nil }
            state.hasEnded = true
            if state.waiter == nil { state.error = error }
            return state.waiter.take()
        }
        if let error { waiter?.resume(throwing: error) } else { waiter?.resume(returning: nil) }
    }

    /// The next message; nil at the end, and if the task is cancelled. `resume` is called when the sender
    /// may resume.
    ///
    /// - Throws: the error that ended the messages, once.
    func next(resume: () -> Void = {}) async throws -> Queue.Message? {
        let (ready, mayResume): (Queue.Message?, Bool) = state.withLock { state in
            let message = state.queue.take()
            return (message, state.queue.hasRoomAgain())
        }
        if mayResume { resume() }
        if let ready { return ready }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Waiter) in
                let answer: Result<Queue.Message?, any Error>? = state.withLock { state in
                    precondition(
                        state.waiter == nil, "two tasks wait for the messages of one sequence")
                    if let message = state.queue.take() { return .success(message) }
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
