// A thread that is handed jobs, so that nobody else waits for what they take.
//
// Jobs come from any thread and are carried out one after another, in the order they came. What comes of
// one is told on the worker's thread, by a call that had better post it to whoever it is for; or it is
// waited for, by `ask`. Only values go over and back: what the thread works on it makes for itself, and
// nobody else has it. With nothing to do it sleeps.

internal import Synchronization

/// A thread, with a bounded queue of jobs for it.
package final class Worker<Job: Sendable, Result: Sendable>: Sendable {
    private struct Entry: Sendable {
        var job: Job
        /// The question that it is; nil for one that nobody waits for.
        var question: Int?
    }

    /// The last job that somebody waited for.
    private struct Question {
        var number = 0
        var isOpen = false
        var reply: Result?
    }

    /// What the thread has of the worker.
    package final class Desk {
        private let worker: Worker
        /// The question that the job at hand is.
        private var question: Int?

        fileprivate init(_ worker: Worker) { self.worker = worker }

        /// The number of a descriptor that is readable while jobs wait; lent.
        package var number: Int32 { worker.jobs.number }

        /// All jobs that wait; none of them is answered.
        package func takeAll() -> [Job] { worker.jobs.takeAll().map(\.job) }

        /// The next job, waited for if need be.
        ///
        /// - Parameter milliseconds: How long to wait; for ever with nil.
        /// - Returns: Nil if none came in time, and now and then sooner.
        package func next(within milliseconds: Int32?) -> Job? {
            let entry = worker.jobs.next(within: milliseconds)
            question = entry?.question
            return entry?.job
        }

        /// Tells what came of the job at hand.
        package func answer(_ result: Result) {
            let question = question
            self.question = nil
            if let question, worker.reply(result, to: question) { return }
            worker.tell(result)
        }

        /// Tells of something that no job is answered by.
        package func tell(_ news: Result) { worker.tell(news) }

        /// The jobs that still wait, as the last ones: whatever comes later is refused.
        package func close() -> [Job] { worker.jobs.close().map(\.job) }
    }

    private let jobs: Mailbox<Entry>
    private let question = Mutex(Question())
    private let replied: OwnedDescriptor
    private let tell: @Sendable (Result) -> Void

    /// Starts the thread, which keeps the worker alive until `body` returns; then jobs are refused.
    ///
    /// - Parameters:
    ///   - limit: The most jobs that wait.
    ///   - isBackground: Whether it only gets what other threads leave of the processors.
    ///   - answer: Told what came of jobs, on the thread.
    ///   - body: Takes jobs from its desk and carries them out.
    /// - Throws: what the system says if there is no thread to be had.
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

    /// How many jobs it has not begun.
    package var backlog: Int { jobs.count }

    /// Has `job` carried out.
    ///
    /// - Parameters:
    ///   - job: What to do.
    ///   - isNeedless: Told of the last job that waits; true makes the new one superfluous.
    /// - Returns: `false`, without effect, if too many wait, or if the thread has ended.
    @discardableResult
    package func post(_ job: Job, unlessLast isNeedless: (Job) -> Bool = { _ in false }) -> Bool {
        jobs.post(Entry(job: job), unlessLast: { isNeedless($0.job) })
    }

    /// Has `job` carried out, after those that wait, and waits for what comes of it. One thread at a time.
    ///
    /// - Returns: Nil if it takes longer, in which case it is told like that of others, and if it was refused.
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

    /// Hands `result` to the one who waits for it; false if nobody does any more.
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
