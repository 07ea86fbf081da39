package import StateFolder
internal import SystemInterface

/// The thread that writes snapshots and large batches, so that nobody waits for the disk.
///
/// Each job is answered, in order. After an error of a snapshot, the rest of its parts fail, too, until another begins.
package final class SnapshotWorker: Sendable {
    package enum Job: Sendable {
        case append(DocumentLog.Append)
        /// Begins a snapshot, in place of one that was not completed.
        case begin(FileHeader)
        case records([UInt8])
        /// Completes the snapshot, and removes what it replaces.
        case complete(generation: UInt64)
        /// Returns when the log is on the disk.
        case finish(DocumentLog.Append?, DocumentLog)
        /// Ends the thread, which then no longer has the folder.
        case stop
    }

    package struct Answer: Sendable {
        package enum Kind: Sendable {
            case appended, began, wrote, completed, finished
        }

        package var kind: Kind
        package var error: StorageError?
        /// The length of the snapshot.
        package var snapshotBytes = 0
    }

    /// The most jobs that may wait: a few parts of a snapshot, a batch and the end.
    package static let mostJobs = 8

    private let worker: Worker<Job, Answer>

    /// Starts the thread. `answer` is called there.
    package init(
        _ folder: any StorageFolder, answer: @escaping @Sendable (Answer) -> Void
    ) throws(StorageError) {
        do throws(SystemError) {
            worker = try Worker(limit: Self.mostJobs, isBackground: true, answer: answer) { desk in
                var writer = SnapshotWriter(folder: folder)
                while true {
                    guard let job = desk.next(within: nil) else { continue }
                    if case .stop = job { return }
                    desk.answer(writer.perform(job))
                    if case .finish = job { return }
                }
            }
        } catch { throw .system(error) }
    }

    /// Lets the thread end behind its jobs.
    deinit { worker.post(.stop) }

    /// Queues a job; the caller has no more than `mostJobs` at once.
    package func hand(over job: Job) { worker.hand(over: job) }

    /// Writes the last batch and waits until the log is on the disk, for some milliseconds at most. The thread ends.
    /// - Returns: nil if the time is up.
    package func finish(
        _ append: DocumentLog.Append?, _ log: DocumentLog, within milliseconds: Int32
    ) -> Answer? {
        worker.ask(.finish(append, log), within: milliseconds)
    }
}

/// Writes snapshots, on the thread.
private struct SnapshotWriter {
    let folder: any StorageFolder
    private var file: (any StorageFile)?
    private var length = 0
    private var error: StorageError?

    init(folder: any StorageFolder) {
        self.folder = folder
    }

    mutating func perform(_ job: SnapshotWorker.Job) -> SnapshotWorker.Answer {
        switch job {
        case .append(let append):
            return answer(
                .appended,
                attempt { () throws(StorageError) in
                    try append.perform()
                    try folder.requireInPlace()
                })
        case .begin(let header):
            error = attempt { () throws(StorageError) in try begin(header) }
            return answer(.began, error)
        case .records(let records):
            if error == nil {
                error = attempt { () throws(StorageError) in try write(.records(records[...])) }
            }
            return answer(.wrote, error)
        case .complete(let generation):
            if error == nil {
                error = attempt { () throws(StorageError) in try complete(generation) }
            }
            file = nil
            return answer(.completed, error)
        case .finish(let append, let log):
            return answer(
                .finished,
                attempt { () throws(StorageError) in
                    try append?.perform()
                    try log.synchronize()
                })
        case .stop: return answer(.finished, nil)
        }
    }

    private func answer(
        _ kind: SnapshotWorker.Answer.Kind, _ error: StorageError?
    ) -> SnapshotWorker.Answer {
        SnapshotWorker.Answer(kind: kind, error: error, snapshotBytes: length)
    }

    private func attempt(_ work: () throws(StorageError) -> Void) -> StorageError? {
        do throws(StorageError) { try work() } catch { return error }
        return nil
    }

    private mutating func begin(_ header: FileHeader) throws(StorageError) {
        file = nil
        length = 0
        do throws(SystemError) {
            if try folder.identity(of: DocumentFiles.newName) != nil {
                try folder.remove(DocumentFiles.newName)
            }
            file = try folder.create(DocumentFiles.newName)
        } catch { throw .system(error.naming(folder.path + "/" + DocumentFiles.newName)) }
        try write(.header(header))
    }

    private mutating func write(_ frame: Frame) throws(StorageError) {
        guard let file else { throw StorageError(.failed, "no snapshot was begun") }
        let bytes = frame.bytes
        do throws(SystemError) { try file.write(bytes, at: length) } catch {
            throw .system(error.naming(folder.path + "/" + DocumentFiles.newName))
        }
        length += bytes.count
    }

    private mutating func complete(_ generation: UInt64) throws(StorageError) {
        try write(.end)
        guard let file else { return }
        do throws(SystemError) {
            try file.synchronize()
            try folder.rename(
                DocumentFiles.newName, to: DocumentFiles.snapshotName(generation))
            try folder.synchronize()
        } catch { throw .system(error.naming(folder.path)) }
        try folder.requireInPlace()
        try DocumentFiles(folder).removeFiles(before: generation)
    }
}
