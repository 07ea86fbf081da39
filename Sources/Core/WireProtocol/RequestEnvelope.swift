package import JSONText

// One line taken apart: which method, whose answer, where the parameters lie. The parameters stay
// text until somebody asks for one.

/// A request or notification, as it came on a line. It passes through many hands, as a reference.
package final class RequestEnvelope: Sendable {
    /// Nil for a notification, which is never answered.
    package let id: RequestID?
    package let method: String
    /// The line, or as much of it as holds the parameters.
    private let line: ByteSlice
    /// Where in that the object `params` is; nil if there is none or it is empty.
    private let place: Range<Int>?
    /// Its members if they have been found already; double keys are not refused yet.
    private let members: [JSONMemberToken]?
    private let mayHoldDoubleKeys: Bool

    package init(id: RequestID?, method: String, params: JSONView? = nil) {
        self.id = id
        self.method = method
        line = params?.bytes ?? ByteSlice([])
        place = params.map { 0..<$0.bytes.count }
        members = nil
        mayHoldDoubleKeys = true
    }

    /// The `params` object; nil if there is none or it is empty.
    package var params: JSONView? {
        place.map { JSONView(scanned: line, $0, .object) }
    }

    /// - Complexity: O(bytes).
    package convenience init(parsing line: ByteSlice) throws(RefusedLine) {
        var method = NamedMethod()
        try self.init(parsing: line, after: &method)
    }

    /// As above; `method` is the one that was named before by whoever sends the line, and is changed to
    /// the one named now.
    package convenience init(
        parsing line: ByteSlice, after method: inout NamedMethod
    ) throws(RefusedLine) {
        let slots = try EnvelopeSlots(line)
        let id = try slots.id(line)
        try self.init(line, slots, id, &method)
    }

    package convenience init(parsing line: [UInt8]) throws(RefusedLine) {
        try self.init(parsing: ByteSlice(line))
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
            place = nil
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
        place = slots.members.isEmpty ? nil : params.value
        members = slots.members
    }

    /// Typed access to the parameters.
    /// - Throws: invalidParams when one is given twice.
    package func reader() throws(ProtocolError) -> ParameterReader {
        if let members {
            return try ParameterReader(
                JSONObjectView(scanned: line, members, mayHoldDoubleKeys: mayHoldDoubleKeys))
        }
        guard let params else { return ParameterReader() }
        return try ParameterReader(params)
    }

    /// The parameters in full; an empty object if there are none.
    /// - Throws: invalidParams when an object in them has a key twice.
    package func paramsValue() throws(ProtocolError) -> JSONValue {
        guard let params else { return [:] }
        do {
            return try params.value()
        } catch {
            throw .invalidParams(at: "params", error.message)
        }
    }
}

/// The method that was named last. Clients tend to stay with one: its bytes are compared, and no text is
/// made of them again.
package struct NamedMethod: Sendable {
    /// The text with its quotes.
    private var bytes: [UInt8] = []
    private var name = ""

    package init() {}

    /// The method that a value names; nil if it is no string.
    mutating func name(in view: JSONView) -> String? {
        if view.hasBytes(of: bytes) { return name }
        guard let text = view.stringValue else { return nil }
        // No method is longer, and what is no method is not worth keeping.
        if view.bytes.count <= 64 { (bytes, name) = (Array(view.bytes), text) }
        return text
    }
}

/// A line that is no request, with the error that answers it.
package struct RefusedLine: Error, Sendable, CustomStringConvertible {
    /// The id to answer with: null if the line does not tell.
    package let id: RequestID?
    package let error: ProtocolError
    /// The line was a notification: nothing is to be sent.
    package let isNotification: Bool

    package var description: String { error.description }

    package init(_ id: RequestID?, _ error: ProtocolError, isNotification: Bool = false) {
        self.id = id
        self.error = error
        self.isNotification = isNotification
    }

    /// The answer to a line that the framer skipped.
    package static func overlong(limit: Int = LineFramer.standardLimit) -> RefusedLine {
        RefusedLine(
            nil, .limitExceeded(limit: limit, "line is longer than \(limit) bytes; it was skipped"))
    }
}

