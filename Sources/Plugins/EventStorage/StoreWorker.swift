package import StateFolder
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
        case finish(Batch?, NumberMark?, isAgain: Bool)
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

    /// How often written events are brought to the disk, in milliseconds.
    private static let synchronizingPace: Int64 = 1000

    /// The store that the thread begins with, which takes it from here: whoever kept it as well would keep
    /// its folder locked after another has taken its place.
    private let first: Mutex<EventStore?>
    private let task = Mutex<Task?>(nil)
    private let wake: OwnedDescriptor
    private let finished: OwnedDescriptor
    private let isCheckWanted = Mutex(false)
    private let answer: @Sendable (Answer) -> Void
    private let openFolder: @Sendable () throws(StorageError) -> any StorageFolder

    /// Starts the thread, which owns `store` from now on. Its folder is opened again by `openFolder`,
    /// should it have gone.
    package init(
        _ store: EventStore,
        openFolder: @escaping @Sendable () throws(StorageError) -> any StorageFolder,
        answer: @escaping @Sendable (Answer) -> Void
    ) throws(StorageError) {
        first = Mutex(store)
        self.answer = answer
        self.openFolder = openFolder
        do throws(SystemError) {
            wake = try OwnedDescriptor.wakeUp()
            finished = try OwnedDescriptor.wakeUp()
            // The thread keeps this object alive until it ends.
            try WorkerThread.start { [self] in run() }
        } catch { throw .system(error) }
    }

    /// Has `batch` written. The last one must have been answered.
    package func write(_ batch: Batch) { hand(over: .write(batch)) }

    /// Has `batch` written, although there was an error before: the reason for it may be gone. What is not
    /// in its place any more is made anew. The last batch must have been answered.
    package func retry(_ batch: Batch, marking: Marking) { hand(over: .retry(batch, marking)) }

    /// Has it looked whether all is in its place. This is answered, unasked, only if it is not.
    package func check() {
        isCheckWanted.withLock { $0 = true }
        wake.signalWakeUp()
    }

    /// Has `batch` written and all of it brought to the disk, closes `mark`, and ends the thread.
    /// Nothing is answered. `batch` takes the place of one that has not been begun, and so had
    /// better hold all that has not been answered; what is stored twice is stored once.
    ///
    /// After an error events may be missing, which is no disorder: the mark tells the last number.
    ///
    /// - Returns: what came of it within the time. After `.misplaced` it is to be called once more: `isAgain`.
    package func finish(
        writing batch: Batch?, marking mark: NumberMark?, isAgain: Bool = false,
        within milliseconds: Int32
    ) -> End {
        hand(over: .finish(batch, mark, isAgain: isAgain))
        finished.waitUntilReadable(milliseconds: milliseconds)
        finished.clearWakeUp()
        return outcome.withLock { $0 }
    }

    private let outcome = Mutex(End.late)

    private func hand(over new: Task) {
        task.withLock { $0 = new }
        wake.signalWakeUp()
    }
}

// MARK: - On the thread

extension StoreWorker {
    private func run() {
        guard var store = first.withLock({ $0.take() }) else { return }
        var error: StorageError?
        var lastSynchronized: Int64 = 0
        while true {
            wake.waitUntilReadable(
                milliseconds: store.needsSynchronizing && error == nil
                    ? Int32(Self.synchronizingPace) : nil)
            wake.clearWakeUp()
            let isCheck = isCheckWanted.withLock { wanted in
                defer { wanted = false }
                return wanted
            }
            let next = task.withLock { $0.take() }
            var made: (mark: NumberMark?, notes: [String]) = (nil, [])
            do throws(StorageError) {
                switch next {
                case .write(let batch):
                    if error == nil { try Self.write(batch, to: &store) }
                case .retry(let batch, let marking):
                    error = nil
                    made = try prepareAgain(&store, marking)
                    try Self.write(batch, to: &store)
                case .finish(let batch, let mark, let isAgain):
                    // Nothing is written behind an error but for another try.
                    let batch = error == nil || isAgain ? batch : nil
                    let end = finish(batch, mark, &store, isAgain)
                    outcome.withLock { $0 = end }
                    finished.signalWakeUp()
                    if end != .misplaced { return }
                    continue
                case nil: if isCheck, error == nil { try store.requireInPlace() }
                }
                let now = SystemClock.monotonicNanoseconds() / 1_000_000
                if error == nil, now - lastSynchronized >= Self.synchronizingPace {
                    try Self.inPlace(&store) { (store) throws(StorageError) in
                        try store.synchronize()
                    }
                    lastSynchronized = now
                }
            } catch let failure {
                error = failure
                if next == nil { report(store, error, isUnasked: true) }
            }
            if next != nil { report(store, error, made.mark, made.notes) }
        }
    }

    /// Does `work`. What fails in a folder that is not there any more fails for that.
    private static func inPlace(
        _ store: inout EventStore, _ work: (inout EventStore) throws(StorageError) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            try work(&store)
        } catch {
            try store.requireInPlace()
            throw error
        }
    }

    private static func write(
        _ batch: Batch, to store: inout EventStore
    ) throws(StorageError) {
        store.limits = batch.limits
        try inPlace(&store) { (store) throws(StorageError) in
            // First, as it makes room.
            try store.drop(before: batch.oldest)
            try store.append(batch.events)
        }
        // Last: what went to files that nobody finds again was not kept.
        try store.requireInPlace()
    }

    /// Makes the store ready for another try: as it is, if it is where it was, else anew.
    private func prepareAgain(
        _ store: inout EventStore, _ marking: Marking
    ) throws(StorageError) -> (NumberMark?, [String]) {
        store.mark = marking.file
        do throws(StorageError) {
            try store.requireInPlace()
            store.recover()
            return (nil, [])
        } catch {
            guard case .misplaced = error else { throw error }
            let new = try store.anew(marking.content, opening: openFolder)
            store = new.store
            return (new.mark, new.notes)
        }
    }

    private func finish(
        _ batch: Batch?, _ mark: NumberMark?, _ store: inout EventStore, _ isAgain: Bool
    ) -> End {
        var mark = mark
        do throws(StorageError) {
            if isAgain, let old = mark {
                let marking = Marking(file: old.identity, content: old.content)
                if let new = try prepareAgain(&store, marking).0 {
                    try old.invalidate()
                    mark = new
                }
            }
            if let batch {
                try Self.write(batch, to: &store)
                try store.synchronize()
            }
            try Self.close(mark)
            return .done
        } catch {
            if case .misplaced = error, !isAgain { return .misplaced }
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
        _ store: EventStore, _ error: StorageError?, _ mark: NumberMark? = nil,
        _ notes: [String] = [], isUnasked: Bool = false
    ) {
        answer(
            Answer(
                storedThrough: store.storedThrough, bytes: store.bytes, error: error,
                isUnasked: isUnasked, mark: mark, notes: notes))
    }
}
