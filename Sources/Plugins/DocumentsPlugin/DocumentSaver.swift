internal import DirectoryWatching
internal import DocumentStorage
internal import EventLoops
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import StateFolder
internal import SystemInterface

/// Stores the documents, so that the next run of the daemon serves them at once, with their keys and revisions.
///
/// A snapshot is written in slices, by a walk through the folders, while the documents change. Each change goes to a log,
/// before any client is told of it; a large one goes there by a thread, at the same time. A new snapshot is made when the
/// log has grown to an eighth of it.
///
/// Invariant: no client is told of a revision or a key that is not below the limits in the log. So the next run, which
/// begins at those after a kill, gives none out twice. If that can't be kept up, all files are removed.
///
/// After an error of the log nothing more is stored, and a new snapshot is tried every ten seconds, and when the settings
/// are read again. Until there is one, the next run would begin with what was stored before, as long as the limits hold.
/// After an error of a snapshot the log goes on behind the last one.
final class DocumentSaver {
    /// Records of more bytes go to the thread.
    private static let mostBytesHere = 64 << 10
    /// The most bytes of records that wait for the thread.
    private static let mostBytesWaiting = 64 << 20
    /// How far the limits in the log are ahead of the numbers. Keys that are left out make an index sparse.
    private static let revisionsAhead: UInt64 = 1 << 20
    private static let keysAhead: UInt64 = 1 << 16
    private static let keysAheadOfMany: UInt64 = 1 << 20
    /// The part of a snapshot that is handed over at once, and the files of a slice.
    private static let partBytes = 256 << 10
    private static let filesOfSlice = 512
    private static let mostParts = 3
    /// The log of the least length for which a new snapshot is made, and the part of the snapshot for a larger one.
    private static let leastLogBytes = 1 << 20
    private static let logPart = 8
    private static let retryDelay = Duration.seconds(10)

    private let context: PluginContext
    private let watcher: DirectoryWatcher
    private let path: String
    private let boot: String
    private let openFolder: @Sendable (String) throws(StorageError) -> any StorageFolder
    private var folder: (any StorageFolder)?
    private var generation: UInt64
    private var log: DocumentLog?
    /// What the log says last.
    private var told: Numbers?
    /// Records that are not in the log yet.
    private var waiting: [UInt8] = []
    private var isFlushQueued = false
    /// The thread writes a batch.
    private var isAppending = false
    /// The revision of that batch.
    private var revUnderWay: UInt64 = 0

    private var worker: SnapshotWorker?
    private var answers: (any LoopSource)?
    /// The snapshot under way.
    private var walk: TreeWalk?
    private var part: [UInt8] = []
    private var partsUnderWay = 0
    private var isSliceQueued = false
    /// A snapshot is to begin once the thread has written the last batch.
    private var isSnapshotDue = false
    private var isWalkComplete = false
    private var hasSnapshot: Bool
    private var snapshotBytes: Int
    /// The bytes of the logs since the snapshot.
    private var logBytes: Int
    private var retryTimer: (any TimerSource)?
    private var fault: String?
    private var hasEnded = false

    /// Stores the changes of documents from now on.
    /// - Parameters:
    ///   - files: those of the last run.
    ///   - ending: what they were read to, if the documents are those that they have.
    ///   - watcher: has the documents.
    ///   - path: that of the folder.
    ///   - boot: identifies this run of the machine.
    ///   - context: that of the plugin.
    ///   - openFolder: opens the folder again, if it was removed.
    init(
        _ files: DocumentFiles, after ending: DocumentFiles.Ending?, of watcher: DirectoryWatcher,
        at path: String, boot: String, in context: PluginContext,
        openFolder: @escaping @Sendable (String) throws(StorageError) -> any StorageFolder
    ) {
        self.context = context
        self.watcher = watcher
        self.path = path
        self.boot = boot
        self.openFolder = openFolder
        folder = files.folder
        generation = files.nextGeneration
        hasSnapshot = ending != nil
        snapshotBytes = files.snapshotBytes
        logBytes = files.logBytes
        if let ending {
            do throws(StorageError) {
                // The next run knows nothing of the revisions that a killed one may have made.
                let since = ending.isClean ? ending.knownSince : UInt64(context.documents.rev)
                try beginLog(knownSince: since, after: ending.lastLength)
            } catch {
                fail(error)
                // Any number that is given out now would be given out again.
                removeFiles()
            }
        }
        context.documents.whenChanged = { [weak self] in self?.record($0) }
    }