/// An answer, as it came on a line.
package struct ReplyEnvelope: Sendable {
    /// Nil if the other side could not tell which request it answers.
    package let id: RequestID?
    package let outcome: Result<JSONView, ProtocolError>
}

/// A line of a stream that carries both requests and answers: a client's, or a plugin's.
package enum WireMessage: Sendable {
    case request(RequestEnvelope)
    case reply(ReplyEnvelope)

    /// What a request may hold comes back with levels around it: data of an event in the answers to a
    /// batch has seven, and had two.
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

/// Where the members of an envelope lie in its line.
private struct EnvelopeSlots: ~Copyable {
    var version: JSONMemberToken?
    var id: JSONMemberToken?
    var method: JSONMemberToken?
    var params: JSONMemberToken?
    var result: JSONMemberToken?
    var error: JSONMemberToken?
    /// Those of the object `params`.
    var members: [JSONMemberToken] = []
    /// An object further in may have a key twice.
    var mayHoldDoubleKeys = false
    private var double: String?

    init(
        _ line: ByteSlice, limits: JSONLimits = .wire
    ) throws(RefusedLine) {
        let span = line.array.span.extracting(line.range)
        var scanner = JSONScanner(limits: limits)
        // Those of the line are looked at here, all others by whoever reads them.
        scanner.suspectDoubleKeys(fromDepth: 1)
        do {
            try scanner.scanObjectText(
                span, opening: "params",
                inner: { member in
                    if members.isEmpty { members.reserveCapacity(4) }
                    members.append(member)
                },
                visit: { keep($0, span) })
            mayHoldDoubleKeys = scanner.maySeeDoubleKey
        } catch {
            throw RefusedLine(nil, Self.refusal(of: line, error, limits: limits))
        }
        let answer = id.flatMap { RequestID(JSONView(scanned: line, $0.value, $0.kind)) }
        if let double {
            let told = double == "id" ? nil : answer
            throw RefusedLine(told, .invalidRequest("member '\(double)' occurs twice"))
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

    private mutating func keep(_ member: JSONMemberToken, _ span: Span<UInt8>) {
        // By length first: a key is held against two names at most.
        let key = member.key
        switch key.isPlain ? key.range.count : key.text(in: span).utf8.count {
        case 2 where key.equals("id", in: span):
            Self.put(member, &id, "id", &double)
        case 5 where key.equals("error", in: span):
            Self.put(member, &error, "error", &double)
        case 6 where key.equals("method", in: span):
            Self.put(member, &method, "method", &double)
        case 6 where key.equals("params", in: span):
            Self.put(member, &params, "params", &double)
        case 6 where key.equals("result", in: span):
            Self.put(member, &result, "result", &double)
        case 7 where key.equals("jsonrpc", in: span):
            Self.put(member, &version, "jsonrpc", &double)
        default: break
        }
    }

    private static func put(
        _ member: JSONMemberToken, _ slot: inout JSONMemberToken?, _ name: String,
        _ double: inout String?
    ) {
        if slot != nil { double = double ?? name }
        slot = member
    }

    /// What answers a line that is no sound object.
    private static func refusal(
        of line: ByteSlice, _ error: JSONError, limits: JSONLimits
    ) -> ProtocolError {
        switch error.reason {
        case .depth: return .limitExceeded(limit: limits.depth, "\(error)")
        case .size: return .limitExceeded(limit: limits.bytes, "\(error)")
        default: break
        }
        do throws(JSONError) {
            // A sound JSON text of another kind is a wrong request rather than no JSON.
            let view = try JSONView(validating: line, limits: limits)
            return .invalidRequest("a line must be an object, not \(view.kind.described)")
        } catch {
            guard error.reason == .depth else { return .parseError("not JSON: \(error)") }
            return .limitExceeded(limit: limits.depth, "\(error)")
        }
    }
}
