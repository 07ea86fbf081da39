// What can go wrong between pickerd and the service manager.

package import SystemInterface

/// The service manager could not be told something, or handed over something unusable.
package enum ServiceError: Error, Hashable, Sendable {
    /// A message was not sent.
    case notification(SystemError)
    /// The passed descriptors could not be taken.
    case activation(SystemError)
    /// A passed descriptor is not a listening Unix stream socket.
    case wrongKind(number: Int32, name: String)
    /// More descriptors were passed than anyone would mean to.
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

/// Where the negative results of libsystemd become errors.
func systemdError(_ result: Int32, _ operation: String) -> SystemError {
    SystemError(ErrorNumber(rawValue: -result), operation: operation)
}
