import Glibc
import Synchronization

// A pool of threads that wait for work together and process it together.
//
// The work is one function for the lifetime of the pool, so a run allocates nothing. It receives the
// number of the worker, from 0, and divides the work itself. The caller of `run` is worker 0. A thread
// that wakes up after the run is over goes back to sleep: no thread waits for it.
//
// The threads never retain the pool. They hold a block of memory and the work; the pool ends them before
// it frees either.

/// Runs one function on several threads simultaneously.
@safe final class WorkerPool {
    /// The number of workers, including the caller of ``run()``.
    let workers: Int
    private let shared: UnsafeMutablePointer<Shared>
    private var threads: [pthread_t] = []

    /// A pool of `workers` threads, or as many as the system grants.
    ///
    /// - Parameters:
    ///   - workers: At least 1.
    ///   - work: Called on every worker simultaneously; it divides its work itself.
    init(workers: Int, work: @escaping (Int) -> Void) {
        let shared = UnsafeMutablePointer<Shared>.allocate(capacity: 1)
        // New memory for one value; it is freed only in deinit.
        unsafe shared.initialize(to: Shared(work: work))
        unsafe pthread_mutex_init(&shared.pointee.mutex, nil)
        unsafe pthread_cond_init(&shared.pointee.changed, nil)
        unsafe self.shared = unsafe shared
        // Signals belong to the program's own threads: these threads block all of them, as a new thread
        // inherits the mask of its creator. The sets are written before they are read.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        for number in 1..<max(workers, 1) {
            var thread = pthread_t()
            let start = unsafe Start(shared: shared, number: number)
            let retained = unsafe Unmanaged.passRetained(start)
            // The thread takes ownership of the start; if creation failed, it is released here.
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
        // `shared` lives until all threads have ended.
        unsafe pthread_mutex_lock(&shared.pointee.mutex)
        unsafe shared.pointee.ending = true
        unsafe pthread_cond_broadcast(&shared.pointee.changed)
        unsafe pthread_mutex_unlock(&shared.pointee.mutex)
        for thread in threads { pthread_join(thread, nil) }
        unsafe pthread_cond_destroy(&shared.pointee.changed)
        unsafe pthread_mutex_destroy(&shared.pointee.mutex)
        unsafe shared.deinitialize(count: 1)
        unsafe shared.deallocate()
    }

    /// Runs the work once, on all workers that wake up in time, and returns when it is done.
    func run() {
        // Every field except `work` is accessed with the mutex held; `work` never changes.
        unsafe pthread_mutex_lock(&shared.pointee.mutex)
        unsafe shared.pointee.run += 1
        unsafe shared.pointee.open = true
        unsafe pthread_cond_broadcast(&shared.pointee.changed)
        unsafe pthread_mutex_unlock(&shared.pointee.mutex)
        unsafe shared.pointee.work(0)
        unsafe pthread_mutex_lock(&shared.pointee.mutex)
        unsafe shared.pointee.open = false
        while unsafe shared.pointee.active > 0 {
            unsafe pthread_cond_wait(&shared.pointee.changed, &shared.pointee.mutex)
        }
        unsafe pthread_mutex_unlock(&shared.pointee.mutex)
    }

    /// The state shared by the threads.
    @unsafe fileprivate struct Shared {
        var mutex = unsafe pthread_mutex_t()
        var changed = pthread_cond_t()
        var run = 0
        var open = false
        var active = 0
        var ending = false
        let work: (Int) -> Void
    }

    /// The argument of a new thread.
    @safe fileprivate final class Start {
        let shared: UnsafeMutablePointer<Shared>
        let number: Int

        init(shared: UnsafeMutablePointer<Shared>, number: Int) {
            unsafe self.shared = unsafe shared
            self.number = number
        }
    }
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    // The pointer is the retained start that `init` passed, and is released only here.
    let start = unsafe Unmanaged<WorkerPool.Start>.fromOpaque(argument).takeRetainedValue()
    // The pool frees `shared` only after this thread has ended.
    let shared = unsafe start.shared
    var seen = 0
    unsafe pthread_mutex_lock(&shared.pointee.mutex)
    while unsafe !shared.pointee.ending {
        guard unsafe shared.pointee.open, unsafe shared.pointee.run != seen else {
            unsafe pthread_cond_wait(&shared.pointee.changed, &shared.pointee.mutex)
            continue
        }
        seen = unsafe shared.pointee.run
        unsafe shared.pointee.active += 1
        unsafe pthread_mutex_unlock(&shared.pointee.mutex)
        unsafe shared.pointee.work(start.number)
        unsafe pthread_mutex_lock(&shared.pointee.mutex)
        unsafe shared.pointee.active -= 1
        if unsafe shared.pointee.active == 0 {
            unsafe pthread_cond_broadcast(&shared.pointee.changed)
        }
    }
    unsafe pthread_mutex_unlock(&shared.pointee.mutex)
    return nil
}
