// A thread that executes jobs, so that no other thread waits for them.
//
// Jobs come from any thread and are executed one after another, in order. A result is passed to a callback on
// the worker's thread, which should post it to its recipient, or returned by `ask`. Only values pass between
// the threads: the thread creates its own working data, which nobody else can access. When idle, it sleeps.

internal import Synchronization

/// A thread with a bounded queue of jobs.
package final class Worker<Job: Sendable, Result: Sendable>: Sendable {
    private struct Entry: Sendable {
        var job: Job
        /// The number of its question; nil for a job that nobody waits for.
        var question: Int?
    }

    /// The last job that a thread waited for.
    private struct Question {
        var number = 0
        var isOpen = false
        var reply: Result?
    }

    /// The thread's side of the worker.
    package final class Desk {
        private let worker: Worker
        /// The question of the current job.
        private var question: Int?

        fileprivate init(_ worker: Worker) { self.worker = worker }

        /// A descriptor that is readable while jobs wait; borrowed.
        package var number: Int32 { worker.jobs.number }

        /// All waiting jobs; none of them is answered.
        package func takeAll() -> [Job] { worker.jobs.takeAll().map(\.job) }

        /// The next job, waiting for one if necessary.
        ///
        /// - Parameter milliseconds: The time limit; nil means for ever.
        /// - Returns: Nil if none came in time, and occasionally sooner.
        package func next(within milliseconds: Int32?) -> Job? {
            let entry = worker.jobs.next(within: milliseconds)
            question = entry?.question
            return entry?.job
        }

        /// Passes on the result of the current job.
        package func answer(_ result: Result) {
            let question = question
            self.question = nil
            if let question, worker.reply(result, to: question) { return }
            worker.tell(result)
        }

        /// Passes on a result that belongs to no job.
        package func tell(_ news: Result) { worker.tell(news) }

        /// The remaining jobs; all later ones are refused.
        package func close() -> [Job] { worker.jobs.close().map(\.job) }
    }

    private let jobs: Mailbox<Entry>
    private let question = Mutex(Question())
    private let replied: OwnedDescriptor
    private let tell: @Sendable (Result) -> Void

    /// Starts the thread, which keeps the worker alive until `body` returns; then jobs are refused.
    ///
    /// - Parameters:
    ///   - limit: The most waiting jobs.
    ///   - isBackground: Whether it has a lower priority than other threads.
    ///   - answer: Called with the results of jobs, on the thread.
    ///   - body: Takes jobs from its desk and executes them.
    /// - Throws: the system's error if no thread can be started.
    package init(
        limit: Int, isBackground: Bool = false, answer: @escaping @Sendable (Result) -> Void,
        _ body: @escaping @Sendable (Desk) -> Void
    ) throws(SystemError) {
        jobs = try Mailbox(limit: limit)
        replied = try OwnedDescriptor.wakeUp()
        tell = answer
        try WorkerThread.start(isBackground: isBackground) { [self] in
            body(Desk(self))
            _ = jobs.close()
        }
    }

    /// The number of jobs not begun.
    package var backlog: Int { jobs.count }

    /// Queues `job`.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - isNeedless: Called with the last waiting job; true makes the new one superfluous.
    /// - Returns: `false`, without effect, if too many jobs wait, or if the thread has ended.
    @discardableResult
    package func post(_ job: Job, unlessLast isNeedless: (Job) -> Bool = { _ in false }) -> Bool {
        jobs.post(Entry(job: job), unlessLast: { isNeedless($0.job) })
    }

    /// Queues `job`, for which the caller has left room.
    package func hand(over job: Job) {
        let isTaken = post(job)
        assert(isTaken, "there is room for as many jobs as the caller has at once")
    }

    /// Queues `job` and waits for its result. One thread at a time.
    ///
    /// - Returns: Nil if it takes longer, in which case the result goes to `answer`, or if the job was refused.
    package func ask(_ job: Job, within milliseconds: Int32) -> Result? {
        let number = question.withLock { question in
            question = Question(number: question.number + 1, isOpen: true)
            return question.number
        }
        guard jobs.post(Entry(job: job, question: number)) else { return nil }
        replied.waitUntilReadable(milliseconds: milliseconds)
        return question.withLock { question in
            replied.clearWakeUp()
            question.isOpen = false
            return question.reply.take()
        }
    }

    /// Passes `result` to the thread that waits for it.
    /// - Returns: false if none waits any more.
    private func reply(_ result: Result, to number: Int) -> Bool {
        question.withLock { question in
            guard question.isOpen, question.number == number else { return false }
            question.isOpen = false
            question.reply = result
            replied.signalWakeUp()
            return true
        }
    }
}
