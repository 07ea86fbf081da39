// Observables in `for await`. Both sequences belong to the observable's owner: the actor or the task
// that uses the observable iterates them. Nothing is queued for a slow reader: its unread changes are
// merged into one, and of unread values only the latest is kept.

internal import Synchronization

/// The changes of an observable, for `for await`.
///
/// Changes during the loop's body are merged into one, so a slow reader costs no memory and misses
/// nothing.
public struct AsyncChanges<Observed: ObservableType>: AsyncSequence {
    /// A change of the observable.
    public typealias Element = Observed.Change
    /// It never throws.
    public typealias Failure = Never

    let observed: Observed

    /// Starts observing: the first element is the first change after this call.
    public func makeAsyncIterator() -> Iterator { Iterator(observed) }

    /// The iterator of the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let inbox: Inbox<Observed.Change>

        init(_ observed: Observed) {
            inbox = Inbox(observed)
        }

        /// The next change; `nil` once the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Observed.Change? {
            while await inbox.bell.wait(isolation: actor) {
                if let change = inbox.takeChange(), !change.isEmpty { return change }
            }
            return nil
        }
    }
}

/// The current value of an observable, and its value after each later change, for `for await`.
///
/// After changes during the loop's body, the next value is their result.
public struct AsyncValues<Observed: ObservableType>: AsyncSequence {
    /// A value of the observable.
    public typealias Element = Observed.Change.Value
    /// It never throws.
    public typealias Failure = Never

    let observed: Observed

    /// Starts observing.
    public func makeAsyncIterator() -> Iterator { Iterator(observed) }

    /// The iterator of the values.
    public struct Iterator: AsyncIteratorProtocol {
        private let observed: Observed
        private let inbox: Inbox<Observed.Change>
        private var hasBegun = false

        init(_ observed: Observed) {
            self.observed = observed
            inbox = Inbox(observed)
        }

        /// The current value on the first call, later the value after its next change; `nil` once the
        /// task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Observed.Change.Value? {
            if !hasBegun {
                hasBegun = true
                return Task.isCancelled ? nil : observed.value
            }
            while await inbox.bell.wait(isolation: actor) {
                if let change = inbox.takeChange(), !change.isEmpty { return observed.value }
            }
            return nil
        }
    }
}

extension ObservableType {
    /// The changes from the start of the loop, as an asynchronous sequence, which ends when its task is
    /// cancelled.
    ///
    /// Iterate it where the observable is used: in its actor, or in its task. In a task outside of any
    /// actor, no other code can write meanwhile, so the loop's body has to.
    ///
    /// - Complexity: one merge for each change that the reader has not read yet.
    public var asyncChanges: AsyncChanges<Self> { AsyncChanges(observed: self) }

    /// The current value, and the value after later changes, as an asynchronous sequence, which ends
    /// when its task is cancelled. See ``asyncChanges``.
    ///
    /// - Complexity: that of ``asyncChanges``, and one read of the value per iteration.
    public var asyncValues: AsyncValues<Self> { AsyncValues(observed: self) }
}

/// The merged changes since the last call of `takeChange`.
final class Inbox<Change: ChangeType> {
    private var pending: Change?
    private var connection: Connection?
    let bell = Bell()

    init(_ observed: some ObservableType<Change>) {
        connection = observed.connect { [unowned self] change in
            pending = pending?.merged(with: change) ?? change
            bell.ring()
        }
    }

    func takeChange() -> Change? {
        defer { pending = nil }
        return pending
    }
}

/// Lets one task wait for an event. Cancellation may come from any thread, hence the lock.
final class Bell: Sendable {
    private struct State {
        var hasRung = false
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?

        mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
            defer { waiting = nil }
            return waiting
        }
    }

    private let state = Mutex(State())

    /// Ends the current wait, or the next one.
    func ring() {
        state.withLock { state in
            state.hasRung = true
            return state.takeWaiting()
        }?.resume()
    }

    private func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.takeWaiting()
        }?.resume()
    }

    /// Waits for a ring since the last wait. Returns false if the task is cancelled instead.
    func wait(isolation actor: isolated (any Actor)?) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                let isOver = state.withLock { state in
                    if state.hasRung || state.isCancelled { return true }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
        return state.withLock { state in
            state.hasRung = false
            return !state.isCancelled
        }
    }
}
