internal import EventStorage
package import PickerModel
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
package final class MarkWorker: Sendable {
    /// What came of a task.
    package struct Answer: Sendable {
        /// What an opening found; nil for a batch.
        package var opened: [StoredMark]?
        package var error: MarkStoreError?
        /// Whether the store is open. If not, the next batch must replace all.
        package var isOpen: Bool
        /// What was wrong, in words for the log.
        package var notes: [String]
    }

    private enum Task: Sendable {
        case openFirst
        case open
        case write(MarkBatch)
        case finish(MarkBatch?)
    }

    /// The first opening, which somebody waits for.
    private enum Opening {
        case awaited
        case done(Answer)
        case late
    }

    private let store: any MarkStore
    private let tasks = Mutex<[Task]>([])
    private let opening = Mutex(Opening.awaited)
    private let isFinished = Mutex(false)
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
    /// - Returns: whether that was done within the time. Otherwise it goes on, for as long as the
    ///   process does.
    package func finish(writing batch: MarkBatch?, within milliseconds: Int32) -> Bool {
        hand(over: .finish(batch))
        finished.waitUntilReadable(milliseconds: milliseconds)
        return isFinished.withLock { $0 }
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
    }

    private func run() {
        var place = Place()
        while true {
            wake.waitUntilReadable(milliseconds: nil)
            wake.clearWakeUp()
            for task in takeTasks() {
                switch task {
                case .openFirst: answerFirst(open(&place))
                case .open: answer(open(&place))
                case .write(let batch): answer(write(batch, to: &place))
                case .finish(let batch):
                    if let batch { _ = write(batch, to: &place) }
                    place.connection = nil
                    isFinished.withLock { $0 = true }
                    finished.signalWakeUp()
                    return
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

    private func open(_ place: inout Place) -> Answer {
        place.connection = nil
        do throws(MarkStoreError) {
            let opened = try store.open(settingAside: place.isDamaged)
            place = Place(connection: opened.connection)
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
                let opened = try store.open(settingAside: place.isDamaged)
                notes = opened.notes
                place = Place(connection: opened.connection)
            }
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
