internal import DequeModule
package import EventLoops
package import PickerModel

/// Runs surveys and sorts for requests in slices, so that no request blocks the loop.
///
/// Slices have low priority: signals, clients and files run between any two slices. If those never pause, a
/// timer runs a slice regardless. At most `concurrentSurveys` surveys run at a time, in turns, because each
/// holds its results in memory; the others wait. Without work nothing is queued, no timer is set, and the
/// loop sleeps, as it does for a millisecond at a time while all work waits for changes that are still to come.
///
/// Work that nobody waits for any more is quiet: it is done one piece at a time while nothing is waited for, or in
/// one of `slicesPerQuietOne` slices, and its slices are as short as the clock is read otherwise, so that a request
/// which comes meanwhile hardly waits.
package final class SurveyQueue {
    /// The longest slice.
    private static let sliceLength = Duration.microseconds(700)
    /// The slices after which work takes long: some tens of milliseconds.
    static let slicesUntilLate = 64
    /// The longest time that a slice waits behind other work.
    private static let longestWait = Duration.milliseconds(5)
    /// The time until work that waits for long is asked again.
    private static let patience = Duration.milliseconds(1)
    /// The number of jobs up to which cancelled ones are not looked for.
    private static let fewJobs = 16

    /// One of so many slices is for quiet work, however much is waited for.
    private static let slicesPerQuietOne = 8

    package let limits: SurveyLimits
    /// The number of slices so far, and the steps of the largest one.
    package private(set) var slices = 0
    package private(set) var largestSlice = 0
    /// The work of a ticket that is held somewhere.
    private struct Job {
        weak var ticket: SurveyTicket?

        var isCancelled: Bool { ticket?.work == nil }
    }

    private let loop: any EventLoop
    private var jobs: Deque<Job> = []
    /// Those that nobody waits for.
    private var quiet: Deque<Job> = []
    /// The number of jobs at which the cancelled ones are removed: twice as many as there were without them.
    private var mostJobs = SurveyQueue.fewJobs
    /// Tickets that are told when they have waited for long, oldest first, and the slice at which that is.
    private var late: Deque<(ticket: Job, slice: Int)> = []
    private var isQueued = false
    private var timer: (any TimerSource)?

    package init(on loop: any EventLoop, limits: SurveyLimits) {
        self.loop = loop
        self.limits = limits
    }

    /// Queues `work`, and calls `finish` after its last slice.
    /// - Returns: a ticket; cancelling or releasing it cancels the work.
    package func begin(_ work: any SlicedWork, _ finish: @escaping () -> Void) -> SurveyTicket {
        let ticket = SurveyTicket(work, finish)
        if jobs.count >= mostJobs {
            jobs.removeAll { $0.isCancelled }
            mostJobs = max(Self.fewJobs, 2 * jobs.count)
        }
        jobs.append(Job(ticket: ticket))
        scheduleSlice()
        return ticket
    }

    /// Calls `body` once, unless `ticket` is done or cancelled after `slicesUntilLate` slices.
    package func whenLate(_ ticket: SurveyTicket, _ body: @escaping () -> Void) {
        ticket.whenLate = body
        late.append((Job(ticket: ticket), slices + Self.slicesUntilLate))
    }

    private func tellLate() {
        while let first = late.first, first.slice <= slices || first.ticket.isCancelled {
            late.removeFirst()
            let told = first.ticket.ticket?.whenLate
            first.ticket.ticket?.whenLate = nil
            told?()
        }
    }

    /// The number of surveys that are not cancelled.
    package var count: Int { jobs.count { !$0.isCancelled } + quiet.count { !$0.isCancelled } }

    /// The number of surveys that have begun.
    package var begunCount: Int {
        (jobs + quiet).count { $0.ticket?.work?.stepsTaken ?? 0 > 0 }
    }

    /// Lets go of an object in a turn to come, before the next slice: to free the memory of a long list takes about as long
    /// as to tell the rows of the one that replaces it, which is done first.
    package func release(_ object: AnyObject) {
        loop.enqueue(priority: .low) { withExtendedLifetime(object) {} }
    }

    /// Cancels all surveys.
    package func stop() {
        for job in jobs + quiet { job.ticket?.cancel() }
        jobs = []
        quiet = []
        late = []
        timer = nil
    }

    /// Schedules the next slice, if there is work: soon, or when all that is waited for has waited for a while.
    private func scheduleSlice(isPatient: Bool = false) {
        if jobs.isEmpty, quiet.isEmpty { return }
        let wait = isPatient ? Self.patience : Self.longestWait
        if !isQueued, !isPatient {
            isQueued = true
            loop.enqueue(priority: .low) { [weak self] in
                guard let self else { return }
                isQueued = false
                runSlice()
            }
        }
        if let timer {
            timer.reschedule(after: wait)
        } else {
            timer = try? loop.schedule(after: wait) { [weak self] in self?.runSlice() }
        }
    }

    private func runSlice() {
        let start = loop.now
        var left = limits.slice
        // The number of jobs in a row that have waited in this slice.
        var waited = 0
        var isQuiet = slices % Self.slicesPerQuietOne == Self.slicesPerQuietOne - 1
        while left > 0, waited < max(1, jobs.count + quiet.count), let job = takeJob(&isQuiet) {
            // It may be cancelled.
            guard let ticket = job.ticket, let work = ticket.work else { continue }
            if ticket.waitedIn == slices {
                if isQuiet { quiet.append(job) } else { jobs.append(job) }
                waited += 1
                continue
            }
            let before = work.stepsTaken
            let isDone = work.advance(budget: min(left, limits.stepsPerClockCheck))
            left -= max(1, work.stepsTaken - before)
            if isDone {
                // `finish` may take time as well.
                let time = start.duration(to: loop.now)
                if work.mayEndLater, time > Self.sliceLength / 4, !ticket.isEnding {
                    ticket.isEnding = true
                    jobs.insert(job, at: 0)
                } else {
                    ticket.finish()
                }
                break
            }
            if work.isWaiting {
                // It makes room for all others, and is asked again in the next slice.
                ticket.waitedIn = slices
                if work.isAwaited { jobs.append(job) } else { quiet.append(job) }
                continue
            }
            if !work.isAwaited {
                quiet.insert(job, at: isQuiet ? 0 : quiet.count)
                // What it has told is sent first.
                break
            }
            waited = 0
            jobs.insert(job, at: min(jobs.count, limits.concurrentSurveys - 1))
            if work.hasNews { break }
            if start.duration(to: loop.now) >= Self.sliceLength { break }
        }
        let isPatient = waited > 0 && isPatient(inSlice: slices)
        slices += 1
        largestSlice = max(largestSlice, limits.slice - left)
        tellLate()
        // Others that are cancelled are passed over when their turn comes.
        while let first = jobs.first, first.isCancelled { jobs.removeFirst() }
        quiet.removeAll { $0.isCancelled }
        if jobs.isEmpty, quiet.isEmpty {
            timer = nil
        } else {
            scheduleSlice(isPatient: isPatient)
        }
    }

    /// Whether all work has waited in a slice, and will for a while.
    private func isPatient(inSlice slice: Int) -> Bool {
        (jobs + quiet).allSatisfy { job in
            guard let ticket = job.ticket, let work = ticket.work else { return true }
            return ticket.waitedIn == slice && work.isPatient
        }
    }

    /// The next job: one that is waited for, if there is any, unless the slice is for a quiet one.
    private func takeJob(_ isQuiet: inout Bool) -> Job? {
        if isQuiet, let job = quiet.popFirst() { return job }
        if let job = jobs.popFirst() {
            isQuiet = false
            return job
        }
        isQuiet = true
        return quiet.popFirst()
    }
}

/// A piece of work and its completion handler; releasing the ticket cancels the work.
package final class SurveyTicket {
    fileprivate private(set) var work: (any SlicedWork)?
    private var whenDone: (() -> Void)?
    /// The number of the slice in which it has last waited.
    fileprivate var waitedIn = -1
    fileprivate var whenLate: (() -> Void)?
    /// Its work is done, but the slice had been used for that.
    fileprivate var isEnding = false

    fileprivate init(_ work: any SlicedWork, _ whenDone: @escaping () -> Void) {
        self.work = work
        self.whenDone = whenDone
    }

    package func cancel() {
        work = nil
        whenDone = nil
        whenLate = nil
    }

    fileprivate func finish() {
        let told = whenDone
        cancel()
        told?()
    }
}
