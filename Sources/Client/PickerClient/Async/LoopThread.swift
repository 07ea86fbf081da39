internal import Synchronization
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

    private struct Inbox {
        var jobs: [Job] = []
        var hasEnded = false
    }

    private let inbox = Mutex(Inbox())
    private let wake: OwnedDescriptor

    /// Starts the thread, which lives until a job closes its core.
    init() throws(ClientError) {
        do throws(SystemError) {
            wake = try OwnedDescriptor.wakeUp()
            // The thread keeps this object alive until it ends.
            try WorkerThread.start { [self] in run() }
        } catch {
            throw ClientError(.cannotConnect, "there is no thread for the client: \(error)")
        }
    }

    /// Has `job` run on the thread, after those that were posted before.
    ///
    /// - Returns: false if the thread has ended, and the job is never run.
    @discardableResult
    func post(_ job: @escaping Job) -> Bool {
        let isTaken = inbox.withLock { inbox in
            if inbox.hasEnded { return false }
            inbox.jobs.append(job)
            return true
        }
        if isTaken { wake.signalWakeUp() }
        return isTaken
    }

    private func run() {
        let loop = PollLoop()
        let core = ClientCore(on: loop)
        let watch = loop.watch(wake.number, for: .readable) { [self] _ in runJobs(core) }
        loop.run { core.isClosed }
        watch.cancel()
        // Those that were taken before the end was seen: they find the core closed.
        let late = inbox.withLock { inbox in
            inbox.hasEnded = true
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
        for job in late { job(core) }
    }

    private func runJobs(_ core: ClientCore) {
        wake.clearWakeUp()
        let jobs = inbox.withLock { inbox in
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
        for job in jobs { job(core) }
    }
}
