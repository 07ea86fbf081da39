internal import EventLoops
internal import SystemInterface

/// The threads shared by all force layouts: one, or two if that leaves a processor to the loop. They start
/// with the first layout.
final class LayoutWorkers {
    private let loop: any EventLoop
    /// The most layouts at once. Up to four times as many orders may be under way, because orders of
    /// recently closed layouts count, too; the mailbox has room for all answers.
    private let limit: Int
    /// The number of orders under way.
    private var unanswered = 0
    private var workers: [Worker<LayoutWorker.Task, LayoutWorker.Answer>] = []
    private var answers: (any LoopSource)?
    /// The receiver of answers and the worker of each layout, by the layout's number.
    private var handlers: [Int: (worker: Int, take: (ForceAnswer) -> Void)] = [:]
    private var lastNumber = 0

    /// - Parameters:
    ///   - loop: The loop that receives the answers.
    ///   - limit: The most layouts at once.
    init(on loop: any EventLoop, limit: Int) {
        self.loop = loop
        self.limit = limit
    }

    /// Gives a layout to the thread with the fewest layouts.
    ///
    /// - Returns: Its number; nil if the threads are still busy with too many closed layouts.
    /// - Throws: the system's error if no thread can be created.
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
        workers[worker].hand(over: .open(lastNumber, opening))
        return lastNumber
    }

    /// Submits an order. The last one must have been answered.
    func perform(_ order: ForceOrder, on number: Int) {
        guard let entry = handlers[number] else { return }
        unanswered += 1
        workers[entry.worker].hand(over: .perform(number, order))
    }

    /// Closes a layout; its orders get no more answers.
    func close(_ number: Int) {
        guard let entry = handlers.removeValue(forKey: number) else { return }
        workers[entry.worker].hand(over: .close(number))
    }

    /// Ends the threads after their current tasks.
    func end() {
        for worker in workers { worker.hand(over: .end) }
        workers = []
        answers = nil
        handlers = [:]
    }

    private func start() throws(SystemError) {
        let mailbox = try Mailbox<LayoutWorker.Answer>(limit: 4 * limit)
        let count = WorkerThread.processorCount > 2 ? 2 : 1
        do throws(SystemError) {
            for _ in 0..<count {
                // A thread takes no new layout with eight queued tasks per layout; each open layout adds an
                // order and its end.
                workers.append(try LayoutWorker.start(limit: 12 * limit) { mailbox.post($0) })
            }
            answers = try mailbox.deliver(on: loop) { [unowned self] message in
                unanswered -= 1
                handlers[message.number]?.take(message.answer)
            }
        } catch {
            end()
            throw error
        }
    }
}
