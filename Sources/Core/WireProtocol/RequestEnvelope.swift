package import JSONText

// The envelope of one line: its method, its id and the range of its parameters. The parameters are decoded on
// access.

/// A request or notification from one line. A class, because many functions pass it on.
package final class RequestEnvelope: Sendable {
    /// Nil for a notification, which is never answered.
    package let id: RequestID?
    package let method: String
    /// The line, or the part of it with the parameters.
    private let line: ByteSlice
    /// The range of the object `params` in the line; nil if it is missing or empty.
    private let paramsRange: Range<Int>?
    /// Its members, if they have been scanned; repeated keys are not refused yet.
    private let members: [JSONMemberToken]?
    private let mayHoldDoubleKeys: Bool

    package init(id: RequestID?, method: String, params: JSONView? = nil) {
        self.id = id
        self.method = method
        line = params?.bytes ?? ByteSlice([])
        paramsRange = params.map { 0..<$0.bytes.count }
        members = nil
        mayHoldDoubleKeys = true
    }

    /// The `params` object; nil if it is missing or empty.
    package var params: JSONView? {
        paramsRange.map { JSONView(scanned: line, $0, .object) }
    }

    /// Parses the line; `method` is the previous method of the same sender, and is updated.
    /// - Complexity: O(bytes).
    package convenience init(
        parsing line: ByteSlice, after method: inout NamedMethod
    ) throws(RefusedLine) {
        let slots = try EnvelopeSlots(line)
        let id = try slots.id(line)
        try self.init(line, slots, id, &method)
    }

    fileprivate init(
        _ line: ByteSlice, _ slots: borrowing EnvelopeSlots, _ id: RequestID?,
        _ known: inout NamedMethod
    ) throws(RefusedLine) {
        self.id = id
        self.line = line
        mayHoldDoubleKeys = slots.mayHoldDoubleKeys
        guard let name = slots.method else {
            throw RefusedLine(id, .invalidRequest("no 'method'; a request names one"))
        }
        guard let method = known.name(in: JSONView(scanned: line, name.value, name.kind)) else {
            throw RefusedLine(
                id, .invalidRequest("'method' must be a string, not \(name.kind.described)"))
        }
        self.method = method
        guard let params = slots.params else {
            paramsRange = nil
            members = nil
            return
        }
        guard params.kind == .object else {
            throw RefusedLine(
                id,
                .invalidParams(
                    at: "params", "'params' must be an object, not \(params.kind.described)"),
                isNotification: id == nil)
        }
        paramsRange = slots.members.isEmpty ? nil : params.value
        members = slots.members
    }

    /// Typed access to the parameters.
    /// - Throws: invalidParams when a parameter occurs twice.
    package func reader() throws(ProtocolError) -> ParameterReader {
        if let members {
            return try ParameterReader(
                JSONObjectView(scanned: line, members, mayHoldDoubleKeys: mayHoldDoubleKeys))
        }
        guard let params else { return ParameterReader() }
        return try ParameterReader(params)
    }
}

/// A cache of the last method name. Clients tend to repeat a method: its bytes are compared, and no new string
/// is created.
package struct NamedMethod: Sendable {
    /// The text with its quotes.
    private var bytes: [UInt8] = []
    private var name = ""

    package init() {}

    /// The method name in a value; nil if it is no string.
    mutating func name(in view: JSONView) -> String? {
        if view.hasBytes(of: bytes) { return name }
        guard let text = view.stringValue else { return nil }
        // No method is longer, and other names are not worth keeping.
        if view.bytes.count <= 64 { (bytes, name) = (Array(view.bytes), text) }
        return text
    }
}

/// A line that is no request, and the error that answers it.
package struct RefusedLine: Error, Sendable, CustomStringConvertible {
    /// The id of the answer; null if the line has none.
    package let id: RequestID?
    package let error: ProtocolError
    /// Whether the line was a notification, which gets no answer.
    package let isNotification: Bool

    package var description: String { error.description }

    package init(_ id: RequestID?, _ error: ProtocolError, isNotification: Bool = false) {
        self.id = id
        self.error = error
        self.isNotification = isNotification
    }

    /// The answer to a line that the framer dropped.
    package static func overlong(limit: Int = LineFramer.standardLimit) -> RefusedLine {
        RefusedLine(
            nil, .limitExceeded(limit: limit, "line is longer than \(limit) bytes; it was skipped"))
    }
}

/// An answer from one line.
package struct ReplyEnvelope: Sendable {
    /// Nil if the other side could not identify the request.
    package let id: RequestID?
    package let outcome: Result<JSONView, ProtocolError>
}

