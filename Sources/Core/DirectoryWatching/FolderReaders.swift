// Threads that read folders for a long scan, with the status of each file, and prepare their names.
//
// They are started for a scan that is long, and end with it. Only values pass between them and the loop, and open
// folders, which the thread that was asked last reads. They have a lower priority than the loop, on processors and at
// disks, so that a scan of millions of files delays nobody.

import EventLoops
import PickerModel
internal import Synchronization
import SystemInterface

/// What reads folders elsewhere than on the loop. Confined to the loop's thread; only its work is elsewhere.
package protocol FolderReaders: AnyObject {
    /// Reads the next part of a folder. It is delivered later, on the loop, unless `end` comes first.
    func read(_ request: FolderRequest)
    /// Lets it end, without waiting for it; nothing is delivered any more.
    func end()
}

/// The real one: two threads, or one if the machine runs one at a time. Where it runs two, the loop needs its processor
/// for half of a scan; the second thread has the rest of it.
final class ReaderThreads: FolderReaders {
    private enum Job: Sendable {
        case read(FolderRequest)
        case end
    }

    /// Tells the threads that nobody waits for their answers.
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// A part has at least as many entries, unless its folder ends.
    private static let entriesInPart = 512

    private var workers: [Worker<Job, FolderAnswer>] = []
    private var delivery: (any LoopSource)?
    private let isOver = Flag()

    /// Starts the threads.
    /// - Parameters:
    ///   - loop: Delivers the answers.
    ///   - limit: The most requests at a time.
    ///   - take: Called on the loop with each answer.
    /// - Throws: the system's error if a thread can't be started.
    init(
        on loop: any EventLoop, limit: Int, _ take: @escaping (FolderAnswer) -> Void
    ) throws(SystemError) {
        let answers = try Mailbox<FolderAnswer>(limit: limit)
        let count = WorkerThread.processorCount > 1 ? 2 : 1
        do throws(SystemError) {
            for _ in 0..<count { workers.append(try start(limit, answers)) }
            delivery = try answers.deliver(on: loop, take)
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    private func start(
        _ limit: Int, _ answers: Mailbox<FolderAnswer>
    ) throws(SystemError) -> Worker<Job, FolderAnswer> {
        // One more, for the end.
        try Worker(limit: limit + 1, isBackground: true, answer: { answers.post($0) }) {
            [isOver] desk in
            var reader = FolderBatchReader()
            var scratch = PreparedNames.Scratch()
            while true {
                switch desk.next(within: nil) {
                case .read(let request)?:
                    if isOver.isSet.load(ordering: .relaxed) { break }
                    let part = reader.read(
                        request.folder.descriptor, atLeast: Self.entriesInPart,
                        leavingOut: request.filter?.leavesOut)
                    let names = PreparedNames(of: part.batch, &scratch)
                    desk.answer(FolderAnswer(number: request.number, part: part, names: names))
                case .end?: return
                case nil: break
                }
            }
        }
    }

    func read(_ request: FolderRequest) {
        let idlest = workers.min { $0.backlog < $1.backlog }
        idlest?.hand(over: .read(request))
    }

    func end() {
        isOver.isSet.store(true, ordering: .relaxed)
        for worker in workers { worker.hand(over: .end) }
        workers = []
        delivery?.cancel()
        delivery = nil
    }
}
