// How much processors have worked. Unlike a wait, work takes no longer on a machine that has more to do.

import Glibc

/// Time that threads and processes have run, and not waited to run.
package enum ProcessorTime {
    /// This thread's.
    package static func ofThread() -> Duration {
        time(of: CLOCK_THREAD_CPUTIME_ID)
    }

    /// That of a process's threads; nil if there is no such process.
    package static func of(_ pid: Int32) -> Duration? {
        var clock = clockid_t()
        // The address is of a local variable.
        guard unsafe clock_getcpuclockid(pid, &clock) == 0 else { return nil }
        return time(of: clock)
    }

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        // The address is of a local variable.
        _ = unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
