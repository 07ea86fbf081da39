import Glibc

/// A clock of the system.
package enum Clock {
    /// Time that passes.
    case wall
    /// Time that the calling thread had a processor: with one thread, what others do on the machine counts less.
    case thread
    /// The same, of all threads of the process together.
    case process

    /// What it shows, in seconds from a beginning of its own.
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