    private var documents: DocumentStore { context.documents }

    /// Whether the log has not all changes yet.
    var isBehind: Bool { isAppending || !waiting.isEmpty }

    // MARK: Changes

    private func numbers(isClean: Bool = false) -> Numbers {
        let ahead = waiting.count > Self.mostBytesHere ? Self.keysAheadOfMany : Self.keysAhead
        let (rev, key) = (UInt64(documents.rev), documents.nextKey)
        return Numbers(
            rev: rev, revLimit: rev + (isClean ? 0 : Self.revisionsAhead), nextKey: key,
            keyLimit: key + (isClean ? 0 : ahead), isClean: isClean)
    }

    private func beginLog(knownSince: UInt64, after length: UInt64) throws(StorageError) {
        guard let folder else { return }
        var header = FileHeader(
            kind: .log, generation: generation, types: MediaType.fingerprint,
            count: 0, knownSince: knownSince, epoch: documents.epoch, boot: boot)
        header.formerLength = length
        let numbers = numbers()
        // Its name is not used again, even if it can't be made.
        generation += 1
        log = try DocumentLog(header, in: folder, numbers, waiting)
        told = numbers
        waiting = []
    }

    private func record(_ change: DocumentChange) {
        guard log != nil else { return keepLimits() }
        watcher.encode(change.ofRoots, to: &waiting)
        if hasEnded { return write(isClean: true) }
        if waiting.count > Self.mostBytesWaiting {
            return fail(
                StorageError(.failed, "the disk has not taken the last changes for too long"))
        }
        if isFlushQueued { return }
        isFlushQueued = true
        context.loop.atEndOfTurn { [weak self] in
            self?.isFlushQueued = false
            self?.flush()
        }
    }

    /// Writes what is waiting, before any output to a client.
    func flush() {
        guard log != nil, !hasEnded else { return }
        if isAppending {
            // The limits are those of the last batch, until the thread has written this one.
            if isBeyondLimits {
                fail(StorageError(.failed, "the disk is too slow for the changes"))
                keepLimits()
            }
            return
        }
        let isKeyDue = told.map { documents.nextKey + Self.keysAhead / 2 > $0.keyLimit } ?? false
        if waiting.isEmpty, !isKeyDue { return }
        if waiting.count > Self.mostBytesHere, let worker {
            guard let next = numbersOfBatch(), let append = log?.reserve(next, takeWaiting())
            else { return }
            isAppending = true
            revUnderWay = next.rev
            // Until it is written, the limits before it hold.
            worker.hand(over: .append(append))
            return
        }
        write(isClean: false)
    }

    private var isBeyondLimits: Bool {
        guard let told else { return false }
        return UInt64(documents.rev) >= told.revLimit || documents.nextKey >= told.keyLimit
    }

    /// Removes what was stored before an error, if the next run would give out numbers again that are in use.
    private func keepLimits() {
        if isBeyondLimits { removeFiles() }
    }

    private func removeFiles() {
        told = nil
        hasSnapshot = false
        (snapshotBytes, logBytes) = (0, 0)
        if let folder, var files = try? DocumentFiles(folder) { files.removeAll() }
    }

    private func numbersOfBatch() -> Numbers? {
        // First the limits, by which numbers are told of while the thread writes.
        guard let told, documents.nextKey + Self.keysAhead < told.keyLimit else {
            var numbers = numbers()
            let rev = numbers.rev
            // The log has no later changes yet.
            numbers.rev = told?.rev ?? 0
            do throws(StorageError) { try log?.write(numbers, []) } catch {
                fail(error)
                return nil
            }
            told = numbers
            numbers.rev = rev
            return numbers
        }
        return Numbers(
            rev: UInt64(documents.rev), revLimit: told.revLimit, nextKey: documents.nextKey,
            keyLimit: told.keyLimit, isClean: false)
    }

