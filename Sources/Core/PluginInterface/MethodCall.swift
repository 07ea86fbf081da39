package import JSONText
package import WireProtocol

/// What answers a method: it writes its result as one JSON value, or says that the answer comes
/// later. When it throws, whatever it wrote is taken back and the error is the answer.
package typealias MethodHandler =
    (MethodCall, inout JSONWriter) throws(ProtocolError) -> MethodOutcome

/// What a handler did.
package enum MethodOutcome {
    /// The result is written.
    case answered
    /// The answer comes through this. Until then the session handles no further request.
    case pending(PendingReply)
}

/// One request, on its way to the handler of its method.
package struct MethodCall {
    package let request: RequestEnvelope
    /// The connection that it came by.
    package let session: any ClientSession
    /// Whether the call is one of a `batch`: such a call can't wait, and opens nothing.
    package let isInBatch: Bool
    /// The most bytes that an answer may have.
    package let answerLimit: Int
    #if DEBUG
    /// What its definition names; a handler that reads another parameter is at fault.
    var declared: Set<String>?
    #endif

    package init(
        _ request: RequestEnvelope, session: any ClientSession, isInBatch: Bool,
        answerLimit: Int = LineFramer.standardLimit
    ) {
        self.request = request
        self.session = session
        self.isInBatch = isInBatch
        self.answerLimit = answerLimit
    }

    /// A call that came in no line of its own.
    package init(
        id: RequestID?, method: String, params: JSONView?, session: any ClientSession,
        isInBatch: Bool
    ) {
        self.init(
            RequestEnvelope(id: id, method: method, params: params), session: session,
            isInBatch: isInBatch)
    }

    package var id: RequestID? { request.id }
    /// Whether somebody gets the result; a notification's handler need not write one.
    package var isAnswered: Bool { request.id != nil || isInBatch }
    package var method: String { request.method }
    package var params: JSONView? { request.params }

    /// Typed access to the parameters.
    package func reader() throws(ProtocolError) -> ParameterReader {
        #if DEBUG
        var reader = try request.reader()
        reader.declared = declared
        return reader
        #else
        return try request.reader()
        #endif
    }

    /// Gives up on an answer that has become longer than a line may be. For handlers whose answer
    /// has no bound of its own, as they write it: whoever asks too much is told so soon.
    package func checkLength(of writer: borrowing JSONWriter) throws(ProtocolError) {
        if writer.count > answerLimit {
            throw .limitExceeded(
                limit: answerLimit,
                "the answer would be longer than a line may be, \(answerLimit) bytes: ask for less "
                    + "at a time")
        }
    }

    /// The id under which this call opens a stream, or the error that it has none.
    package func streamID() throws(ProtocolError) -> RequestID {
        if isInBatch {
            throw .unsupported(
                "\(method) opens a subscription, which can't be done in a batch: send it by itself")
        }
        guard let id else {
            throw .invalidRequest("\(method) needs an id: the id names what it opens")
        }
        return id
    }
}
