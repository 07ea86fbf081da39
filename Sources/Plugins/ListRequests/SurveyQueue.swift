internal import DequeModule
package import PickerModel
package import SystemdEventLoop

/// Looks at documents and sorts them on behalf of requests, a slice at a time, so that no request holds the loop.
///
/// Slices are of low priority: signals, clients and files go first, between any two of them. Should those
/// never come to rest, a timer sees to it that a slice is done all the same. The surveys under way take turns;
/// only `atOnce` of them are, as each holds what it has found, and the others wait for these to end.
/// Without work nothing is queued, no timer is set, and the loop sleeps.
package final class SurveyQueue {
    /// A slice ends when this time is up.
    private static let sliceLength = Duration.milliseconds(1)
    /// Slices that have waited so long behind other work don't wait any longer.
    private static let longestWait = Duration.milliseconds(5)

    package let limits: SurveyLimits
    /// How many slices there have been, and the steps of the one that took most.
    package private(set) var slices = 0
    package private(set) var largestSlice = 0
    private let loop: any EventLoop
    private var jobs: Deque<SurveyJob> = []
    private var isQueued = false
    private var timer: (any TimerSource)?

    package init(on loop: any EventLoop, limits: SurveyLimits) {
        self.loop = loop
        self.limits = limits
    }

    /// Does the work in slices from now on, and calls `finish` right after the last.
    /// - Returns: what it is cancelled by, or by letting go of that.
    package func begin(_ work: any SlicedWork, _ finish: @escaping () -> Void) -> SurveyTicket {
        let job = SurveyJob(work, finish)
        jobs.append(job)
        enqueue()
        return SurveyTicket(job)
    }

    /// How many surveys somebody waits for.
    package var count: Int { jobs.count { !$0.isCancelled } }

    /// How many of them have begun.
    package var begunCount: Int { jobs.count { $0.work?.stepsTaken ?? 0 > 0 } }

    /// Gives up on all of them.
    package func stop() {
        for job in jobs { job.cancel() }
        jobs = []
        timer = nil
    }

    private func enqueue() {
        if jobs.isEmpty { return }
        if !isQueued {
            isQueued = true
            loop.enqueue(priority: .low) { [weak self] in
                guard let self else { return }
                isQueued = false
                work()
            }
        }
        if let timer {
            timer.reschedule(after: Self.longestWait)
        } else {
            timer = try? loop.schedule(after: Self.longestWait) { [weak self] in self?.work() }
        }
    }

    private func work() {
        let start = loop.now
        var left = limits.slice
        while left > 0, let job = nextJob() {
            guard let work = job.work else { continue }
            let before = work.stepsTaken
            let isDone = work.advance(budget: min(left, limits.look))
            left -= max(1, work.stepsTaken - before)
            if isDone {
                // What is made of it takes its time, too.
                job.finish()
                break
            }
            jobs.insert(job, at: min(jobs.count, limits.atOnce - 1))
            if start.duration(to: loop.now) >= Self.sliceLength { break }
        }
        slices += 1
        largestSlice = max(largestSlice, limits.slice - left)
        jobs.removeAll { $0.isCancelled }
        if jobs.isEmpty {
            timer = nil
        } else {
            enqueue()
        }
    }

    /// The next that is still wanted, taken out of the queue.
    private func nextJob() -> SurveyJob? {
        while let job = jobs.popFirst() {
            if !job.isCancelled { return job }
        }
        return nil
    }
}

/// A piece of work, and what comes after it.
final class SurveyJob {
    private(set) var work: (any SlicedWork)?
    private var whenDone: (() -> Void)?

    fileprivate init(_ work: any SlicedWork, _ whenDone: @escaping () -> Void) {
        self.work = work
        self.whenDone = whenDone
    }

    var isCancelled: Bool { work == nil }

    func cancel() {
        work = nil
        whenDone = nil
    }

    fileprivate func finish() {
        let told = whenDone
        cancel()
        told?()
    }
}

/// Stands for work that somebody waits for: when it is let go, nobody does.
package final class SurveyTicket {
    private let job: SurveyJob

    fileprivate init(_ job: SurveyJob) {
        self.job = job
    }

    package func cancel() { job.cancel() }

    deinit { job.cancel() }
}
