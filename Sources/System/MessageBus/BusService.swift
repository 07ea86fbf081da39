// This program on the bus of the user's session, for others to call.
//
// It knows no loop: whoever has one waits for the descriptor as `waits` says, and calls `process`. sd-bus keeps what the
// bus does not take at once, and never waits. A call that it hands over is kept and told when sd-bus has returned, so a
// handler may answer and send whatever it likes.

import CSystemd
import Glibc
package import SystemInterface

/// A connection to the bus of the session, with a name under which it is called.
@safe package final class BusService {
    /// What a loop waits for.
    package struct Waits: Hashable, Sendable {
        package var reading = false
        package var writing = false
        /// Until `process` is to be called whatever the descriptor says; nil for no such time.
        package var time: Duration?
    }

    /// The most messages that are handled by one `process`: then others have a turn.
    private static let mostAtOnce = 64

    /// Called for each call of a method, but those of `org.freedesktop.DBus.Peer`, which sd-bus answers.
    package var onCall: ((BusMessage) -> Void)?

    private let bus: OpaquePointer
    private var filter: OpaquePointer?
    private var calls: [BusMessage] = []

    /// Connects to the bus: `$DBUS_SESSION_BUS_ADDRESS`, else `bus` in the user's runtime folder.
    package init() throws(SystemError) {
        var created: OpaquePointer?
        // The pointer is to a local variable; on success it holds a reference that we own.
        let result = unsafe sd_bus_open_user(&created)
        guard result >= 0, let created = unsafe created else {
            throw Self.error(result, "connect to the bus of the session")
        }
        unsafe bus = created
        // The user data is this object, which owns the filter, and so outlives it.
        let added = unsafe sd_bus_add_filter(
            bus, &filter,
            { message, userdata, _ in
                guard let message = unsafe message, let userdata = unsafe userdata else { return 0 }
                let service = unsafe Unmanaged<BusService>.fromOpaque(userdata)
                    .takeUnretainedValue()
                return service.keep(unsafe BusMessage(retaining: message)) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        if added < 0 { throw Self.error(added, "listen on the bus of the session") }
    }

    deinit {
        if let filter = unsafe filter { _ = unsafe sd_bus_slot_unref(filter) }
        // Our own reference, released only here.
        _ = unsafe sd_bus_close_unref(bus)
    }

    private static func error(_ result: Int32, _ operation: String, _ subject: String = "")
        -> SystemError
    {
        SystemError(ErrorNumber(rawValue: -result), operation: operation, subject: subject)
    }

    /// Whether sd-bus leaves a message to us.
    private func keep(_ message: BusMessage) -> Bool {
        guard message.isCall, !message.member.hasPrefix("org.freedesktop.DBus.Peer.") else {
            return false
        }
        calls.append(message)
        return true
    }

    // MARK: The name

    /// Takes a name, which waits for the bus; false if another program has it.
    package func claim(_ name: String) throws(SystemError) -> Bool {
        // The bus is ours; the name is a C string for the length of the call.
        let result = unsafe sd_bus_request_name(bus, name, 0)
        if result == -EEXIST { return false }
        if result < 0 { throw Self.error(result, "take the name", name) }
        return true
    }

    /// Gives a name back, which waits for the bus. Calls that came under it before are still told.
    ///
    /// A service manager is told before that the program is about to end: it would end one that loses its name.
    package func release(_ name: String) {
        // A C string that lives as long as the program. Without a manager nothing is sent.
        _ = unsafe sd_notify(0, "STOPPING=1")
        // The bus is ours. If it fails the connection is gone, and with it the name.
        _ = unsafe sd_bus_release_name(bus, name)
    }

    // MARK: The loop

    /// The descriptor to wait for.
    package var descriptor: Int32 {
        get throws(SystemError) {
            // The bus is ours, and so is the descriptor.
            let number = unsafe sd_bus_get_fd(bus)
            if number < 0 { throw Self.error(number, "wait for the bus of the session") }
            return number
        }
    }

    /// What is waited for now, which each `process` and `send` may change.
    package var waits: Waits {
        // The bus is ours.
        let events = unsafe sd_bus_get_events(bus)
        var due = UInt64.max
        let result = unsafe sd_bus_get_timeout(bus, &due)
        guard events >= 0, result >= 0 else { return Waits(reading: true, time: .zero) }
        var waits = Waits(
            reading: events & POLLIN != 0, writing: events & POLLOUT != 0, time: nil)
        if due != .max {
            // Microseconds of the monotonic clock; 0 for at once.
            let now = UInt64(clamping: SystemClock.monotonicNanoseconds() / 1000)
            waits.time = .microseconds(Int64(clamping: due > now ? due - now : 0))
        }
        return waits
    }

    /// Lets sd-bus read and write, and tells the calls that have come; false once the bus is gone.
    package func process() -> Bool {
        var isOpen = true
        for _ in 0..<Self.mostAtOnce {
            // The bus is ours, and this is never called from one of its callbacks.
            let result = unsafe sd_bus_process(bus, nil)
            isOpen = unsafe result >= 0 && sd_bus_is_open(bus) > 0
            if result == 0 || !isOpen { break }
        }
        let calls = calls
        self.calls = []
        for call in calls { onCall?(call) }
        return isOpen
    }

    /// Sends a message, or keeps it until the bus takes it. One that could not be written whole is not sent.
    package func send(_ message: BusMessage) {
        guard message.failure == 0 else { return }
        // Both are ours. If it fails the connection is gone, or has no room for what its peer does not read.
        _ = unsafe sd_bus_send(bus, message.message, nil)
    }

    /// Waits until all that was sent is with the bus.
    package func flush() {
        // The bus is ours. If it fails the connection is gone.
        _ = unsafe sd_bus_flush(bus)
    }
}
