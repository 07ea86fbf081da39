import CLinux
import Glibc

/// The end of a child.
package enum ChildEnd: Hashable, Sendable {
    /// With this exit status.
    case exited(Int32)
    /// By this signal.
    case killed(Int32)
}

extension ChildProcess {
    /// A descriptor that is readable once the child `pid` has ended: for a loop, which then asks for its end.
    package static func watch(_ pid: Int32) throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(
            adopting: try systemCall("watch a program") { clinux_process_descriptor(pid) })
    }

    /// The end of the child `pid`, which reaps it; nil while it runs. Call it after a SIGCHLD, or when `watch` says so.
    package static func end(of pid: Int32) throws(SystemError) -> ChildEnd? {
        precondition(pid > 1, "0 and negative numbers mean other processes than a child")
        var status: Int32 = 0
        let waited = try systemCall("wait for a program") {
            // The pointer is to a local variable that outlives the call.
            unsafe waitpid(pid, &status, WNOHANG)
        }
        if waited == 0 { return nil }
        // The lower seven bits are the signal, the next byte the exit status: see wait(2).
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
    }
}
