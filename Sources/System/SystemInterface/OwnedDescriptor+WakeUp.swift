// A descriptor that one thread makes readable to wake another.

import CLinux

extension OwnedDescriptor {
    /// A counter that is readable between `signalWakeUp` and `clearWakeUp`, which any thread may call.
    package static func wakeUp() throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(adopting: try systemCall("make a wake-up counter") { clinux_eventfd() })
    }

    package func signalWakeUp() {
        // It fails only when the counter is full, and then it is readable already.
        _ = clinux_eventfd_add(number)
    }

    package func clearWakeUp() {
        // It fails only when there is nothing to clear.
        _ = clinux_eventfd_clear(number)
    }
}
