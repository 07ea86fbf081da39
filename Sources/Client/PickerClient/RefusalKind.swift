internal import WireProtocol

/// The sort of an error with which the daemon refuses a request.
///
/// Each has a number and a stable word, which never change. A daemon that is newer than this library
/// may have others, so a `switch` needs a case for ``other(code:name:)``.
public enum RefusalKind: Hashable, Sendable {
    /// The line was not JSON, or not UTF-8.
    case parseError
    /// The line was JSON, and no request.
    case invalidRequest
    /// There is no such method.
    case methodNotFound
    /// A parameter is missing or wrong.
    case invalidParams
    /// A fault of the daemon's own.
    case internalError
    /// What was asked for is not there yet: ask again later.
    case notReady
    /// The request was cancelled.
    case cancelled
    /// It was not done in the time that the request gave it.
    case timeout
    /// The daemon does not do that.
    case unsupported
    /// That is not allowed, as publishing under a topic of the daemon's own.
    case permissionDenied
    /// Nothing of that name is open on this connection.
    case noSuchSubscription
    /// A filter that cannot be read.
    case badExpression
    /// Something is longer, deeper or more than the daemon takes.
    case limitExceeded
    /// A plugin failed.
    case pluginFailed
    /// A path leads out of the folders that are watched.
    case outsideRoot
    /// There is no document of that key or path.
    case noSuchItem
    /// There is no room or time for it now: try again later.
    case overloaded
    /// The name is taken.
    case conflict
    /// One that this library does not know.
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

    /// All that this library knows.
    public static let allKnown: [RefusalKind] = known.map(\.kind)

    /// The kind of this word; ``other(code:name:)`` if none has it.
    ///
    /// - Parameters:
    ///   - code: the number on the wire.
    ///   - name: the word on the wire, as `noSuchItem`.
    public init(code: Int, name: String) {
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
