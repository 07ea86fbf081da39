// Notifications of pickerd's state to the service manager (sd_notify).
//
// Messages go to the socket in NOTIFY_SOCKET; without it nothing is sent, which is no error: the program was
// started by hand. The loop sends the watchdog pings. The states are: started → ready ⇄ reloading → stopping.
// The service manager accepts any order, so none is enforced here.

import CSystemd
package import EventLoops
import SystemInterface

/// Notifies the service manager of the service's state.
package final class ServiceNotifier {
    /// The longest status; longer ones are truncated.
    package static let longestStatus = 200

    private let loop: any EventLoop
    /// Whether there is a service manager to notify.
    package let isListenedTo: Bool

    package init(loop: any EventLoop) {
        self.loop = loop
        isListenedTo = CurrentProcess.environment("NOTIFY_SOCKET") != nil
    }

    /// The service is ready; also after `reloading`.
    package func ready(status: String) throws(ServiceError) {
        try send(["READY=1", line(status: status)])
    }

    /// Updates the status line of `systemctl status`.
    package func update(status: String) throws(ServiceError) {
        try send([line(status: status)])
    }

    /// The settings are being reloaded; call `ready` afterwards.
    package func reloading(status: String) throws(ServiceError) {
        // The service manager compares this with its own reading of the same clock.
        let microseconds = SystemClock.monotonicNanoseconds() / 1000
        try send(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)", line(status: status)])
    }

    /// The service is stopping.
    package func stopping(status: String) throws(ServiceError) {
        try send(["STOPPING=1", line(status: status)])
    }

    /// A line break ends a field, so a status with line breaks (from a hostile file name, for example) could
    /// forge fields: control characters become spaces.
    private func line(status: String) -> String {
        let clean = status.unicodeScalars.prefix(Self.longestStatus).map { scalar in
            scalar.properties.generalCategory == .control ? " " : String(scalar)
        }
        return "STATUS=" + clean.joined()
    }

    private func send(_ lines: [String]) throws(ServiceError) {
        loop.preconditionOnLoop()
        if !isListenedTo { return }
        // The message is a C string for the length of the call; 0 keeps the variable for later calls.
        let result = unsafe sd_notify(0, lines.joined(separator: "\n"))
        if result < 0 { throw .systemd(result, "tell the service manager") }
    }
}
