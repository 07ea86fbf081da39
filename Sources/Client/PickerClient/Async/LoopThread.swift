internal import SystemInterface

// The thread that a `DaemonClient` has for itself: a run loop, and on it everything that talks to the
// daemon. Nothing of that is shared. Other threads post jobs, closures that are handed the thread's
// own objects when they run; results go back as values. A job wakes the loop through a descriptor; with
// nothing to do the thread sleeps.
//
// Each job comes from a task that waits for it, or lets go of a list or a feed once: there are no more
// of them than the program has of those. After the end nothing is taken, and the caller is told so.

/// A thread with a run loop of its own.
final class LoopThread: Sendable {
    /// What is run on the thread.
    typealias Job = @Sendable (ClientCore) -> Void

    private let worker: Worker<Job, Never>

    /// Starts the thread, which lives until a job closes its core.
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
                // Those that were taken before the end was seen: they find the core closed.
                for job in desk.close() { job(core) }
            }
        } catch {
            throw ClientError(.cannotConnect, "there is no thread for the client: \(error)")
        }
    }

    /// Has `job` run on the thread, after those that were posted before.
    ///
    /// - Returns: false if the thread has ended, and the job is never run.
    @discardableResult
    func post(_ job: @escaping Job) -> Bool { worker.post(job) }
}
