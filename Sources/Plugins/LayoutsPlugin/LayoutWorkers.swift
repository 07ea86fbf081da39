internal import SystemInterface
internal import SystemdEventLoop

/// The threads that all force layouts of the daemon share: one, or two where the loop still has a processor
/// for itself. They are started with the first layout.
final class LayoutWorkers {
    private let loop: any EventLoop
    /// The most layouts at once. Of orders there are up to four times as many under way, since those of
    /// layouts that were just closed count, too; the mailbox has room for the answers of all.
    private let limit: Int
    /// The orders under way.
    private var unanswered = 0
    private var workers: [LayoutWorker] = []
    private var answers: (any LoopSource)?
    /// Who gets the answers, and which worker has the layout, by the layout's number.
    private var handlers: [Int: (worker: Int, take: (ForceAnswer) -> Void)] = [:]
    private var lastNumber = 0

    /// - Parameters:
    ///   - loop: Where answers arrive.
    ///   - limit: The most layouts at once.
    init(on loop: any EventLoop, limit: Int) {
        self.loop = loop
        self.limit = limit
    }

    /// Gives a layout to the thread that has the fewest.
    ///
    /// - Returns: Its number; nil if the threads have too much to do with layouts that have come and gone.
    /// - Throws: what the system says if there are no threads to be had.
    func open(
        _ opening: LayoutWorker.Opening, _ take: @escaping (ForceAnswer) -> Void
    ) throws(SystemError) -> Int? {
        if workers.isEmpty { try start() }
        var counts = workers.map { _ in 0 }
        for entry in handlers.values { counts[entry.worker] += 1 }
        let worker = counts.indices.min { counts[$0] < counts[$1] } ?? 0
        if unanswered >= 3 * limit || workers[worker].backlog >= 8 * limit { return nil }
        lastNumber += 1
        handlers[lastNumber] = (worker, take)
        workers[worker].open(lastNumber, opening)
        return lastNumber
    }

    /// Has an order carried out. The last one must have been answered.
    func perform(_ order: ForceOrder, on number: Int) {
        guard let entry = handlers[number] else { return }
        unanswered += 1
        workers[entry.worker].perform(order, on: number)
    }

    /// Lets go of a layout; nothing more of it is answered.
    func close(_ number: Int) {
        guard let entry = handlers.removeValue(forKey: number) else { return }
        workers[entry.worker].close(number)
    }

    /// Ends the threads, after what they are at.
    func end() {
        for worker in workers { worker.end() }
        workers = []
        answers = nil
        handlers = [:]
    }

    private func start() throws(SystemError) {
        let mailbox = try Mailbox<LayoutWorker.Answer>(limit: 4 * limit)
        let count = WorkerThread.processorCount > 2 ? 2 : 1
        var started: [LayoutWorker] = []
        do throws(SystemError) {
            for _ in 0..<count {
                // No layout is opened where eight tasks for each wait; those that are open add an order
                // and their end.
                started.append(try LayoutWorker(limit: 12 * limit) { mailbox.post($0) })
            }
            answers = try mailbox.deliver(on: loop) { [unowned self] message in
                unanswered -= 1
                handlers[message.number]?.take(message.answer)
            }
        } catch {
            for worker in started { worker.end() }
            throw error
        }
        workers = started
    }
}
