import Glibc

/// A clock of the system.
package enum Clock {
    /// Wall-clock time.
    case wall
    /// Processor time of the calling thread: for a single thread, other load on the machine matters less.
    case thread
    /// Processor time of all threads of the process.
    case process

    /// The current time, in seconds from an arbitrary origin.
    package var seconds: Double {
        let clock =
            switch self {
            case .wall: CLOCK_MONOTONIC
            case .thread: CLOCK_THREAD_CPUTIME_ID
            case .process: CLOCK_PROCESS_CPUTIME_ID
            }
        var time = timespec()
        // Writes one timespec.
        _ = unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// The processor time of `body`, which runs on this thread alone, in seconds.
package func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = Clock.thread.seconds
    try body()
    return Clock.thread.seconds - start
}
