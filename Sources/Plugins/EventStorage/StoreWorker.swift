package import StateFolder
internal import Synchronization
internal import SystemInterface

/// The thread that writes events, so that no other thread waits for the disk.
///
/// It takes one batch at a time: the next may follow after the answer to the last. Written events are
/// flushed to the disk about once a second; without work the thread sleeps. The answer callback runs on
/// this thread; the caller posts it to its own.
///
/// After an error all batches fail with it until `retry`.
///
/// After each batch and on `check`, the worker verifies that the folder and its files are still at their
/// paths. If not, that is an error, and `retry` creates them again.
package final class StoreWorker: Sendable {
    /// Events to write, and the range of events that are still wanted.
    package struct Batch: Sendable {
        package var events: [StoredEvent]
        /// The number of the oldest wanted event.
        package var oldest: Int
        package var limits: EventStore.Limits

        package init(events: [StoredEvent], oldest: Int, limits: EventStore.Limits) {
            self.events = events
            self.oldest = oldest
            self.limits = limits
        }
    }

    /// The state of the store after a batch.
    package struct Answer: Sendable {
        /// All events up to this number are stored or were skipped.
        package var storedThrough: Int
        /// The size of the store, in bytes.
        package var bytes: Int
        /// The reason why no more events are stored; nil without an error.
        package var error: StorageError?
        /// Whether this reports a later failure rather than the result of a batch.
        package var isUnasked: Bool
        /// The mark of a recreated folder, which replaces the old mark. It is valid after its first
        /// `store`.
        package var mark: NumberMark?
        /// Messages about faults, for the log.
        package var notes: [String] = []
    }

    private enum Task: Sendable {
        case write(Batch)
        case retry(Batch, Marking)
        case check
        case finish(Batch?, NumberMark?, isAgain: Bool)
    }

    /// The state of the mark, for recreating a store.
    package struct Marking: Sendable {
        /// The file of the mark; nil if there is none.
        package var file: FileIdentity?
        package var content: NumberMark.Content

        package init(file: FileIdentity?, content: NumberMark.Content) {
            self.file = file
            self.content = content
        }
    }

    /// The result of finishing.
    package enum End: Hashable, Sendable {
        case done
        /// The time is up; writing continues as long as the process runs.
        case late
        /// A file of the store is not at its path. The caller must finish again with all events that are to
        /// be stored.
        case misplaced
        case failed(StorageError)
    }

    private let worker: Worker<Task, Answer>

    /// Starts the thread, which owns `store` from now on. If the folder is gone, `openFolder` opens it
    /// again.
    package init(
        _ store: EventStore,
        openFolder: @escaping @Sendable () throws(StorageError) -> any StorageFolder,
        answer: @escaping @Sendable (Answer) -> Void
    ) throws(StorageError) {
        // The thread takes the store out of the mutex: a second reference would keep the lock of a folder
        // that was replaced.
        let first = Mutex<EventStore?>(store)
        do throws(SystemError) {
            // Room for one batch, one check, and the end.
            worker = try Worker(limit: 4, answer: answer) { desk in
                // A local variable for the store would keep it as long as the thread lives.
                var writer = first.withLock { $0.take() }.map {
                    Writer(store: $0, openFolder: openFolder)
                }
                writer?.run(desk)
            }
        } catch { throw .system(error) }
    }

    /// Writes `batch`. The last batch must have been answered.
    package func write(_ batch: Batch) { worker.hand(over: .write(batch)) }

    /// Writes `batch` after an error, whose cause may be gone. Files that are not at their paths are
    /// created again. The last batch must have been answered.
    package func retry(_ batch: Batch, marking: Marking) {
        worker.hand(over: .retry(batch, marking))
    }

    /// Verifies the paths of the files. An answer follows only if a file is not at its path.
    package func check() {
        // Each batch ends with a check anyway, and so does finishing.
        worker.post(.check, unlessLast: { _ in true })
    }

    /// Writes `batch`, flushes everything to the disk, closes `mark` and ends the thread. No answer is
    /// posted, unless the time is up. `batch` should contain all unanswered events; events that are stored
    /// already are skipped.
    ///
    /// Events may be missing after an error. The end still counts as clean, because the mark holds the last
    /// number.
    ///
    /// - Returns: the result within the time. After `.misplaced` call this once more with `isAgain`.
    package func finish(
        writing batch: Batch?, marking mark: NumberMark?, isAgain: Bool = false,
        within milliseconds: Int32
    ) -> End {
        let task = Task.finish(batch, mark, isAgain: isAgain)
        guard let answer = worker.ask(task, within: milliseconds) else { return .late }
        guard let error = answer.error else { return .done }
        return error.code == .misplaced && !isAgain ? .misplaced : .failed(error)
    }
}

