// Processor time, which unlike elapsed time is no longer on a busy machine.

import Glibc

/// The time that threads and processes have run, without waits.
package enum ProcessorTime {
    /// The time of this thread.
    package static func ofThread() -> Duration {
        time(of: CLOCK_THREAD_CPUTIME_ID)
    }

    /// The time of a process's threads; nil if there is no such process.
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
