internal import WireProtocol

/// The kind of an error with which the daemon refuses a request.
///
/// Each kind has a number and a word, which never change. A daemon that is newer than this library may have
/// other kinds, so a `switch` needs a case for ``other(code:name:)``.
public enum RefusalKind: Hashable, Sendable {
    /// The line was not JSON, or not UTF-8.
    case parseError
    /// The line was JSON, but not a request.
    case invalidRequest
    /// There is no such method.
    case methodNotFound
    /// A parameter is missing or wrong.
    case invalidParams
    /// An internal fault of the daemon.
    case internalError
    /// The result is not available yet: try again later.
    case notReady
    /// The request was cancelled.
    case cancelled
    /// It was not done within the time limit of the request.
    case timeout
    /// The daemon does not support this.
    case unsupported
    /// This is not allowed, such as publishing under a topic of the daemon's own.
    case permissionDenied
    /// No subscription with this id is open on this connection.
    case noSuchSubscription
    /// A filter that cannot be read.
    case badExpression
    /// A value exceeds a limit of the daemon.
    case limitExceeded
    /// A plugin failed.
    case pluginFailed
    /// A path leads out of the watched folders.
    case outsideRoot
    /// There is no document with this key or path.
    case noSuchItem
    /// The daemon lacks room or time now: try again later.
    case overloaded
    /// The name is taken.
    case conflict
    /// A kind that this library does not know.
    case other(code: Int, name: String)

    private static let known: [(kind: RefusalKind, wire: ProtocolError.Kind)] = [
        (.parseError, .parseError), (.invalidRequest, .invalidRequest),
        (.methodNotFound, .methodNotFound), (.invalidParams, .invalidParams),
        (.internalError, .internalError), (.notReady, .notReady), (.cancelled, .cancelled),
        (.timeout, .timeout), (.unsupported, .unsupported),
        (.permissionDenied, .permissionDenied), (.noSuchSubscription, .noSuchSubscription),
        (.badExpression, .badExpression), (.limitExceeded, .limitExceeded),
        (.pluginFailed, .pluginFailed), (.outsideRoot, .outsideRoot), (.noSuchItem, .noSuchItem),
        (.overloaded, .overloaded), (.conflict, .conflict),
    ]

    /// All kinds that this library knows.
    package static let allKnown: [RefusalKind] = known.map(\.kind)

    /// The kind with this word; ``other(code:name:)`` if none has it.
    ///
    /// - Parameters:
    ///   - code: the number on the wire.
    ///   - name: the word on the wire, such as `noSuchItem`.
    package init(code: Int, name: String) {
        let entry = Self.known.first { $0.wire.name == name }
        self = entry?.kind ?? .other(code: code, name: name)
    }

    /// The number on the wire.
    public var code: Int {
        if case .other(let code, _) = self { return code }
        return Self.known.first { $0.kind == self }?.wire.code ?? 0
    }

    /// The stable word on the wire.
    public var name: String {
        if case .other(_, let name) = self { return name }
        return Self.known.first { $0.kind == self }?.wire.name ?? ""
    }
}

extension RefusalKind: CustomStringConvertible {
    /// The stable word on the wire.
    public var description: String { name }
}
