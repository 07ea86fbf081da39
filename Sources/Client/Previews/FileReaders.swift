internal import PickerClient
internal import SystemInterface

/// Threads that read files for previews, so that the loop never waits for a disk.
///
/// A thread is started when it is first needed. One that hangs in a read, as at a file server that does not answer, is
/// left behind until its read ends; with `mostThreads` of them no more is read until then. Confined to the loop's
/// thread.
final class FileReaders {
    static let mostThreads = 3

    /// What the threads do: `FilePreview.read`, or another function in tests.
    typealias Reading = @Sendable (FilePreview) -> FileContent

    private enum Job: Sendable {
        case read(FilePreview, number: Int)
        case end
    }

    private struct Answer: Sendable {
        let thread: Int
        let number: Int
        let content: FileContent
    }

    private final class Reader {
        let worker: Worker<Job, Answer>
        var isBusy = false

        init(_ worker: Worker<Job, Answer>) { self.worker = worker }
    }

    private let reading: Reading
    private let take: (_ number: Int, FileContent) -> Void
    private let answers: SystemInterface.Mailbox<Answer>
    private var watch: PollWatch?
    private var readers: [Reader] = []

    /// - Parameters:
    ///   - loop: Delivers what was read.
    ///   - reading: Reads a file, on a thread.
    ///   - take: Called with what was read, and the number that was given with it.
    /// - Throws: the system's error if there is no descriptor left.
    init(
        on loop: PollLoop, _ reading: @escaping Reading,
        _ take: @escaping (_ number: Int, FileContent) -> Void
    ) throws(SystemError) {
        self.reading = reading
        self.take = take
        // Each thread has one answer at a time.
        answers = try Mailbox(limit: Self.mostThreads)
        watch = loop.watch(answers.number, for: .readable) { [weak self] _ in self?.deliver() }
    }

    deinit { close() }

    /// Has a thread read a file. The answer comes later, also if nobody wants it any more.
    /// - Returns: false, without effect, if all threads are busy.
    /// - Throws: the system's error if there is no thread, and none can be started.
    func read(_ preview: FilePreview, number: Int) throws(SystemError) -> Bool {
        if watch == nil { return false }
        var free = readers.first { !$0.isBusy }
        if free == nil, readers.count < Self.mostThreads { free = try start() }
        guard let free else { return false }
        free.isBusy = true
        free.worker.hand(over: .read(preview, number: number))
        return true
    }

    /// Lets the threads end, without waiting for them. No answer comes any more.
    func close() {
        watch.take()?.cancel()
        for reader in readers { reader.worker.hand(over: .end) }
        readers = []
    }

    private func start() throws(SystemError) -> Reader {
        let thread = readers.count
        let (answers, reading) = (answers, reading)
        // Room for a file and the end.
        let worker = try Worker<Job, Answer>(limit: 2, answer: { answers.post($0) }) { desk in
            while true {
                switch desk.next(within: nil) {
                case .read(let preview, let number):
                    desk.answer(
                        Answer(thread: thread, number: number, content: reading(preview)))
                case .end: return
                case nil: continue
                }
            }
        }
        let reader = Reader(worker)
        readers.append(reader)
        return reader
    }

    private func deliver() {
        // All are free before the first answer is told, which may ask for the next file.
        let answers = answers.takeAll()
        for answer in answers { readers[answer.thread].isBusy = false }
        for answer in answers where watch != nil { take(answer.number, answer.content) }
    }
}
