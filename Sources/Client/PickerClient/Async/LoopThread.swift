internal import SystemInterface

// The thread of a `DaemonClient`: a run loop, and on it all objects that talk to the daemon. None of them
// is shared. Other threads post jobs, which are closures that get the thread's objects; results are
// returned as values. A job wakes the loop through a descriptor; without work the thread sleeps.
//
// Each job comes from a task that waits for it, or from a list or feed that is released once, so their
// number is bounded by the program's tasks and objects. After the end, jobs are refused and the caller is
// told.

/// A thread with a run loop of its own.
final class LoopThread: Sendable {
    /// A job for the thread.
    typealias Job = @Sendable (ClientCore) -> Void

    private let worker: Worker<Job, Never>

    /// Starts the thread, which runs until a job closes its core.
    init() throws(ClientError) {
        do throws(SystemError) {
            worker = try Worker(limit: .max, answer: { _ in }) { desk in
                let loop = PollLoop()
                let core = ClientCore(on: loop)
                let watch = loop.watch(desk.number, for: .readable) { _ in
                    for job in desk.takeAll() { job(core) }
                }
                loop.run { core.isClosed }
                watch.cancel()
                // Jobs accepted before the end: they find the core closed.
                for job in desk.close() { job(core) }
            }
        } catch {
            throw ClientError(.cannotConnect, "there is no thread for the client: \(error)")
        }
    }

    /// Runs `job` on the thread, after earlier jobs.
    ///
    /// - Returns: false if the thread has ended; the job is then never run.
    @discardableResult
    func post(_ job: @escaping Job) -> Bool { worker.post(job) }
}