    private func takeWaiting() -> [UInt8] {
        defer { waiting = [] }
        logBytes += waiting.count
        return waiting
    }

    private func write(isClean: Bool) {
        // Without a log nothing is told: the limits are those of what was stored before.
        guard log != nil else { return }
        let numbers = numbers(isClean: isClean)
        do throws(StorageError) {
            try log?.write(numbers, takeWaiting())
            told = numbers
        } catch {
            return fail(error)
        }
        considerSnapshot()
    }

    // MARK: Snapshots

    /// Says that all documents are those of the disk, so that a snapshot may be made of them.
    func allAreThere() {
        if !hasSnapshot { beginSnapshot() } else { considerSnapshot() }
    }

    private func considerSnapshot() {
        let limit = max(Self.leastLogBytes, snapshotBytes / Self.logPart)
        if !hasSnapshot || logBytes <= limit || !documents.isWhole { return }
        // It would be old at once. What goes on for longer is not waited for.
        if !documents.areMoreComing() { beginSnapshot() }
    }

    private func beginSnapshot() {
        guard walk == nil, !isWalkComplete, !hasEnded, retryTimer?.isSet != true, let folder
        else { return }
        if isAppending {
            isSnapshotDue = true
            return
        }
        isSnapshotDue = false
        do throws(StorageError) {
            let worker = try startedWorker(folder)
            // Nothing is left out: what is known of the last changes goes along.
            let hadLog = log != nil
            flush()
            if isAppending { isSnapshotDue = true }
            // It may have begun one, as the log has grown.
            if isAppending || walk != nil || hadLog && log == nil { return }
            let number = generation
            // Zero says that something is missing in between.
            let former = log.map { UInt64($0.length) } ?? 0
            let known = documents.knownChanges
            waiting = []
            watcher.encode(known.changes, to: &waiting)
            try beginLog(knownSince: UInt64(known.since), after: former)
            worker.hand(
                over: .begin(
                    FileHeader(
                        kind: .snapshot, generation: number, types: MediaType.fingerprint,
                        count: UInt64(documents.count), knownSince: UInt64(known.since),
                        epoch: documents.epoch, boot: boot)))
            partsUnderWay += 1
            logBytes = 0
            walk = watcher.walkTree()
            queueSlice()
        } catch {
            fail(error)
        }
    }

    private func startedWorker(
        _ folder: any StorageFolder
    ) throws(StorageError) -> SnapshotWorker {
        if let worker { return worker }
        let mailbox: Mailbox<SnapshotWorker.Answer>
        do throws(SystemError) {
            mailbox = try Mailbox(limit: 2 * SnapshotWorker.mostJobs)
            answers = try mailbox.deliver(on: context.loop) { [unowned self] in receive($0) }
        } catch { throw .system(error) }
        let worker = try SnapshotWorker(folder) { mailbox.post($0) }
        self.worker = worker
        return worker
    }

    private func queueSlice() {
        guard walk != nil, !isSliceQueued, partsUnderWay < Self.mostParts else { return }
        isSliceQueued = true
        context.loop.enqueue(priority: .idle) { [weak self] in
            self?.isSliceQueued = false
            self?.runSlice()
        }
    }

    private func runSlice() {
        guard let walk, let worker, partsUnderWay < Self.mostParts else { return }
        let isMore = walk.write(to: &part, atMost: Self.filesOfSlice)
        if part.count >= Self.partBytes || !isMore {
            worker.hand(over: .records(part))
            partsUnderWay += 1
            part = []
        }
        if isMore { return queueSlice() }
        self.walk = nil
        isWalkComplete = true
        if let log { worker.hand(over: .complete(generation: log.header.generation)) }
    }

    private func receive(_ answer: SnapshotWorker.Answer) {
        switch answer.kind {
        case .appended:
            isAppending = false
            if let error = answer.error { return fail(error) }
            told?.rev = revUnderWay
            flush()
            if isSnapshotDue { beginSnapshot() } else { considerSnapshot() }
        case .began, .wrote:
            partsUnderWay -= 1
            if let error = answer.error { return failSnapshot(error) }
            queueSlice()
        case .completed:
            isWalkComplete = false
            if let error = answer.error { return failSnapshot(error) }
            snapshotBytes = answer.snapshotBytes
            hasSnapshot = true
            if fault != nil, log != nil { restored() }
            considerSnapshot()
        case .finished: break
        }
    }

