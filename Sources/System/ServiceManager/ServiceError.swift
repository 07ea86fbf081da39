// Errors between pickerd and the service manager.

package import SystemInterface

/// A notification failed, or the service manager passed an unusable descriptor.
package enum ServiceError: Error, Hashable, Sendable {
    /// A message was not sent.
    case notification(SystemError)
    /// The passed descriptors could not be adopted.
    case activation(SystemError)
    /// A passed descriptor is not a listening Unix stream socket.
    case wrongKind(number: Int32, name: String)
    /// More descriptors were passed than the limit.
    case tooManySockets(count: Int, limit: Int)
}

extension ServiceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notification(let cause), .activation(let cause):
            cause.description
        case .wrongKind(let number, let name):
            "descriptor \(number) ('\(name)') from the service manager is not a listening Unix "
                + "stream socket; use ListenStream= with a path in the .socket unit"
        case .tooManySockets(let count, let limit):
            "the service manager passed \(count) descriptors, and \(limit) is the limit"
        }
    }
}

/// Turns negative results of libsystemd into errors.
func systemdError(_ result: Int32, _ operation: String) -> SystemError {
    SystemError(ErrorNumber(rawValue: -result), operation: operation)
}