/// A line of a stream with both requests and answers: a client's, or a plugin's.
package enum WireMessage: Sendable {
    case request(RequestEnvelope)
    case reply(ReplyEnvelope)

    /// The content of a request returns with more levels around it: the data of an event has seven in the
    /// results of a batch, and had two.
    private static let limits = JSONLimits(depth: JSONLimits.wire.depth + 8)

    package init(parsing line: [UInt8]) throws(RefusedLine) {
        try self.init(parsing: ByteSlice(line))
    }

    package init(parsing line: ByteSlice) throws(RefusedLine) {
        let slots = try EnvelopeSlots(line, limits: Self.limits)
        guard slots.method == nil, slots.result != nil || slots.error != nil else {
            let id = try slots.id(line)
            var method = NamedMethod()
            self = .request(try RequestEnvelope(line, slots, id, &method))
            return
        }
        let id = slots.id?.kind == .null ? nil : try slots.id(line)
        if let result = slots.result {
            guard slots.error == nil else {
                throw RefusedLine(id, .invalidRequest("a reply has 'result' or 'error', not both"))
            }
            let view = JSONView(scanned: line, result.value, result.kind)
            self = .reply(ReplyEnvelope(id: id, outcome: .success(view)))
            return
        }
        guard let token = slots.error, token.kind == .object else {
            throw RefusedLine(id, .invalidRequest("'error' must be an object"))
        }
        do {
            let view = JSONView(scanned: line, token.value, token.kind)
            let error = try ProtocolError(reading: ParameterReader(view))
            self = .reply(ReplyEnvelope(id: id, outcome: .failure(error)))
        } catch {
            throw RefusedLine(id, .invalidRequest("'error' is malformed: \(error.message)"))
        }
    }
}

/// The ranges of an envelope's members in its line.
private struct EnvelopeSlots: ~Copyable {
    var version: JSONMemberToken?
    var id: JSONMemberToken?
    var method: JSONMemberToken?
    var params: JSONMemberToken?
    var result: JSONMemberToken?
    var error: JSONMemberToken?
    /// The members of the object `params`.
    var members: [JSONMemberToken] = []
    /// Whether an inner object may have a key twice.
    var mayHoldDoubleKeys = false
    private var doubleKey: String?

    init(
        _ line: ByteSlice, limits: JSONLimits = .wire
    ) throws(RefusedLine) {
        let span = line.array.span.extracting(line.range)
        var scanner = JSONScanner(limits: limits)
        // Repeated keys of the line itself are found here, all others by their readers.
        scanner.suspectDoubleKeys(fromDepth: 1)
        do {
            try scanner.scanObjectText(
                span, opening: "params",
                inner: { member in
                    if members.isEmpty { members.reserveCapacity(4) }
                    members.append(member)
                },
                visit: { store($0, span) })
            mayHoldDoubleKeys = scanner.maySeeDoubleKey
        } catch {
            throw RefusedLine(nil, Self.refusal(of: line, error, limits: limits))
        }
        let answer = id.flatMap { RequestID(JSONView(scanned: line, $0.value, $0.kind)) }
        if let doubleKey {
            let told = doubleKey == "id" ? nil : answer
            throw RefusedLine(told, .invalidRequest("member '\(doubleKey)' occurs twice"))
        }
        if let version {
            let view = JSONView(scanned: line, version.value, version.kind)
            guard view.stringValue == "2.0" else {
                let message = "'jsonrpc' must be \"2.0\" or left out"
                throw RefusedLine(answer, .invalidRequest(message))
            }
        }
    }

    func id(_ line: ByteSlice) throws(RefusedLine) -> RequestID? {
        guard let id else { return nil }
        guard let told = RequestID(JSONView(scanned: line, id.value, id.kind)) else {
            let message = "'id' must be a string or an integer within 64 bits"
            throw RefusedLine(nil, .invalidRequest(message))
        }
        return told
    }

    private mutating func store(_ member: JSONMemberToken, _ span: Span<UInt8>) {
        // By length first: a key is compared with two names at most.
        let key = member.key
        switch key.isPlain ? key.range.count : key.text(in: span).utf8.count {
        case 2 where key.equals("id", in: span):
            Self.fill(member, &id, "id", &doubleKey)
        case 5 where key.equals("error", in: span):
            Self.fill(member, &error, "error", &doubleKey)
        case 6 where key.equals("method", in: span):
            Self.fill(member, &method, "method", &doubleKey)
        case 6 where key.equals("params", in: span):
            Self.fill(member, &params, "params", &doubleKey)
        case 6 where key.equals("result", in: span):
            Self.fill(member, &result, "result", &doubleKey)
        case 7 where key.equals("jsonrpc", in: span):
            Self.fill(member, &version, "jsonrpc", &doubleKey)
        default: break
        }
    }

    private static func fill(
        _ member: JSONMemberToken, _ slot: inout JSONMemberToken?, _ name: String,
        _ doubleKey: inout String?
    ) {
        if slot != nil { doubleKey = doubleKey ?? name }
        slot = member
    }

    /// The error for a line that is no valid object.
    private static func refusal(
        of line: ByteSlice, _ error: JSONError, limits: JSONLimits
    ) -> ProtocolError {
        switch error.reason {
        case .depth: return .limitExceeded(limit: limits.depth, "\(error)")
        case .size: return .limitExceeded(limit: limits.bytes, "\(error)")
        default: break
        }
        do throws(JSONError) {
            // Valid JSON of another kind is an invalid request, not a parse error.
            let view = try JSONView(validating: line, limits: limits)
            return .invalidRequest("a line must be an object, not \(view.kind.described)")
        } catch {
            guard error.reason == .depth else { return .parseError("not JSON: \(error)") }
            return .limitExceeded(limit: limits.depth, "\(error)")
        }
    }
}
