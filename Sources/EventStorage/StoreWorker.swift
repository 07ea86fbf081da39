internal import Synchronization
internal import SystemInterface

/// The thread that writes events, so that nobody else waits for a disk.
///
/// It is handed batches, one at a time: the next may come when the last has been answered. What was
/// written is brought to the disk about once a second while there is any; with nothing to do the
/// thread sleeps. Only values go over and back, through a box that a mutex guards; the answer is
/// a call on this thread, which had better post it to whoever it is for.
///
/// The first error ends the writing: what comes after is answered with it, until `retry`.
package final class StoreWorker: Sendable {
    /// Events to keep, and from which number on events are still wanted.
    package struct Batch: Sendable {
        package var events: [StoredEvent]
        /// The number of the oldest event wanted.
        package var oldest: Int
        package var limits: EventStore.Limits

        package init(events: [StoredEvent], oldest: Int, limits: EventStore.Limits) {
            self.events = events
            self.oldest = oldest
            self.limits = limits
        }
    }

    /// How the store is after a batch.
    package struct Answer: Sendable {
        /// Events up to this number are kept, or will never be.
        package var storedThrough: Int
        /// The bytes of all that is kept.
        package var bytes: Int
        /// Why nothing more is kept; nil while all is well.
        package var error: StorageError?
        /// No batch is answered by this: the disk failed later.
        package var isUnasked: Bool
    }

    private enum Task: Sendable {
        case write(Batch, again: Bool)
        case finish(Batch?, NumberMark?)
    }

    /// How often written events are brought to the disk, in milliseconds.
    private static let synchronizingPace: Int64 = 1000

    private let task = Mutex<Task?>(nil)
    private let wake: OwnedDescriptor
    private let finished: OwnedDescriptor
    private let answer: @Sendable (Answer) -> Void

    /// Starts the thread, which owns `store` from now on.
    package init(
        _ store: EventStore, answer: @escaping @Sendable (Answer) -> Void
    ) throws(StorageError) {
        self.answer = answer
        do throws(SystemError) {
            wake = try OwnedDescriptor.wakeUp()
            finished = try OwnedDescriptor.wakeUp()
            // The thread keeps this object alive until it ends.
            try WorkerThread.start { [self] in run(store) }
        } catch { throw .system(error) }
    }

    /// Has `batch` written. The last one must have been answered.
    package func write(_ batch: Batch) { hand(over: .write(batch, again: false)) }

    /// Has `batch` written, although there was an error before: the reason for it may be gone.
    package func retry(_ batch: Batch) { hand(over: .write(batch, again: true)) }

    /// Has `batch` written and all of it brought to the disk, closes `mark`, and ends the thread.
    /// Nothing is answered. `batch` takes the place of one that has not been begun, and so had
    /// better hold all that has not been answered; what is stored twice is stored once.
    ///
    /// After an error events may be missing, which is no disorder: the mark tells the last number.
    ///
    /// - Returns: whether that was done within the time. Otherwise it goes on, for as long as the
    ///   process does.
    package func finish(
        writing batch: Batch?, marking mark: NumberMark?, within milliseconds: Int32
    ) -> Bool {
        hand(over: .finish(batch, mark))
        finished.waitUntilReadable(milliseconds: milliseconds)
        return isFinished.withLock { $0 }
    }

    private let isFinished = Mutex(false)

    private func hand(over new: Task) {
        task.withLock { $0 = new }
        wake.signalWakeUp()
    }
}

// MARK: - On the thread

extension StoreWorker {
    private func run(_ store: EventStore) {
        var store = store
        var error: StorageError?
        var lastSynchronized: Int64 = 0
        while true {
            wake.waitUntilReadable(
                milliseconds: store.needsSynchronizing && error == nil
                    ? Int32(Self.synchronizingPace) : nil)
            wake.clearWakeUp()
            let next = task.withLock { $0.take() }
            do throws(StorageError) {
                switch next {
                case .write(let batch, let again):
                    if again {
                        error = nil
                        store.recover()
                    }
                    if error == nil { try Self.write(batch, to: &store) }
                case .finish(let batch, let mark):
                    finish(batch, mark, &store, hasFailed: error != nil)
                    return end()
                case nil: break
                }
                let now = SystemClock.monotonicNanoseconds() / 1_000_000
                if error == nil, now - lastSynchronized >= Self.synchronizingPace {
                    try store.synchronize()
                    lastSynchronized = now
                }
            } catch let failure {
                error = failure
                if next == nil { report(store, error, isUnasked: true) }
            }
            if next != nil { report(store, error) }
        }
    }

    private static func write(
        _ batch: Batch, to store: inout EventStore
    ) throws(StorageError) {
        store.limits = batch.limits
        // First, as it makes room.
        try store.drop(before: batch.oldest)
        try store.append(batch.events)
    }

    private func finish(
        _ batch: Batch?, _ mark: NumberMark?, _ store: inout EventStore, hasFailed: Bool
    ) {
        // Nobody is left to be told of an error.
        if !hasFailed {
            if let batch { try? Self.write(batch, to: &store) }
            try? store.synchronize()
        }
        if var mark { try? mark.close(at: mark.content.lastNumber) }
    }

    private func report(
        _ store: EventStore, _ error: StorageError?, isUnasked: Bool = false
    ) {
        answer(
            Answer(
                storedThrough: store.storedThrough, bytes: store.bytes, error: error,
                isUnasked: isUnasked))
    }

    private func end() {
        isFinished.withLock { $0 = true }
        finished.signalWakeUp()
    }
}
