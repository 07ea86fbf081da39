internal import Glibc
internal import SystemInterface

/// A thread of the system.
enum WorkerThread {
    /// What the thread runs, in a box that goes over as a pointer.
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread that runs `body` and then is gone; nobody waits for it.
    static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var thread = pthread_t()
        // The box is retained here and released by the thread, which takes it once.
        let box = unsafe Unmanaged.passRetained(Body(body))
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
}
