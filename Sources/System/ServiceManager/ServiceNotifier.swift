// What pickerd tells the service manager about its state (sd_notify).
//
// Messages go to the socket that NOTIFY_SOCKET names; without it nothing is sent and nothing is
// wrong: the program was simply started by hand. Signs of life for the watchdog are the loop's
// business. The states: started → ready ⇄ reloading → stopping. The service manager itself copes
// with any order, so none is enforced here.

import CSystemd
import SystemInterface
package import SystemdEventLoop

/// Tells the service manager how the service is.
package final class ServiceNotifier {
    /// The longest status; what is over is cut off.
    package static let longestStatus = 200

    private let loop: any EventLoop
    /// Whether a service manager listens.
    package let isListenedTo: Bool

    package init(loop: any EventLoop) {
        self.loop = loop
        isListenedTo = CurrentProcess.environment("NOTIFY_SOCKET") != nil
    }

    /// The service does its work from now on; also after `reloading`.
    package func ready(status: String) throws(ServiceError) {
        try send(["READY=1", line(status: status)])
    }

    /// A new line for `systemctl status`.
    package func update(status: String) throws(ServiceError) {
        try send([line(status: status)])
    }

    /// Settings are read again; say `ready` afterwards.
    package func reloading(status: String) throws(ServiceError) {
        // The service manager compares this with its own reading of the same clock.
        let microseconds = SystemClock.monotonicNanoseconds() / 1000
        try send(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)", line(status: status)])
    }

    /// The service is going to end.
    package func stopping(status: String) throws(ServiceError) {
        try send(["STOPPING=1", line(status: status)])
    }

    /// A line ends a message's field, so a status that came with line breaks (a hostile file name,
    /// say) could forge fields: control characters become spaces.
    private func line(status: String) -> String {
        let clean = status.unicodeScalars.prefix(Self.longestStatus).map { scalar in
            scalar.properties.generalCategory == .control ? " " : String(scalar)
        }
        return "STATUS=" + clean.joined()
    }

    private func send(_ lines: [String]) throws(ServiceError) {
        loop.preconditionOnLoop()
        if !isListenedTo { return }
        // The message is a C string for the length of the call; 0 keeps the variable, for later.
        let result = unsafe sd_notify(0, lines.joined(separator: "\n"))
        if result < 0 {
            throw .notification(systemdError(result, "tell the service manager"))
        }
    }
}
