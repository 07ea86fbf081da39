import Glibc
import Synchronization

// A few threads that wait for work together and do it together.
//
// The work is one function for the life of the pool, so that a run allocates nothing; it is called
// with the number of the worker, from 0, and shares the work out itself. Who calls `run` is worker 0.
// A thread that wakes up late finds the run over and goes back to sleep: nobody waits for it.
//
// The threads never hold the pool. They hold a block of memory and the work; the pool ends them
// before it frees either.

/// Runs one function on several threads at a time.
@safe final class WorkerPool {
    /// How many workers there are, the caller of ``run()`` among them.
    let workers: Int
    private let shared: UnsafeMutablePointer<Shared>
    private var threads: [pthread_t] = []

    /// A pool of `workers` threads, or of as many as the system grants.
    ///
    /// - Parameters:
    ///   - workers: At least 1.
    ///   - work: Called on every worker at once; whatever it touches, it shares out itself.
    init(workers: Int, work: @escaping (Int) -> Void) {
        let shared = UnsafeMutablePointer<Shared>.allocate(capacity: 1)
        // Fresh memory for one; it is freed in deinit alone.
        unsafe shared.initialize(to: Shared(work: work))
        unsafe pthread_mutex_init(&shared.pointee.mutex, nil)
        unsafe pthread_cond_init(&shared.pointee.changed, nil)
        unsafe self.shared = unsafe shared
        // Signals are for the program's own threads: these have all of them blocked, as a new thread has
        // what its maker has. The sets are written before they are read.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        for number in 1..<max(workers, 1) {
            var thread = pthread_t()
            let start = unsafe Start(shared: shared, number: number)
            let retained = unsafe Unmanaged.passRetained(start)
            // The thread takes over the start; if there is none, it is released here.
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

    /// Does the work once, on all workers that come in time, and returns when it is done.
    func run() {
        // Every field but `work` is read and written with the mutex held; `work` never changes.
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

    /// What the threads share.
    @unsafe fileprivate struct Shared {
        var mutex = unsafe pthread_mutex_t()
        var changed = pthread_cond_t()
        var run = 0
        var open = false
        var active = 0
        var ending = false
        let work: (Int) -> Void
    }

    /// What a new thread is told.
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
    // The pointer is the retained start that `init` passed, and this is the only taker.
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
