package import JSONText

// Errors on the wire: a code, a stable name for it, and a message for people. An invalid request changes
// nothing.

/// The `error` of a reply.
package struct ProtocolError: Error, Hashable, Sendable {
    /// A code and its name. Not an enum, so that a client can represent newer codes.
    package struct Kind: Hashable, Sendable {
        package let code: Int
        package let name: String

        package init(code: Int, name: String) {
            self.code = code
            self.name = name
        }
    }

    package let kind: Kind
    /// For people: includes the invalid value and the valid ones.
    package let message: String
    /// The path of the invalid parameter, such as "window.count".
    package var at: String?
    /// The exceeded limit.
    package var limit: Int?
    /// The plugin that failed.
    package var plugin: String?
    /// The time after which to retry.
    package var retryAfterMs: Int?
    /// The number of documents seen so far, during a first scan.
    package var documents: Int?

    package var code: Int { kind.code }
}

extension ProtocolError.Kind {
    package static let parseError = Self(code: -32700, name: "parseError")
    package static let invalidRequest = Self(code: -32600, name: "invalidRequest")
    package static let methodNotFound = Self(code: -32601, name: "methodNotFound")
    package static let invalidParams = Self(code: -32602, name: "invalidParams")
    package static let internalError = Self(code: -32603, name: "internalError")
    package static let notReady = Self(code: 1001, name: "notReady")
    package static let cancelled = Self(code: 1002, name: "cancelled")
    package static let timeout = Self(code: 1003, name: "timeout")
    package static let unsupported = Self(code: 1004, name: "unsupported")
    package static let permissionDenied = Self(code: 1005, name: "permissionDenied")
    package static let noSuchSubscription = Self(code: 1006, name: "noSuchSubscription")
    package static let badExpression = Self(code: 1007, name: "badExpression")
    package static let limitExceeded = Self(code: 1008, name: "limitExceeded")
    package static let pluginFailed = Self(code: 1009, name: "pluginFailed")
    package static let outsideRoot = Self(code: 1010, name: "outsideRoot")
    package static let noSuchItem = Self(code: 1011, name: "noSuchItem")
    package static let overloaded = Self(code: 1012, name: "overloaded")
    package static let conflict = Self(code: 1013, name: "conflict")

    /// Every kind of version 1 with a short description, for the schema.
    static let meanings: KeyValuePairs<Self, String> = [
        .parseError: "not JSON, or not UTF-8",
        .invalidRequest: "JSON, but not a request",
        .methodNotFound: "there is no such method",
        .invalidParams: "a parameter is wrong; data.at says which",
        .internalError: "a fault of the daemon",
        .notReady: "not yet; ask again later",
        .cancelled: "cancelled, as the client asked",
        .timeout: "not done in the time given",
        .unsupported: "not in this version",
        .permissionDenied: "not allowed",
        .noSuchSubscription: "nothing of that id is open",
        .badExpression: "a filter that can't be read; data.at says where",
        .limitExceeded: "a limit was passed; data.limit says which",
        .pluginFailed: "a plugin failed; data.plugin says which",
        .outsideRoot: "the path leads out of the roots",
        .noSuchItem: "no document of that key or path",
        .overloaded: "too much at once; data.retryAfterMs says when to try again",
        .conflict: "the id, or the name, is taken",
    ]

    package static let all: [Self] = meanings.map { $0.key }
}

extension ProtocolError {
    package init(_ kind: Kind, _ message: String, at: String? = nil) {
        self.init(kind: kind, message: message, at: at)
    }

    package static func parseError(_ message: String) -> Self { Self(.parseError, message) }

    package static func invalidRequest(_ message: String) -> Self {
        Self(.invalidRequest, message)
    }

    package static func methodNotFound(_ method: String) -> Self {
        Self(.methodNotFound, "no method \(quoted(method)); daemon.schema lists all")
    }

    package static func invalidParams(at path: String, _ message: String) -> Self {
        Self(.invalidParams, message, at: path)
    }

    package static func internalError(_ message: String) -> Self { Self(.internalError, message) }

    package static func notReady(documents: Int? = nil, _ message: String) -> Self {
        Self(kind: .notReady, message: message, documents: documents)
    }

    package static func cancelled(_ message: String = "cancelled on request") -> Self {
        Self(.cancelled, message)
    }

    package static func timeout(_ message: String) -> Self { Self(.timeout, message) }

    package static func unsupported(_ message: String, at path: String? = nil) -> Self {
        Self(.unsupported, message, at: path)
    }

    package static func permissionDenied(_ message: String) -> Self {
        Self(.permissionDenied, message)
    }

    package static func noSuchSubscription(_ sub: RequestID) -> Self {
        Self(.noSuchSubscription, "nothing open here has sub \(sub)")
    }

    package static func badExpression(at path: String, _ message: String) -> Self {
        Self(.badExpression, message, at: path)
    }

    package static func limitExceeded(limit: Int, _ message: String) -> Self {
        Self(kind: .limitExceeded, message: message, limit: limit)
    }

    package static func pluginFailed(
        _ plugin: String, _ message: String, retryAfterMs: Int? = nil
    ) -> Self {
        Self(
            kind: .pluginFailed, message: message, plugin: plugin, retryAfterMs: retryAfterMs)
    }

    package static func outsideRoot(_ message: String) -> Self { Self(.outsideRoot, message) }
    package static func noSuchItem(_ message: String) -> Self { Self(.noSuchItem, message) }

    package static func overloaded(retryAfterMs: Int, _ message: String) -> Self {
        Self(kind: .overloaded, message: message, retryAfterMs: retryAfterMs)
    }

    package static func conflict(_ message: String) -> Self { Self(.conflict, message) }

    /// Untrusted text in quotes, truncated, for messages.
    package static func quoted(_ text: String) -> String {
        text.count <= 60 ? "'\(text)'" : "'\(text.prefix(60))…'"
    }
}

extension ProtocolError: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", kind.code)
        writer.member("message", message)
        writer.member(object: "data") { data in
            data.member("kind", kind.name)
            if let at { data.member("at", at) }
            if let limit { data.member("limit", limit) }
            if let plugin { data.member("plugin", plugin) }
            if let retryAfterMs { data.member("retryAfterMs", retryAfterMs) }
            if let documents { data.member("documents", documents) }
        }
        writer.endObject()
    }

    /// Also accepts errors of other JSON-RPC programs: without `data`, only the code counts.
    package init(reading reader: ParameterReader) throws(ProtocolError) {
        let code = try reader.int("code")
        message = try reader.optionalString("message") ?? ""
        let data = try? reader.optionalObject("data")
        let known = Kind.all.first { $0.code == code }
        let name = (try? data?.optionalString("kind")) ?? known?.name ?? "unknown"
        kind = Kind(code: code, name: name)
        at = try? data?.optionalString("at")
        limit = try? data?.optionalInt("limit")
        plugin = try? data?.optionalString("plugin")
        retryAfterMs = try? data?.optionalInt("retryAfterMs")
        documents = try? data?.optionalInt("documents")
    }
}

extension ProtocolError: CustomStringConvertible {
    package var description: String { "\(message) (\(kind.code) \(kind.name))" }
}