// MARK: - On the thread

extension StoreWorker {
    /// Writes to the store, which it owns.
    private struct Writer {
        /// The time between two flushes to the disk, in milliseconds.
        private static let synchronizingPace: Int64 = 1000

        var store: EventStore
        let openFolder: @Sendable () throws(StorageError) -> any StorageFolder
        var error: StorageError?
        var lastSynchronized: Int64 = 0

        mutating func run(_ desk: Worker<Task, Answer>.Desk) {
            while true {
                let task = desk.next(
                    within: store.needsSynchronizing && error == nil
                        ? Int32(Self.synchronizingPace) : nil)
                if case .finish(let batch, let mark, let isAgain)? = task {
                    var end = report()
                    end.error = finish(batch, mark, isAgain)
                    desk.answer(end)
                    if end.error?.code != .misplaced || isAgain { return }
                    continue
                }
                var made: (mark: NumberMark?, notes: [String]) = (nil, [])
                var isNewError = false
                do throws(StorageError) {
                    switch task {
                    case .write(let batch)?: if error == nil { try write(batch) }
                    case .retry(let batch, let marking)?:
                        error = nil
                        made = try prepareRetry(marking)
                        try write(batch)
                    case .check?: if error == nil { try store.requireInPlace() }
                    case .finish?, nil: break
                    }
                    try synchronize()
                } catch let failure {
                    error = failure
                    isNewError = true
                }
                switch task {
                case .write?, .retry?: desk.answer(report(made.mark, made.notes))
                default: if isNewError { desk.tell(report(isUnasked: true)) }
                }
            }
        }

        /// Flushes to the disk if the last flush is long enough ago.
        private mutating func synchronize() throws(StorageError) {
            let now = SystemClock.monotonicNanoseconds() / 1_000_000
            guard error == nil, now - lastSynchronized >= Self.synchronizingPace else { return }
            try inPlace { (store) throws(StorageError) in try store.synchronize() }
            lastSynchronized = now
        }

        /// Runs `work`. If it fails and a file is not at its path, the error is `.misplaced`.
        private mutating func inPlace(
            _ work: (inout EventStore) throws(StorageError) -> Void
        ) throws(StorageError) {
            do throws(StorageError) {
                try work(&store)
            } catch {
                try store.requireInPlace()
                throw error
            }
        }

        private mutating func write(_ batch: Batch) throws(StorageError) {
            store.limits = batch.limits
            try inPlace { (store) throws(StorageError) in
                // First, because it frees space.
                try store.drop(before: batch.oldest)
                try store.append(batch.events)
            }
            // Last: data in files that are not at their paths is not stored.
            try store.requireInPlace()
        }

        /// Prepares the store for a retry: recovers it if its files are at their paths, else recreates it.
        private mutating func prepareRetry(
            _ marking: Marking
        ) throws(StorageError) -> (NumberMark?, [String]) {
            store.mark = marking.file
            do throws(StorageError) {
                try store.requireInPlace()
                store.recover()
                return (nil, [])
            } catch {
                guard error.code == .misplaced else { throw error }
                let new = try store.recreated(marking.content, opening: openFolder)
                store = new.store
                return (new.mark, new.notes)
            }
        }

        /// - Returns: the error; nil after a clean end.
        private mutating func finish(
            _ batch: Batch?, _ mark: NumberMark?, _ isAgain: Bool
        ) -> StorageError? {
            var mark = mark
            do throws(StorageError) {
                if isAgain, let old = mark {
                    let marking = Marking(file: old.identity, content: old.content)
                    if let new = try prepareRetry(marking).0 {
                        try old.invalidate()
                        mark = new
                    }
                }
                if let batch {
                    // After an error only a retry writes.
                    if let error, !isAgain { throw error }
                    try write(batch)
                    try store.synchronize()
                }
                try Self.close(mark)
                return nil
            } catch {
                if error.code == .misplaced, !isAgain { return error }
                // Missing events do not make the end unclean.
                try? Self.close(mark)
                return error
            }
        }

        private static func close(_ mark: NumberMark?) throws(StorageError) {
            guard var mark else { return }
            try mark.close(at: mark.content.lastNumber)
        }

        private func report(
            _ mark: NumberMark? = nil, _ notes: [String] = [], isUnasked: Bool = false
        ) -> Answer {
            Answer(
                storedThrough: store.storedThrough, bytes: store.bytes, error: error,
                isUnasked: isUnasked, mark: mark, notes: notes)
        }
    }
}
