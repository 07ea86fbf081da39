package import StateFolder
internal import Synchronization
internal import SystemInterface

/// The thread that writes events, so that nobody else waits for a disk.
///
/// It is handed batches, one at a time: the next may come when the last has been answered. What was
/// written is brought to the disk about once a second while there is any; with nothing to do the
/// thread sleeps. The answer is a call on this thread, which had better post it to whoever it is for.
///
/// The first error ends the writing: what comes after is answered with it, until `retry`.
///
/// Whether the folder and its files are still where they were made is looked at behind each batch, before
/// it is answered, and when `check` asks for it. If they are not, that is an error, and `retry` makes them
/// anew.
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
        /// The mark of a folder that was made anew, in the place of the one before: it counts from when it
        /// is first stored.
        package var mark: NumberMark?
        /// What was found there, in words for the log.
        package var notes: [String] = []
    }

    private enum Task: Sendable {
        case write(Batch)
        case retry(Batch, Marking)
        case check
        case finish(Batch?, NumberMark?, isAgain: Bool)
    }

    private enum Result: Sendable {
        case answer(Answer)
        case end(End)
    }

    /// What a store that is made anew needs to know of the mark.
    package struct Marking: Sendable {
        /// Its file; nil while there is none.
        package var file: FileIdentity?
        package var content: NumberMark.Content

        package init(file: FileIdentity?, content: NumberMark.Content) {
            self.file = file
            self.content = content
        }
    }

    /// What came of the end.
    package enum End: Hashable, Sendable {
        case done
        /// It goes on, for as long as the process does.
        case late
        /// Something of the store is not where it was made: all events that are to be kept are asked for, by
        /// another call.
        case misplaced
        case failed(StorageError)
    }

    private let worker: Worker<Task, Result>

    /// Starts the thread, which owns `store` from now on. Its folder is opened again by `openFolder`,
    /// should it have gone.
    package init(
        _ store: EventStore,
        openFolder: @escaping @Sendable () throws(StorageError) -> any StorageFolder,
        answer: @escaping @Sendable (Answer) -> Void
    ) throws(StorageError) {
        // The thread takes it from here: whoever kept it as well would keep its folder locked after another
        // has taken its place.
        let first = Mutex<EventStore?>(store)
        do throws(SystemError) {
            // One batch at a time, a look behind it, and the end.
            worker = try Worker(
                limit: 4, answer: { if case .answer(let result) = $0 { answer(result) } }
            ) { desk in
                // Not by a name of its own either, which would keep it as long as the thread lives.
                var writer = first.withLock { $0.take() }.map {
                    Writer(store: $0, openFolder: openFolder)
                }
                writer?.run(desk)
            }
        } catch { throw .system(error) }
    }

    /// Has `batch` written. The last one must have been answered.
    package func write(_ batch: Batch) { hand(over: .write(batch)) }

    /// Has `batch` written, although there was an error before: the reason for it may be gone. What is not
    /// in its place any more is made anew. The last batch must have been answered.
    package func retry(_ batch: Batch, marking: Marking) { hand(over: .retry(batch, marking)) }

    /// Has it looked whether all is in its place. This is answered, unasked, only if it is not.
    package func check() {
        // Each batch ends with a look, and so does an end that finds something amiss.
        worker.post(.check, unlessLast: { _ in true })
    }

    /// Has `batch` written and all of it brought to the disk, closes `mark`, and ends the thread.
    /// Nothing is answered. `batch` had better hold all that has not been answered; what is stored twice
    /// is stored once.
    ///
    /// After an error events may be missing, which is no disorder: the mark tells the last number.
    ///
    /// - Returns: what came of it within the time. After `.misplaced` it is to be called once more: `isAgain`.
    package func finish(
        writing batch: Batch?, marking mark: NumberMark?, isAgain: Bool = false,
        within milliseconds: Int32
    ) -> End {
        let result = worker.ask(.finish(batch, mark, isAgain: isAgain), within: milliseconds)
        if case .end(let end)? = result { return end }
        return .late
    }

    private func hand(over task: Task) {
        let isTaken = worker.post(task)
        assert(isTaken, "the last batch has been answered")
    }
}

// MARK: - On the thread

extension StoreWorker {
    /// Writes to the store, which it owns.
    private struct Writer {
        /// How often written events are brought to the disk, in milliseconds.
        private static let synchronizingPace: Int64 = 1000

        private var store: EventStore
        private let openFolder: @Sendable () throws(StorageError) -> any StorageFolder
        private var error: StorageError?
        private var lastSynchronized: Int64 = 0

        init(
            store: EventStore,
            openFolder: @escaping @Sendable () throws(StorageError) -> any StorageFolder
        ) {
            self.store = store
            self.openFolder = openFolder
        }

        mutating func run(_ desk: Worker<Task, Result>.Desk) {
            while true {
                let task = desk.next(
                    within: store.needsSynchronizing && error == nil
                        ? Int32(Self.synchronizingPace) : nil)
                if case .finish(let batch, let mark, let isAgain)? = task {
                    let end = finish(batch, mark, isAgain)
                    desk.answer(.end(end))
                    if end != .misplaced { return }
                    continue
                }
                var made: (mark: NumberMark?, notes: [String]) = (nil, [])
                var isNewError = false
                do throws(StorageError) {
                    switch task {
                    case .write(let batch)?: if error == nil { try write(batch) }
                    case .retry(let batch, let marking)?:
                        error = nil
                        made = try prepareAgain(marking)
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
                case .write?, .retry?: desk.answer(.answer(report(made.mark, made.notes)))
                default: if isNewError { desk.tell(.answer(report(isUnasked: true))) }
                }
            }
        }

        /// Brings what was written to the disk, if the last time is long enough ago.
        private mutating func synchronize() throws(StorageError) {
            let now = SystemClock.monotonicNanoseconds() / 1_000_000
            guard error == nil, now - lastSynchronized >= Self.synchronizingPace else { return }
            try inPlace { (store) throws(StorageError) in try store.synchronize() }
            lastSynchronized = now
        }

        /// Does `work`. What fails in a folder that is not there any more fails for that.
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
                // First, as it makes room.
                try store.drop(before: batch.oldest)
                try store.append(batch.events)
            }
            // Last: what went to files that nobody finds again was not kept.
            try store.requireInPlace()
        }

        /// Makes the store ready for another try: as it is, if it is where it was, else anew.
        private mutating func prepareAgain(
            _ marking: Marking
        ) throws(StorageError) -> (NumberMark?, [String]) {
            store.mark = marking.file
            do throws(StorageError) {
                try store.requireInPlace()
                store.recover()
                return (nil, [])
            } catch {
                guard error.code == .misplaced else { throw error }
                let new = try store.anew(marking.content, opening: openFolder)
                store = new.store
                return (new.mark, new.notes)
            }
        }

        private mutating func finish(
            _ batch: Batch?, _ mark: NumberMark?, _ isAgain: Bool
        ) -> End {
            var mark = mark
            do throws(StorageError) {
                if isAgain, let old = mark {
                    let marking = Marking(file: old.identity, content: old.content)
                    if let new = try prepareAgain(marking).0 {
                        try old.invalidate()
                        mark = new
                    }
                }
                if let batch {
                    // Nothing is written behind an error but for another try.
                    if let error, !isAgain { throw error }
                    try write(batch)
                    try store.synchronize()
                }
                try Self.close(mark)
                return .done
            } catch {
                if error.code == .misplaced, !isAgain { return .misplaced }
                // Events that are not stored are no disorder.
                try? Self.close(mark)
                return .failed(error)
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
