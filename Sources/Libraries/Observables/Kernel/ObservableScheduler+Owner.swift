// Each owner has one scheduler. A source looks it up when it is created; from then on every node keeps
// it. Thread-specific data holds the schedulers of threads. A table holds those of actors and tasks
// weakly, because nothing announces the end of an actor or a task. Such a scheduler lives as long as one
// of its observables, or any other reference to it; the main actor's scheduler lives forever.

internal import CSwiftRuntime
internal import Glibc
internal import Synchronization

extension ObservableScheduler {
    private struct Entry {
        weak var scheduler: ObservableScheduler?
        /// A strong reference, if the scheduler lives forever.
        var kept: ObservableScheduler?
    }

    private static let lock = Mutex(())
    /// The schedulers of actors and tasks, at most one entry per live owner.
    // Unchecked: accessed only under `lock`, which can't hold it because schedulers are not Sendable.
    nonisolated(unsafe) private static var entries: [Owner: Entry] = [:]

    /// The key of the thread-specific data that holds a thread's scheduler.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // The destructor runs when a thread ends and drops the thread's own reference; sources that
        // outlive their thread keep theirs.
        let status = unsafe pthread_key_create(&key) { pointer in
            guard let pointer = unsafe pointer else { return }
            unsafe Unmanaged<ObservableScheduler>.fromOpaque(pointer).release()
        }
        require(status == 0, "No key for thread-specific data is left (error \(status)).")
        return key
    }()

    /// The scheduler of the actor or task that runs the calling code, or else of the current thread.
    public static var current: ObservableScheduler {
        if let owner = Owner.currentActorOrTask { return scheduler(of: owner) }
        // Only the value stored below is ever stored under this key, and it is retained.
        if let pointer = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<ObservableScheduler>.fromOpaque(pointer).takeUnretainedValue()
        }
        let scheduler =
            is_first_thread()
            ? scheduler(of: .mainActor) : ObservableScheduler(owner: .thread(pthread_self()))
        let status = unsafe pthread_setspecific(
            key, Unmanaged.passRetained(scheduler).toOpaque())
        require(status == 0, "Thread-specific data could not be stored (error \(status)).")
        return scheduler
    }

    private static func scheduler(of owner: Owner) -> ObservableScheduler {
        // The lock protects the table. A scheduler is returned only to its owner, which is the caller.
        // Unchecked: the closure runs on this thread before `withLock` returns.
        nonisolated(unsafe) var known: ObservableScheduler?
        lock.withLock { _ in unsafe known = unsafe entries[owner]?.scheduler }
        if let known = unsafe known { return known }
        // No other code can have created one meanwhile: an owner does one thing at a time.
        let scheduler = ObservableScheduler(owner: owner)
        let entry = Entry(scheduler: scheduler, kept: owner == .mainActor ? scheduler : nil)
        // Unchecked: entries are read under the lock, and a scheduler is used only by its owner.
        nonisolated(unsafe) let stored = entry
        lock.withLock { _ in unsafe entries[owner] = stored }
        return scheduler
    }

    /// Removes the entry of an owner that has ended, unless it already holds a new scheduler.
    static func forget(_ owner: Owner) {
        if case .thread = owner { return }
        lock.withLock { _ in
            if unsafe entries[owner]?.scheduler == nil { unsafe entries[owner] = nil }
        }
    }

    /// The number of actors and tasks with a scheduler.
    package static var ownerCount: Int { lock.withLock { _ in unsafe entries.count } }

    // MARK: - Checking

    /// Stops the program unless the owner runs the calling code.
    func checkOwner() {
        if !isOwnThread, !isOwnerCurrent { Self.stopForeignUse() }
    }

    /// Whether the owner runs the calling code, or is an actor that no longer exists.
    var isOwnerCurrent: Bool { owner.isCurrent(executor: executor) }

    /// The scheduler of the running actor, to which an idle node moves when it is used there. `nil`
    /// outside of actors, where nothing proves that the use is safe.
    static var ofCurrentActor: ObservableScheduler? {
        Owner.currentActor.map { scheduler(of: $0) }
    }

    static func stopForeignUse() -> Never {
        stop(
            """
            An observable was used on another thread, or by another task or actor, than its own. \
            Observables are confined to one thread, task or actor: send values across and write \
            them there.
            """)
    }

    static func stopForeignInput() -> Never {
        stop("Observables of different threads, tasks or actors cannot be combined.")
    }
}
