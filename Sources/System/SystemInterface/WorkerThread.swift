import Glibc

/// A thread of the system.
package enum WorkerThread {
    /// How much a background thread lets others go first: the loop always has its turn at once.
    private static let backgroundNiceness: Int32 = 10

    /// What the thread runs, in a box that goes over as a pointer.
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread that runs `body` and then is gone; nobody waits for it.
    ///
    /// - Parameters:
    ///   - isBackground: Whether it only gets what other threads leave of the processors.
    ///   - body: What it runs.
    /// - Throws: what the system says if there is no thread to be had.
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

    /// On Linux this is a property of the calling thread, not of the process. Being nicer takes no permission;
    /// where a sandbox forbids the call, the thread is as eager as the others.
    private static func makeBackground() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, backgroundNiceness)
    }

    /// How many threads the machine runs at a time; at least 1.
    package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
