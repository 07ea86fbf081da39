// The owner of observables. No two pieces of work may use one graph at once. Swift guarantees this for
// an actor, including the main actor, and for a task, whichever threads they run on; all other code has
// this guarantee per thread. So the owner is the actor whose executor runs the calling code, or else its
// task, or else its thread.
//
// The first thread of the process belongs to the main actor even outside of any task, as in Swift
// itself. The addresses of an executor, a task and a thread identify them; an address is unique while
// its object exists. If one has ended and another has its address, the new one can use the observables
// of the old one. That is harmless: there is still only one at a time.

internal import CSwiftRuntime
internal import Glibc

/// An actor, a task or a thread.
enum Owner: Hashable {
    case mainActor
    /// An actor's executor, as the two words of Swift's representation. An actor without a custom
    /// executor is its own executor.
    case executor(identity: UInt, implementation: UInt)
    case task(UInt)
    case thread(pthread_t)

    /// The actor or task that runs the calling code, or `nil` on a plain thread.
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

    /// The main actor's executor, which never changes.
    // `UnownedSerialExecutor` is frozen and is those two words.
    private static let mainExecutor = unsafe unsafeBitCast(
        MainActor.sharedUnownedExecutor, to: serial_executor.self)

    /// Whether the owner runs the calling code. `executor` is the owner's, if it has one that can be
    /// released.
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
            // A released actor runs no code: the current holder of its observable, such as the code that
            // destroys the actor's properties, is the only one.
            guard let executor else { return true }
            // Executors may compare equal, or implement their own check for running.
            return withExtendedLifetime(executor) {
                implementation != 0
                    && is_current_executor(
                        serial_executor(identity: identity, implementation: implementation))
            }
        case .task(let task): return current.identity == 0 && current_task() == task
        case .thread(let thread): return pthread_equal(thread, pthread_self()) != 0
        }
    }

    /// The executor of an actor other than the main actor. Only code that runs on it may call this.
    var executor: AnyObject? {
        guard case .executor(let identity, _) = self,
            let pointer = unsafe UnsafeRawPointer(bitPattern: identity)
        else { return nil }
        // An executor is an object, and lives while it runs code.
        return unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
    }
}
