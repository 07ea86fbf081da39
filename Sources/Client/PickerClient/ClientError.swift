package import WireProtocol

/// An error between a program and the daemon.
///
/// Errors are equal if their codes and messages are. ``description`` is a sentence for people; programs use
/// ``code`` and, for requests that the daemon refused, ``refusal``.
public struct ClientError: Error, Hashable, Sendable {
    /// The kind of an error. Later versions may add more: compare with the constants, and expect others.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable, Sendable {
            case noSocketPath, noDaemon, cannotConnect, disconnected, refused, badMessage
            case badArgument, tooMuchQueued, timedOut, cancelled
        }

        private let value: Value

        /// The path of the daemon's socket is unknown.
        public static let noSocketPath = Code(value: .noSocketPath)
        /// There is no socket, or nobody listens on it.
        public static let noDaemon = Code(value: .noDaemon)
        /// The socket exists but cannot be used: no permission, the path is too long, …
        public static let cannotConnect = Code(value: .cannotConnect)
        /// The connection ended before the answer came.
        public static let disconnected = Code(value: .disconnected)
        /// The daemon refused; ``ClientError/refusal`` has its message.
        public static let refused = Code(value: .refused)
        /// The daemon violated the protocol.
        public static let badMessage = Code(value: .badMessage)
        /// The request could not be encoded: not JSON, or over the limit of a line.
        public static let badArgument = Code(value: .badArgument)
        /// The send queue of the connection is full.
        public static let tooMuchQueued = Code(value: .tooMuchQueued)
        /// No answer came within the caller's time limit.
        public static let timedOut = Code(value: .timedOut)

        /// The caller cancelled the request.
        public static let cancelled = Code(value: .cancelled)

        /// The name of the constant.
        public var description: String { value.rawValue }
    }

    /// The daemon's error for a refused request, which has changed nothing.
    public struct Refusal: Hashable, Sendable {
        fileprivate let error: ProtocolError

        /// The sort of error.
        public var kind: RefusalKind { RefusalKind(code: error.kind.code, name: error.kind.name) }
        /// The message for people.
        public var message: String { error.message }
        /// The invalid parameter, such as `window.count`.
        public var at: String? { error.at }
        /// The limit that was exceeded, if the kind is ``RefusalKind/limitExceeded``.
        public var limit: Int? { error.limit }
        /// The plugin that failed, if the kind is ``RefusalKind/pluginFailed``.
        public var plugin: String? { error.plugin }
        /// The milliseconds after which to try again.
        public var retryAfterMs: Int? { error.retryAfterMs }
    }

    /// The sort of error.
    public let code: Code
    /// The problem, and what to do.
    public let message: String
    /// The daemon's error, if it refused.
    public let refusal: Refusal?

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        refusal = nil
    }

    /// An answer of the daemon that violates the protocol.
    static func notAsAgreed(_ what: String) -> ClientError {
        ClientError(.badMessage, "the daemon's answer is not as agreed: \(what)")
    }

    package init(_ error: ProtocolError) {
        code = .refused
        message = error.message
        refusal = Refusal(error: error)
    }

    /// Whether the daemon refused for this reason, such as ``RefusalKind/noSuchItem``.
    package func isRefusal(_ kind: RefusalKind) -> Bool { refusal?.kind == kind }
}

extension ClientError: CustomStringConvertible {
    /// The message, and the place of the fault in the request.
    public var description: String {
        guard let at = refusal?.at, !message.contains(at) else { return message }
        return "\(message) (at \(at))"
    }
}
