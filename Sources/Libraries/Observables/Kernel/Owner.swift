// Whose observables are. What counts is that no two pieces of work use one graph at once, and Swift
// gives that word for an actor, the main actor among them, and for a task, whichever threads they run
// on; for everything else it holds for a thread. So an owner is found by asking, in this order: which
// actor's executor runs this, which task is it part of, which thread is it on.
//
// The first thread of the process is the main actor's, also outside of any task: so does Swift itself
// see it. An executor, a task and a thread are known by their addresses, which are nobody else's while
// they exist. If one has ended and another has taken its address, the new one can use what the old one
// left behind, which does no harm: there is still one at a time.

internal import CSwiftRuntime
internal import Glibc

/// An actor, a task or a thread.
enum Owner: Hashable {
    case mainActor
    /// An actor's executor, in Swift's own two words; an actor without one of its own is its executor.
    case executor(identity: UInt, implementation: UInt)
    case task(UInt)
    case thread(pthread_t)

    /// The one that runs the calling code, but for a thread that no actor and no task has at work.
    static var currentActorOrTask: Owner? {
        let executor = current_executor()
        if executor.identity != 0 { return Owner(executor) }
        let task = current_task()
        return task == 0 ? nil : .task(task)
    }

    /// The actor that runs the calling code.
    static var currentActor: Owner? {
        let executor = current_executor()
        return executor.identity == 0 ? nil : Owner(executor)
    }

    private init(_ executor: serial_executor) {
        let main = Self.mainExecutor
        let isMain =
            executor.identity == main.identity && executor.implementation == main.implementation
        self =
            isMain
            ? .mainActor
            : .executor(
                identity: executor.identity, implementation: executor.implementation)
    }

    /// The main actor's executor, which is the same as long as the process runs.
    // `UnownedSerialExecutor` is frozen and is those two words.
    private static let mainExecutor = unsafe unsafeBitCast(
        MainActor.sharedUnownedExecutor, to: serial_executor.self)

    /// Whether it runs the calling code. `executor` is the owner's, if it has one that can go.
    func isCurrent(executor: AnyObject?) -> Bool {
        let current = current_executor()
        switch self {
        case .mainActor:
            let main = Self.mainExecutor
            return current.identity == main.identity || is_current_executor(main)
        case .executor(let identity, let implementation):
            if current.identity == identity, current.implementation == implementation {
                return true
            }
            // Where there is none any more, nobody is called by it: whoever holds an observable of it,
            // such as what takes the actor's properties apart, has it alone.
            guard let executor else { return true }
            // Executors may count as the same, or know by themselves that they are at work.
            return withExtendedLifetime(executor) {
                implementation != 0
                    && is_current_executor(
                        serial_executor(identity: identity, implementation: implementation))
            }
        case .task(let task): return current.identity == 0 && current_task() == task
        case .thread(let thread): return pthread_equal(thread, pthread_self()) != 0
        }
    }

    /// The executor of an actor other than the main one. To be asked only by what it runs.
    var executor: AnyObject? {
        guard case .executor(let identity, _) = self,
            let pointer = unsafe UnsafeRawPointer(bitPattern: identity)
        else { return nil }
        // An executor is an object, and lives while it is at work.
        return unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
    }
}