    // MARK: Errors

    /// Stores nothing more.
    private func fail(_ error: StorageError) {
        log = nil
        waiting = []
        walk = nil
        part = []
        isSnapshotDue = false
        if hasEnded { return }
        if fault == nil {
            context.report(
                .warning,
                "documents do not outlive a restart any more: \(error). What changes from now on gets new keys "
                    + "at the next start. Free space, or mend what is wrong with '\(path)': it is tried again "
                    + "every ten seconds, and at once by 'pickerctl reload'",
                fields: ["PICKERD_EVENT": "documents-store-degraded", "PICKERD_PATH": path])
            // This may run before output to a client, which is told by an event.
            context.loop.enqueue { [weak self] in self?.tell(error.description) }
        }
        fault = error.description
        if error.code == .misplaced { told = nil }
        retryLater()
    }

    /// Goes on behind the last snapshot, if there is one.
    private func failSnapshot(_ error: StorageError) {
        walk = nil
        part = []
        guard hasSnapshot, log != nil, error.code != .misplaced else {
            if log != nil || fault == nil { fail(error) } else { retryLater() }
            return
        }
        retryLater()
    }

    private func retryLater() {
        if let retryTimer { return retryTimer.reschedule(after: Self.retryDelay) }
        retryTimer = try? context.loop.schedule(after: Self.retryDelay) { [weak self] in
            self?.retry()
        }
    }

    /// Tries again at once, after an error.
    func retryNow() {
        if fault == nil { return }
        retryTimer?.unschedule()
        retry()
    }

    private func tell(_ reason: String?) {
        context.publish(fault: reason, of: "documents-store", at: path)
    }

    /// Makes a snapshot, in a folder that is made again if it is gone.
    private func retry() {
        if isAppending || partsUnderWay > 0 || isWalkComplete { return retryLater() }
        do throws(StorageError) {
            do throws(StorageError) {
                guard let folder else { throw StorageError(.misplaced, path) }
                try folder.requireInPlace()
            } catch {
                guard error.code == .misplaced else { throw error }
                // The lock is given up before.
                (log, worker, answers, folder) = (nil, nil, nil, nil)
                let new = try openFolder(path)
                var files = try DocumentFiles(new)
                files.removeAll()
                generation = max(generation, files.nextGeneration)
                folder = new
                hasSnapshot = false
            }
            if documents.isWhole { beginSnapshot() } else { retryLater() }
        } catch {
            fail(error)
        }
    }

    private func restored() {
        fault = nil
        context.report(
            .notice, "documents outlive a restart again, in '\(path)'",
            fields: ["PICKERD_EVENT": "documents-store-restored", "PICKERD_PATH": path])
        tell(nil)
    }

    // MARK: The end

    /// Stores the last changes, and waits at most `limit` milliseconds for the disk.
    func finish(within limit: Int32) {
        retryTimer = nil
        walk = nil
        guard let log else {
            hasEnded = true
            return
        }
        hasEnded = true
        if isAppending, let worker {
            // What the thread writes comes before.
            guard let answer = worker.finish(nil, log, within: limit), answer.error == nil else {
                return warn()
            }
            isAppending = false
            write(isClean: true)
            return
        }
        write(isClean: true)
        if let worker, let written = self.log {
            answers = nil
            if worker.finish(nil, written, within: limit) == nil { warn() }
        }
    }

    private func warn() {
        context.report(
            .warning,
            "the disk is too slow: documents that changed last may get new keys at the next start",
            fields: ["PICKERD_EVENT": "documents-store-incomplete", "PICKERD_PATH": path])
    }

    // MARK: Information

    /// For `daemon.info`.
    func writeInfo(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("stored", hasSnapshot && fault == nil)
            writer.member("bytes", snapshotBytes + logBytes)
            if let fault { writer.member("degraded", fault) }
        }
    }
}
