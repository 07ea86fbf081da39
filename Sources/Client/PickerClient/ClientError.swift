package import WireProtocol

/// What went wrong between a program and the daemon.
///
/// Two errors are equal when their codes and their messages are. ``description`` is a sentence for
/// people; programs look at ``code`` and, for what the daemon refused, at ``refusal``.
public struct ClientError: Error, Hashable, Sendable {
    /// The sort of an error. More may be added: compare with the constants, and expect others.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable, Sendable {
            case noSocketPath, noDaemon, cannotConnect, disconnected, refused, badMessage
            case badArgument, tooMuchQueued, timedOut, cancelled
        }

        private let value: Value

        /// Nothing says where the daemon's socket is.
        public static let noSocketPath = Code(value: .noSocketPath)
        /// There is no socket, or nobody listens on it.
        public static let noDaemon = Code(value: .noDaemon)
        /// The socket is there and cannot be used: permission, a path that is too long, …
        public static let cannotConnect = Code(value: .cannotConnect)
        /// The connection ended before the answer came.
        public static let disconnected = Code(value: .disconnected)
        /// The daemon said no; ``ClientError/refusal`` has its words.
        public static let refused = Code(value: .refused)
        /// The daemon sent what the protocol does not have.
        public static let badMessage = Code(value: .badMessage)
        /// The request could not be put into words: not JSON, or over the limit of a line.
        public static let badArgument = Code(value: .badArgument)
        /// More waits to be sent than a connection keeps.
        public static let tooMuchQueued = Code(value: .tooMuchQueued)
        /// No answer came in the time that the caller gave it.
        public static let timedOut = Code(value: .timedOut)

        /// The program that made the request gave it up.
        public static let cancelled = Code(value: .cancelled)

        /// The name of the constant.
        public var description: String { value.rawValue }
    }

    /// The daemon's own words about a request that it refused, which has changed nothing.
    public struct Refusal: Hashable, Sendable {
        /// The sort of error.
        public let kind: RefusalKind
        /// What the daemon says to people.
        public let message: String
        /// The parameter at fault, as `window.count`.
        public let at: String?
        /// The limit that was passed, if the kind is ``RefusalKind/limitExceeded``.
        public let limit: Int?
        /// The plugin that failed, if the kind is ``RefusalKind/pluginFailed``.
        public let plugin: String?
        /// After how many milliseconds another try is worth while.
        public let retryAfterMs: Int?

        init(_ error: ProtocolError) {
            kind = RefusalKind(code: error.kind.code, name: error.kind.name)
            message = error.message
            at = error.at
            limit = error.limit
            plugin = error.plugin
            retryAfterMs = error.retryAfterMs
        }
    }

    /// The sort of error.
    public let code: Code
    /// What happened, to what, and what to do.
    public let message: String
    /// What the daemon said, if the error is its own.
    public let refusal: Refusal?

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        refusal = nil
    }

    package init(_ error: ProtocolError) {
        code = .refused
        message = error.message
        refusal = Refusal(error)
    }

    /// Whether the daemon refused for this reason, as ``RefusalKind/noSuchItem``.
    public func isRefusal(_ kind: RefusalKind) -> Bool { refusal?.kind == kind }
}

extension ClientError: CustomStringConvertible {
    /// The message, and where in the request the fault lies.
    public var description: String {
        guard let at = refusal?.at, !message.contains(at) else { return message }
        return "\(message) (at \(at))"
    }
}
