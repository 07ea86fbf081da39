// Errors between pickerd and the service manager.

package import SystemInterface

/// A notification failed, or the service manager passed an unusable descriptor.
package struct ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// A message was not sent.
        case notification
        /// The passed descriptors could not be adopted.
        case activation
        /// A passed descriptor is not a listening Unix stream socket.
        case wrongKind
        /// More descriptors were passed than the limit.
        case tooManySockets
    }

    package let code: Code
    /// What is wrong, and what would be right.
    package let description: String
    /// The system call that failed, if one did.
    package let cause: SystemError?

    private init(_ code: Code, _ description: String, cause: SystemError? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    static func notification(_ cause: SystemError) -> Self {
        Self(.notification, cause.description, cause: cause)
    }

    static func activation(_ cause: SystemError) -> Self {
        Self(.activation, cause.description, cause: cause)
    }

    package static func wrongKind(number: Int32, name: String) -> Self {
        Self(
            .wrongKind,
            "descriptor \(number) ('\(name)') from the service manager is not a listening Unix "
                + "stream socket; use ListenStream= with a path in the .socket unit")
    }

    static func tooManySockets(count: Int, limit: Int) -> Self {
        Self(
            .tooManySockets,
            "the service manager passed \(count) descriptors, and \(limit) is the limit")
    }
}

/// Turns negative results of libsystemd into errors.
func systemdError(_ result: Int32, _ operation: String) -> SystemError {
    SystemError(ErrorNumber(rawValue: -result), operation: operation)
}
