package import PickerModel
internal import StateFolder
internal import Synchronization
internal import SystemInterface

/// The thread that stores marks, so that nobody else waits for a disk.
///
/// It opens the store and is the only one to use it. It is handed one task at a time and answers each by
/// a call on this thread, which had better post it to whoever it is for. Only values go over and
/// back. With nothing to do it sleeps.
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
        package var error: MarkStoreError?
        /// Whether the store is open. If not, the next batch must replace all.
        package var isOpen: Bool
        /// No task is answered by this: a check found the files misplaced.
        package var isUnasked = false
        /// What was wrong, in words for the log.
        package var notes: [String]
    }

    private enum Task: Sendable {
        case openFirst
        case open
        case write(MarkBatch)
        case finish(MarkBatch?)
        case check
    }

    /// What came of the end.
    package enum End: Hashable, Sendable {
        case done
        /// It goes on, for as long as the process does.
        case late
        /// The files are not where they were: all that is to be stored is asked for, by another call.
        case misplaced
    }

    /// From the last batch to when the log is brought into the database, in milliseconds.
    private static let checkpointDelay: Int32 = 3000

    /// The first opening, which somebody waits for.
    private enum Opening {
        case awaited
        case done(Answer)
        case late
    }

    private let store: any MarkStore
    private let tasks = Mutex<[Task]>([])
    private let opening = Mutex(Opening.awaited)
    private let outcome = Mutex(End.late)
    private let wake: OwnedDescriptor
    private let opened: OwnedDescriptor
    private let finished: OwnedDescriptor
    private let answer: @Sendable (Answer) -> Void

    /// Starts the thread, which does nothing yet.
    package init(
        _ store: any MarkStore, answer: @escaping @Sendable (Answer) -> Void
    ) throws(MarkStoreError) {
        self.store = store
        self.answer = answer
        do throws(SystemError) {
            wake = try OwnedDescriptor.wakeUp()
            opened = try OwnedDescriptor.wakeUp()
            finished = try OwnedDescriptor.wakeUp()
            // The thread keeps this object alive until it ends.
            try WorkerThread.start { [self] in run() }
        } catch { throw MarkStoreError(.failed, "\(error)") }
    }

    /// Has the store opened, as the first task of all, and waits for that.
    /// - Returns: what came of it; nil if it takes longer, in which case it is answered like others.
    package func openFirst(within milliseconds: Int32) -> Answer? {
        hand(over: .openFirst)
        opened.waitUntilReadable(milliseconds: milliseconds)
        return opening.withLock { opening in
            if case .done(let answer) = opening { return answer }
            opening = .late
            return nil
        }
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
        outcome.withLock { $0 = .late }
        hand(over: .finish(batch))
        finished.waitUntilReadable(milliseconds: milliseconds)
        finished.clearWakeUp()
        return outcome.withLock { $0 }
    }

    /// Has it looked whether the files are in their places. This is answered, unasked, only if not.
    package func check() {
        let isNew = tasks.withLock { waiting in
            if case .check? = waiting.last { return false }
            waiting.append(.check)
            return true
        }
        if isNew { wake.signalWakeUp() }
    }

    private func hand(over task: Task) {
        tasks.withLock { $0.append(task) }
        wake.signalWakeUp()
    }
}

// MARK: - On the thread

extension MarkWorker {
    /// The store while it is open, and whether it is to be put aside when it is opened again.
    private struct Place {
        var connection: (any MarkConnection)?
        var isDamaged = false
        /// The last database that was open.
        var known: FileIdentity?
        /// Whether there may be something in the log.
        var hasLog = false

        /// What the store is opened for, by a batch that replaces all.
        var opening: MarkOpening { isDamaged ? .knownDamaged : .replacing(known: known) }
    }

    private func run() {
        var place = Place()
        while true {
            wake.waitUntilReadable(milliseconds: place.hasLog ? Self.checkpointDelay : nil)
            wake.clearWakeUp()
            let tasks = takeTasks()
            if tasks.isEmpty, place.hasLog {
                place.connection?.checkpoint()
                place.hasLog = false
            }
            for task in tasks {
                switch task {
                case .openFirst: answerFirst(open(&place))
                case .open: answer(open(&place))
                case .write(let batch): answer(write(batch, to: &place))
                case .check:
                    if let error = misplacement(of: &place) {
                        answer(
                            Answer(
                                opened: nil, error: error, isOpen: false, isUnasked: true, notes: []
                            ))
                    }
                case .finish(let batch):
                    let error =
                        batch.map { write($0, to: &place).error } ?? misplacement(of: &place)
                    let end = error?.code == .misplaced ? End.misplaced : .done
                    if end == .done { place.connection = nil }
                    outcome.withLock { $0 = end }
                    finished.signalWakeUp()
                    if end == .done { return }
                }
            }
        }
    }

    private func takeTasks() -> [Task] {
        tasks.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    private func answerFirst(_ first: Answer) {
        let isLate = opening.withLock { opening in
            if case .late = opening { return true }
            opening = .done(first)
            return false
        }
        if isLate { answer(first) } else { opened.signalWakeUp() }
    }

    /// Whether the store is open and its files are not in their places; it is closed then.
    private func misplacement(of place: inout Place) -> MarkStoreError? {
        do throws(MarkStoreError) {
            try place.connection?.requireInPlace()
            return nil
        } catch {
            place.connection = nil
            place.hasLog = false
            return error
        }
    }

    private func open(_ place: inout Place) -> Answer {
        place.connection = nil
        do throws(MarkStoreError) {
            let opened = try store.open(place.isDamaged ? .knownDamaged : .asFound)
            place = Place(connection: opened.connection, known: opened.connection.identity)
            return Answer(opened: opened.marks, error: nil, isOpen: true, notes: opened.notes)
        } catch {
            return Answer(opened: nil, error: error, isOpen: false, notes: [])
        }
    }

    private func write(_ batch: MarkBatch, to place: inout Place) -> Answer {
        var notes: [String] = []
        do throws(MarkStoreError) {
            if place.connection == nil {
                guard batch.replacesAll else {
                    throw MarkStoreError(.failed, "the store was closed by the error before")
                }
                let opened = try store.open(place.opening)
                notes = opened.notes
                place = Place(connection: opened.connection, known: opened.connection.identity)
            }
            place.hasLog = true
            try place.connection?.write(batch)
            return Answer(opened: nil, error: nil, isOpen: true, notes: notes)
        } catch {
            if error.code == .damaged { place.isDamaged = true }
            if error.code != .full { place.connection = nil }
            return Answer(
                opened: nil, error: error, isOpen: place.connection != nil, notes: notes)
        }
    }
}
