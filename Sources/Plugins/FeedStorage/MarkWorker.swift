package import PickerModel
package import StateFolder
internal import SystemInterface

/// The thread that stores marks, so that nobody else waits for a disk.
///
/// It opens the store and is the only one to use it. It is handed one task at a time and answers each by
/// a call on this thread, which had better post it to whoever it is for. With nothing to do it sleeps.
///
/// After an error other than a full disk it closes the store, and says so: what is stored may then
/// be more than was answered, so the next batch must replace all.
///
/// Whether the files are still where they were opened is looked at before and behind each batch, and when
/// `check` asks for it; if they are not, that is such an error. Some seconds after the last batch the log
/// is brought into the database, so that there is little of it that could be damaged.
package final class MarkWorker: Sendable {
    /// What came of a task.
    package struct Answer: Sendable {
        /// What an opening found; nil for a batch.
        package var opened: [StoredMark]?
        package var error: StorageError?
        /// Whether the store is open. If not, the next batch must replace all.
        package var isOpen: Bool
        /// No task is answered by this: a check found the files misplaced.
        package var isUnasked = false
        /// What was wrong, in words for the log.
        package var notes: [String]
    }

    private enum Task: Sendable {
        case open
        case write(MarkBatch)
        case finish(MarkBatch?)
        case check
    }

    private enum Result: Sendable {
        case answer(Answer)
        case end(End)
    }

    /// What came of the end.
    package enum End: Hashable, Sendable {
        case done
        /// It goes on, for as long as the process does.
        case late
        /// The files are not where they were: all that is to be stored is asked for, by another call.
        case misplaced
    }

    private let worker: Worker<Task, Result>

    /// Starts the thread, which does nothing yet.
    package init(
        _ store: any MarkStore, answer: @escaping @Sendable (Answer) -> Void
    ) throws(StorageError) {
        do throws(SystemError) {
            // One task at a time, a look before and behind it, and the end.
            worker = try Worker(
                limit: 4, answer: { if case .answer(let result) = $0 { answer(result) } }
            ) { desk in
                var writer = Writer(store: store)
                writer.run(desk)
            }
        } catch { throw .system(error) }
    }

    /// Has the store opened, as the first task of all, and waits for that.
    /// - Returns: what came of it; nil if it takes longer, in which case it is answered like others.
    package func openFirst(within milliseconds: Int32) -> Answer? {
        let result = worker.ask(.open, within: milliseconds)
        if case .answer(let answer)? = result { return answer }
        return nil
    }

    /// Has the store opened again. The last task must have been answered.
    package func open() { hand(over: .open) }

    /// Has `batch` written. The last task must have been answered.
    package func write(_ batch: MarkBatch) { hand(over: .write(batch)) }

    /// Has `batch` written after what is under way, closes the store and ends the thread. Nothing of
    /// this is answered.
    ///
    /// - Returns: what came of it within the time. After `.misplaced` it is to be called once more, with a
    ///   batch that replaces all.
    package func finish(writing batch: MarkBatch?, within milliseconds: Int32) -> End {
        let result = worker.ask(.finish(batch), within: milliseconds)
        if case .end(let end)? = result { return end }
        return .late
    }

    /// Has it looked whether the files are in their places. This is answered, unasked, only if not.
    package func check() {
        worker.post(.check) { last in
            if case .check = last { true } else { false }
        }
    }

    private func hand(over task: Task) {
        let isTaken = worker.post(task)
        assert(isTaken, "the last task has been answered")
    }
}

// MARK: - On the thread

extension MarkWorker {
    /// Writes to the store, which nobody else has open.
    private struct Writer {
        /// From the last batch to when the log is brought into the database, in milliseconds.
        private static let checkpointDelay: Int32 = 3000

        let store: any MarkStore
        /// The store while it is open.
        private var connection: (any MarkConnection)?
        /// Whether the store is to be put aside when it is opened again.
        private var isDamaged = false
        /// The last database that was open.
        private var known: FileIdentity?
        /// Whether there may be something in the log.
        private var hasLog = false

        init(store: any MarkStore) { self.store = store }

        mutating func run(_ desk: Worker<Task, Result>.Desk) {
            while true {
                switch desk.next(within: hasLog ? Self.checkpointDelay : nil) {
                case .open?: desk.answer(.answer(open()))
                case .write(let batch)?: desk.answer(.answer(write(batch)))
                case .check?:
                    guard let error = misplacement() else { break }
                    desk.tell(
                        .answer(
                            Answer(
                                opened: nil, error: error, isOpen: false, isUnasked: true, notes: []
                            )))
                case .finish(let batch)?:
                    let error = batch.map { write($0).error } ?? misplacement()
                    let end = error?.code == .misplaced ? End.misplaced : .done
                    if end == .done { connection = nil }
                    desk.answer(.end(end))
                    if end == .done { return }
                case nil:
                    if hasLog { connection?.checkpoint() }
                    hasLog = false
                }
            }
        }

        /// Whether the store is open and its files are not in their places; it is closed then.
        private mutating func misplacement() -> StorageError? {
            do throws(StorageError) {
                try connection?.requireInPlace()
                return nil
            } catch {
                connection = nil
                hasLog = false
                return error
            }
        }

        /// Opens the store, and counts it as it is found from then on.
        private mutating func open(_ opening: MarkOpening) throws(StorageError) -> OpenedMarks {
            connection = nil
            let opened = try store.open(opening)
            connection = opened.connection
            known = opened.connection.identity
            isDamaged = false
            hasLog = false
            return opened
        }

        private mutating func open() -> Answer {
            do throws(StorageError) {
                let opened = try open(isDamaged ? .knownDamaged : .asFound)
                return Answer(opened: opened.marks, error: nil, isOpen: true, notes: opened.notes)
            } catch {
                return Answer(opened: nil, error: error, isOpen: false, notes: [])
            }
        }

        private mutating func write(_ batch: MarkBatch) -> Answer {
            var notes: [String] = []
            do throws(StorageError) {
                if connection == nil {
                    guard batch.replacesAll else {
                        throw StorageError(.failed, "the store was closed by the error before")
                    }
                    notes = try open(isDamaged ? .knownDamaged : .replacing(known: known)).notes
                }
                hasLog = true
                try connection?.write(batch)
                return Answer(opened: nil, error: nil, isOpen: true, notes: notes)
            } catch {
                if error.code == .damaged { isDamaged = true }
                if error.code != .full { connection = nil }
                return Answer(opened: nil, error: error, isOpen: connection != nil, notes: notes)
            }
        }
    }
}
