internal import Glibc
internal import SystemInterface

// Sees to the end of the process. A thread that does nothing else waits for SIGTERM and for the end of the socket, as
// the thread that serves could notice neither while a handler runs. It touches nothing of the other thread's: after the
// time that a handler has, it ends the process.

/// Ends the process within two seconds of SIGTERM or of the end of the socket, whatever runs.
enum EndGuard {
    /// The time that a handler has to finish.
    private static let graceMilliseconds: Int32 = 1700
    /// `POLLRDHUP`, which Swift's Glibc lacks: the other side sends no more.
    private static let peerClosed: Int16 = 0x2000

    /// Starts it, for the socket to the daemon and for what is readable once SIGTERM came, which nobody reads.
    static func start(
        socket: DescriptorBox, termination: DescriptorBox
    ) throws(SystemError) {
        try WorkerThread.start {
            wait(for: socket, termination)
            _ = poll(nil, 0, graceMilliseconds)
            // Not exit: the other thread still uses what that would take down.
            _exit(0)
        }
    }

    private static func wait(for socket: DescriptorBox, _ termination: DescriptorBox) {
        var entries = [
            pollfd(fd: socket.number, events: peerClosed, revents: 0),
            pollfd(fd: termination.number, events: Int16(POLLIN), revents: 0),
        ]
        // The array's own pointer and count, for the duration of the call; -1 is an interrupted wait.
        while unsafe entries.withUnsafeMutableBufferPointer({
            unsafe poll($0.baseAddress, nfds_t($0.count), -1)
        }) <= 0 {}
    }
}
