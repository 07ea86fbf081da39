import CLinux
import Glibc

/// A thread of the system.
package enum WorkerThread {
    /// The niceness of a background thread, so that the loop always preempts it.
    private static let backgroundNiceness: Int32 = 10

    /// The body of the thread, in a box that is passed as a pointer.
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread that runs `body`.
    ///
    /// - Parameters:
    ///   - isBackground: Whether it has a lower priority than other threads, on processors and at disks.
    ///   - body: What it runs.
    /// - Throws: the system's error if no thread can be started.
    package static func start(
        isBackground: Bool = false, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let whole: @Sendable () -> Void = {
            if isBackground { makeBackground() }
            body()
        }
        var thread = pthread_t()
        // The box is retained here and released by the thread, which takes it once.
        let box = unsafe Unmanaged.passRetained(Body(whole))
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                body.run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            throw SystemError(ErrorNumber(rawValue: code), operation: "start a thread")
        }
        pthread_detach(thread)
    }

    /// On Linux, niceness and the priority at disks belong to the calling thread, not to the process. Raising the one
    /// and lowering the other needs no permission; where a sandbox forbids a call, the thread keeps the normal one.
    private static func makeBackground() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, backgroundNiceness)
        _ = clinux_lower_io_priority()
    }

    /// The number of processors that this thread, and each that it starts, may use; at least 1.
    package static var processorCount: Int { Int(clinux_processor_count()) }
}
