// Each thread finds its scheduler by a key of thread-specific data. It is looked up when a source
// is made; from then on every node keeps it.

internal import Glibc

extension ObservableScheduler {
    /// The key under which each thread keeps its scheduler.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // The destructor runs when a thread ends and gives up the thread's own reference; sources
        // that outlive their thread keep theirs.
        let status = unsafe pthread_key_create(&key) { pointer in
            guard let pointer = unsafe pointer else { return }
            unsafe Unmanaged<ObservableScheduler>.fromOpaque(pointer).release()
        }
        precondition(status == 0, "No key for thread-specific data is left (error \(status)).")
        return key
    }()

    /// The scheduler of the calling thread.
    public static var current: ObservableScheduler {
        // Only what is stored below ever lies under this key, with a reference of its own.
        if let pointer = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<ObservableScheduler>.fromOpaque(pointer).takeUnretainedValue()
        }
        let scheduler = ObservableScheduler()
        let status = unsafe pthread_setspecific(
            key, Unmanaged.passRetained(scheduler).toOpaque())
        precondition(status == 0, "Thread-specific data could not be stored (error \(status)).")
        return scheduler
    }
}
