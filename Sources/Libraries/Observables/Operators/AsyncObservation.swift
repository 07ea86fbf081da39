// Observables in `for await`. Both sequences belong to the observable's owner: they are gone through by the
// actor or the task that uses the observable. Nothing is queued for a reader that is slow: what it has not
// read yet is one change or one value, the merged or the latest one.

internal import Synchronization

/// The changes of an observable, for `for await`.
///
/// What happens while the loop's body runs is merged into one change, so a slow reader costs no memory and
/// misses nothing.
public struct AsyncChanges<Observed: ObservableType>: AsyncSequence {
    /// A change of the observable.
    public typealias Element = Observed.Change
    /// Nothing is thrown.
    public typealias Failure = Never

    let observed: Observed

    /// Begins to listen: the first change is the first after this.
    public func makeAsyncIterator() -> Iterator { Iterator(observed) }

    /// What a loop asks for one change after the other.
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
                if let change = inbox.take(), !change.isEmpty { return change }
            }
            return nil
        }
    }
}

/// The value of an observable now, and then as it is after changes, for `for await`.
///
/// Of what happens while the loop's body runs, the next value is the outcome.
public struct AsyncValues<Observed: ObservableType>: AsyncSequence {
    /// A value of the observable.
    public typealias Element = Observed.Change.Value
    /// Nothing is thrown.
    public typealias Failure = Never

    let observed: Observed

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(observed) }

    /// What a loop asks for one value after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let observed: Observed
        private let inbox: Inbox<Observed.Change>
        private var hasBegun = false

        init(_ observed: Observed) {
            self.observed = observed
            inbox = Inbox(observed)
        }

        /// The value, once it has changed since it was last given; `nil` once the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Observed.Change.Value? {
            if !hasBegun {
                hasBegun = true
                return Task.isCancelled ? nil : observed.value
            }
            while await inbox.bell.wait(isolation: actor) {
                if let change = inbox.take(), !change.isEmpty { return observed.value }
            }
            return nil
        }
    }
}

extension ObservableType {
    /// The changes from when a loop begins, as an asynchronous sequence, which ends when its task is
    /// cancelled.
    ///
    /// Go through it where the observable is used: in its actor, or in its task. In a task that no actor
    /// runs, nobody else can write meanwhile, and so the loop's body has to.
    ///
    /// - Complexity: for each change that waits for the reader, that of merging it with those before it.
    public var asyncChanges: AsyncChanges<Self> { AsyncChanges(observed: self) }

    /// The value now, and after changes the value then, as an asynchronous sequence, which ends when its
    /// task is cancelled. See ``asyncChanges``.
    ///
    /// - Complexity: that of ``asyncChanges``, and of reading the value for each round of the loop.
    public var asyncValues: AsyncValues<Self> { AsyncValues(observed: self) }
}

/// What was told since it was last taken, merged.
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

    func take() -> Change? {
        defer { pending = nil }
        return pending
    }
}

/// Lets one task wait until something has happened. Being cancelled comes from anywhere, hence the lock.
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

    /// Ends the wait, or the next one.
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
