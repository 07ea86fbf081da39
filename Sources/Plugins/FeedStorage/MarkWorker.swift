package import PickerModel
package import StateFolder
internal import SystemInterface

/// The thread that stores marks, so that no other thread waits for the disk.
///
/// It opens the store and is its only user. It takes one task at a time and answers each with a callback on
/// this thread; the caller posts the answer to its own. Without work it sleeps.
///
/// After an error other than a full disk it closes the store and reports that. The stored data may then be
/// newer than the answers, so the next batch must replace everything.
///
/// Before and after each batch and on `check`, the worker verifies that the files are at their paths; if
/// not, that is such an error. Some seconds after the last batch the log is copied into the database (a
/// checkpoint), so that little of it can be damaged.
package final class MarkWorker: Sendable {
    /// The result of a task.
    package struct Answer: Sendable {
        /// The marks found by opening; nil for a batch.
        package var opened: [StoredMark]?
        package var error: StorageError?
        /// Whether the store is open. If not, the next batch must replace everything.
        package var isOpen: Bool
        /// Whether this reports files that are not at their paths rather than the result of a task.
        package var isUnasked = false
        /// Messages about faults, for the log.
        package var notes: [String] = []
    }

    private enum Task: Sendable {
        case open
        case write(MarkBatch)
        case finish(MarkBatch?)
        case check
    }

    /// The result of finishing.
    package enum End: Hashable, Sendable {
        case done
        /// The time is up; writing continues as long as the process runs.
        case late
        /// The files are not at their paths. The caller must finish again with all marks.
        case misplaced
    }

    private let worker: Worker<Task, Answer>

    /// Starts the thread, which waits for its first task.
    package init(
        _ store: any MarkStore, answer: @escaping @Sendable (Answer) -> Void
    ) throws(StorageError) {
        do throws(SystemError) {
            // Room for one task, checks before and after it, and the end.
            worker = try Worker(limit: 4, answer: answer) { desk in
                var writer = Writer(store: store)
                writer.run(desk)
            }
        } catch { throw .system(error) }
    }

    /// Opens the store as the first task, and waits for it.
    /// - Returns: the result; nil after the time limit, in which case the answer is posted as usual.
    package func openFirst(within milliseconds: Int32) -> Answer? {
        worker.ask(.open, within: milliseconds)
    }

    /// Opens the store again. The last task must have been answered.
    package func open() { worker.hand(over: .open) }

    /// Writes `batch`. The last task must have been answered.
    package func write(_ batch: MarkBatch) { worker.hand(over: .write(batch)) }

    /// Writes `batch` after the current task, closes the store and ends the thread. No answer is posted, unless
    /// the time is up.
    ///
    /// - Returns: the result within the time. After `.misplaced` call this once more, with a batch that
    ///   replaces everything.
    package func finish(writing batch: MarkBatch?, within milliseconds: Int32) -> End {
        guard let answer = worker.ask(.finish(batch), within: milliseconds) else { return .late }
        return answer.error?.code == .misplaced ? .misplaced : .done
    }

    /// Verifies the paths of the files. An answer follows only if a file is not at its path.
    package func check() {
        worker.post(.check) { last in
            if case .check = last { true } else { false }
        }
    }
}

// MARK: - On the thread

extension MarkWorker {
    /// Writes to the store, exclusively.
    private struct Writer {
        /// The time from the last batch to the checkpoint, in milliseconds.
        private static let checkpointDelay: Int32 = 3000

        let store: any MarkStore
        /// The store while it is open.
        var connection: (any MarkConnection)?
        /// Whether the store must be set aside when it is opened again.
        var isDamaged = false
        /// The database that was open last.
        var known: FileIdentity?
        /// Whether the log may have contents.
        var hasLog = false

        mutating func run(_ desk: Worker<Task, Answer>.Desk) {
            while true {
                switch desk.next(within: hasLog ? Self.checkpointDelay : nil) {
                case .open?: desk.answer(open())
                case .write(let batch)?: desk.answer(write(batch))
                case .check?:
                    guard let error = misplacement() else { break }
                    desk.tell(Answer(error: error, isOpen: false, isUnasked: true))
                case .finish(let batch)?:
                    let error = batch.map { write($0).error } ?? misplacement()
                    let isDone = error?.code != .misplaced
                    if isDone { connection = nil }
                    desk.answer(Answer(error: error, isOpen: false))
                    if isDone { return }
                case nil:
                    if hasLog { connection?.checkpoint() }
                    hasLog = false
                }
            }
        }

        /// The error if a file of the open store is not at its path; the store is then closed.
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

        /// Opens the store and remembers its identity.
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
                return Answer(opened: opened.marks, isOpen: true, notes: opened.notes)
            } catch {
                return Answer(error: error, isOpen: false)
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
                return Answer(isOpen: true, notes: notes)
            } catch {
                if error.code == .damaged { isDamaged = true }
                if error.code != .full { connection = nil }
                return Answer(error: error, isOpen: connection != nil, notes: notes)
            }
        }
    }
}
