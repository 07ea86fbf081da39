// Each owner has one scheduler. It is looked up when a source is made; from then on every node keeps it.
// Those of threads are found by a key of thread-specific data, those of actors and tasks in a table,
// which holds them weakly: nobody says when an actor or a task ends. So such a scheduler lives as long
// as an observable of it, or whoever else holds it; the main actor's lives on.

internal import CSwiftRuntime
internal import Glibc
internal import Synchronization

extension ObservableScheduler {
    private struct Entry {
        weak var scheduler: ObservableScheduler?
        /// The same, if it is to live on.
        var kept: ObservableScheduler?
    }

    private static let lock = Mutex(())
    /// The schedulers of actors and tasks, at most one entry for each that is alive.
    // Unchecked: it is read and written under `lock` only, and schedulers are not Sendable, so that the lock
    // can't hold it.
    nonisolated(unsafe) private static var entries: [Owner: Entry] = [:]

    /// The key under which each thread keeps its scheduler.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // The destructor runs when a thread ends and gives up the thread's own reference; sources
        // that outlive their thread keep theirs.
        let status = unsafe pthread_key_create(&key) { pointer in
            guard let pointer = unsafe pointer else { return }
            unsafe Unmanaged<ObservableScheduler>.fromOpaque(pointer).release()
        }
        require(status == 0, "No key for thread-specific data is left (error \(status)).")
        return key
    }()

    /// The scheduler of the actor, the task or else the thread that runs the calling code.
    public static var current: ObservableScheduler {
        if let owner = Owner.currentActorOrTask { return scheduler(of: owner) }
        // Only what is stored below ever lies under this key, with a reference of its own.
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
        // What the lock is for is the table. A scheduler goes to nobody but its owner, and that is who
        // is asking.
        // Unchecked: the closure runs on this thread before `withLock` returns.
        nonisolated(unsafe) var known: ObservableScheduler?
        lock.withLock { _ in unsafe known = unsafe entries[owner]?.scheduler }
        if let known = unsafe known { return known }
        // Nobody else can have made one meanwhile: an owner does one thing at a time.
        let scheduler = ObservableScheduler(owner: owner)
        let entry = Entry(scheduler: scheduler, kept: owner == .mainActor ? scheduler : nil)
        // Unchecked for the same reason: only the entry's own owner reads the scheduler in it.
        nonisolated(unsafe) let stored = entry
        lock.withLock { _ in unsafe entries[owner] = stored }
        return scheduler
    }

    /// Forgets the scheduler of an owner that has gone, unless there is a new one by now.
    static func forget(_ owner: Owner) {
        if case .thread = owner { return }
        lock.withLock { _ in
            if unsafe entries[owner]?.scheduler == nil { unsafe entries[owner] = nil }
        }
    }

    /// How many actors and tasks have a scheduler.
    package static var ownerCount: Int { lock.withLock { _ in unsafe entries.count } }

    // MARK: - Checking

    /// Stops the program unless called by the owner.
    func checkOwner() {
        if !isOwnThread, !isOwnerCurrent { Self.stopForeignUse() }
    }

    /// Whether the owner runs the calling code, or is an actor that is no more.
    var isOwnerCurrent: Bool { owner.isCurrent(executor: executor) }

    /// Where something goes that is used here and not where it belongs: to the actor at work. `nil` if
    /// there is none, as then nothing says that the use is right.
    static var adopting: ObservableScheduler? {
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
