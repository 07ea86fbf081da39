internal import Glibc
internal import Synchronization

// A pool of threads that wait for work together and process it together.
//
// The work is one function for the lifetime of the pool, so a run allocates nothing. It receives the
// number of the worker, from 0, and divides the work itself. The caller of `run` is worker 0. A thread
// that wakes up after the run is over goes back to sleep: no thread waits for it.
//
// Waking a thread takes as long as some runs do. So a thread looks for the next run for a while before it sleeps, and
// the caller looks for the end of the others' work for a while before it does.
//
// Each of two pairs decides who acts: both sides write their word, then read the other's, in one order for all threads.
// - A run is open, or a thread is active: a thread that counted itself as active while the run was open is waited for,
//   and any other does nothing.
// - A run is told, or a thread is asleep: a thread that counted itself as asleep before is woken, and any other sees it.
//
// The threads never retain the pool. They hold what is shared; the pool ends them before it goes.

/// Runs one function on several threads simultaneously.
@safe package final class WorkerPool {
    /// The number of workers, including the caller of ``run()``.
    package let workers: Int
    private let shared: Shared
    private var threads: [pthread_t] = []

    /// A pool of `workers` threads, or as many as the system grants.
    ///
    /// - Parameters:
    ///   - workers: At least 1.
    ///   - work: Called on every worker simultaneously; it divides its work itself.
    package init(workers: Int, work: @escaping (Int) -> Void) {
        shared = Shared(work: work)
        // Signals belong to the program's own threads: these threads block all of them, as a new thread
        // inherits the mask of its creator. The sets are written before they are read.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        for number in 1..<max(workers, 1) {
            var thread = pthread_t()
            // The thread takes ownership of the start; if creation failed, it is released here.
            let retained = unsafe Unmanaged.passRetained(Start(shared: shared, number: number))
            let result = unsafe pthread_create(&thread, nil, threadMain, retained.toOpaque())
            guard result == 0 else {
                unsafe retained.release()
                break
            }
            threads.append(thread)
        }
        self.workers = threads.count + 1
    }

    deinit {
        shared.end()
        for thread in threads { pthread_join(thread, nil) }
    }

    /// Runs the work once, on all workers that wake up in time, and returns when it is done.
    /// - Returns: how long the caller has slept until the others were done, most often not at all. They lack processors if
    ///   that is longer than their work takes.
    @discardableResult
    package func run() -> Duration { shared.run() }
}

/// What the threads of a pool share.
@safe private final class Shared {
    /// How long a thread looks for something that comes soon, before it sleeps.
    private static let patience = Duration.microseconds(100)

    private let work: (Int) -> Void
    /// The number of runs so far.
    private let runs = Atomic<Int>(0)
    private let isOpen = Atomic<Bool>(false)
    /// The number of threads that work, or look whether the run is open.
    private let active = Atomic<Int>(0)
    private let isEnding = Atomic<Bool>(false)
    /// The number of threads that sleep, or are about to.
    private let asleep = Atomic<Int>(0)
    /// Whether the caller sleeps until no thread is active, or is about to.
    private let isCallerAsleep = Atomic<Bool>(false)
    private let lock: UnsafeMutablePointer<Lock>

    /// Guards only the sleep: what is waited for is in the words above.
    @unsafe private struct Lock {
        var mutex = unsafe pthread_mutex_t()
        var changed = pthread_cond_t()
    }

    init(work: @escaping (Int) -> Void) {
        self.work = work
        unsafe lock = UnsafeMutablePointer<Lock>.allocate(capacity: 1)
        // New memory for one value; it is freed only in deinit.
        unsafe lock.initialize(to: Lock())
        unsafe pthread_mutex_init(&lock.pointee.mutex, nil)
        unsafe pthread_cond_init(&lock.pointee.changed, nil)
    }

    deinit {
        // No thread has it any more.
        unsafe pthread_cond_destroy(&lock.pointee.changed)
        unsafe pthread_mutex_destroy(&lock.pointee.mutex)
        unsafe lock.deinitialize(count: 1)
        unsafe lock.deallocate()
    }

    func run() -> Duration {
        isOpen.store(true, ordering: .sequentiallyConsistent)
        runs.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if asleep.load(ordering: .sequentiallyConsistent) > 0 { wakeAll() }
        work(0)
        isOpen.store(false, ordering: .sequentiallyConsistent)
        if wait(until: { self.areOthersDone }) { return .zero }
        let begun = ContinuousClock.now
        isCallerAsleep.store(true, ordering: .sequentiallyConsistent)
        sleep(until: { self.areOthersDone })
        isCallerAsleep.store(false, ordering: .sequentiallyConsistent)
        return begun.duration(to: .now)
    }

    private var areOthersDone: Bool { active.load(ordering: .sequentiallyConsistent) == 0 }

    /// Works in each run, until the end.
    func serve(as number: Int) {
        var seen = 0
        func isCalled() -> Bool {
            runs.load(ordering: .sequentiallyConsistent) != seen
                || isEnding.load(ordering: .sequentiallyConsistent)
        }
        while true {
            if !wait(until: isCalled) {
                asleep.wrappingAdd(1, ordering: .sequentiallyConsistent)
                sleep(until: isCalled)
                asleep.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            if isEnding.load(ordering: .sequentiallyConsistent) { return }
            seen = runs.load(ordering: .sequentiallyConsistent)
            active.wrappingAdd(1, ordering: .sequentiallyConsistent)
            if isOpen.load(ordering: .sequentiallyConsistent) { work(number) }
            let others = active.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue
            if others == 0, isCallerAsleep.load(ordering: .sequentiallyConsistent) { wakeAll() }
        }
    }

    func end() {
        isEnding.store(true, ordering: .sequentiallyConsistent)
        wakeAll()
    }

    // MARK: Waiting

    /// Looks for a condition for a while; answers whether it holds.
    private func wait(until condition: () -> Bool) -> Bool {
        if condition() { return true }
        let end = ContinuousClock.now + Self.patience
        repeat {
            if condition() { return true }
        } while ContinuousClock.now < end
        return false
    }

    /// Sleeps until a condition holds. Whoever makes it hold wakes all.
    private func sleep(until condition: () -> Bool) {
        unsafe pthread_mutex_lock(&lock.pointee.mutex)
        while !condition() {
            unsafe pthread_cond_wait(&lock.pointee.changed, &lock.pointee.mutex)
        }
        unsafe pthread_mutex_unlock(&lock.pointee.mutex)
    }

    private func wakeAll() {
        // With the mutex held nobody is between a look at the condition and its sleep.
        unsafe pthread_mutex_lock(&lock.pointee.mutex)
        unsafe pthread_cond_broadcast(&lock.pointee.changed)
        unsafe pthread_mutex_unlock(&lock.pointee.mutex)
    }
}

/// The argument of a new thread.
private final class Start {
    let shared: Shared
    let number: Int

    init(shared: Shared, number: Int) {
        self.shared = shared
        self.number = number
    }
}

/// A thread that is woken would else take the processor of the caller, who is in the midst of the same work. Without
/// permission it does.
private func letOthersFinish() {
    // SCHED_BATCH, which the module of the C library leaves out.
    let policy: Int32 = 3
    var parameters = sched_param()
    _ = unsafe pthread_setschedparam(pthread_self(), policy, &parameters)
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    // The pointer is the retained start that `init` passed, and is released only here.
    let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    letOthersFinish()
    start.shared.serve(as: start.number)
    return nil
}
