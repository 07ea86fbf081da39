// Errors between pickerd and the service manager.

import SystemInterface

/// A notification failed, or the service manager passed an unusable descriptor.
package struct ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    package let description: String

    static func system(_ cause: SystemError) -> Self { Self(description: cause.description) }

    /// For a negative result of libsystemd.
    static func systemd(_ result: Int32, _ operation: String) -> Self {
        system(SystemError(ErrorNumber(rawValue: -result), operation: operation))
    }

    /// A passed descriptor is not a listening Unix stream socket.
    package static func wrongKind(number: Int32, name: String) -> Self {
        Self(
            description:
                "descriptor \(number) ('\(name)') from the service manager is not a listening Unix "
                + "stream socket; use ListenStream= with a path in the .socket unit")
    }

    /// More descriptors were passed than the limit.
    static func tooManySockets(count: Int, limit: Int) -> Self {
        Self(
            description:
                "the service manager passed \(count) descriptors, and \(limit) is the limit")
    }
}
