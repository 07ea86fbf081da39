// Errors of calls to the user's service manager.

import SystemInterface

/// A call about a unit failed.
package struct ServiceCallError: Error, Hashable, Sendable {
    /// The kind of failure.
    package enum Kind: Hashable, Sendable {
        /// The manager refused the call; `name` says why.
        case refused
        /// No manager can be reached.
        case unreachable
        /// The connection ended before the answer.
        case connectionLost
        /// No answer, or no end of the service, within the limit.
        case timedOut
        /// More than `UserServiceManager.mostCalls` calls are waiting.
        case tooManyCalls
        /// The call cannot be made, or its answer cannot be read.
        case invalid
    }

    package let kind: Kind
    /// The attempted operation, as a verb for "cannot …".
    package let operation: String
    /// The unit of the call; empty if it is about none.
    package let unit: String
    /// The error's name on D-Bus, such as `org.freedesktop.systemd1.UnitExists`; empty if it has none.
    package let name: String
    /// What happened, and what would be right.
    package let message: String

    init(_ kind: Kind, _ call: CallSubject, name: String = "", message: String) {
        self.kind = kind
        operation = call.operation
        unit = call.unit
        self.name = name
        self.message = message
    }

    /// Why a call on a connection failed.
    init(_ failure: BusCall.Failure, _ call: CallSubject, _ limit: Duration) {
        switch failure {
        case .lost(let code):
            self.init(
                .connectionLost, call,
                message: "the connection to the service manager ended: \(code)")
        case .timedOut:
            self.init(.timedOut, call, message: "no answer came within \(limit)")
        case .unsendable(let code):
            self.init(.invalid, call, message: "the call cannot be sent: \(code)")
        case .refused(let name, let message):
            self.init(.refused, call, name: name, message: message)
        }
    }

    /// The manager itself refused the call, which has reached it.
    var isOfManager: Bool { name.hasPrefix("org.freedesktop.systemd1.") }

    /// The unit of the call is not known to the manager.
    var isNoSuchUnit: Bool { name == "org.freedesktop.systemd1.NoSuchUnit" }
}

extension ServiceCallError: CustomStringConvertible {
    /// For example `cannot start 'x.service': Unit x.service already exists. (org.freedesktop.…UnitExists)`.
    package var description: String {
        var text = "cannot \(operation)"
        if !unit.isEmpty { text += " '\(unit)'" }
        text += ": \(message)"
        if !name.isEmpty { text += " (\(name))" }
        return text
    }
}

/// The operation of a call, and its unit: what its errors name.
struct CallSubject: Hashable, Sendable {
    let operation: String
    var unit = ""
}
