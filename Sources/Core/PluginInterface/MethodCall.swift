package import JSONText
package import PickerModel
package import WireProtocol

/// The handler of a method. It writes its result as one JSON value, or returns a pending reply. If it throws,
/// its output is discarded and the error is the answer.
package typealias MethodHandler =
    (MethodCall, inout JSONWriter) throws(ProtocolError) -> MethodOutcome

/// The outcome of a handler.
package enum MethodOutcome {
    /// The result is written.
    case answered
    /// The answer comes later, through this reply. Until then the session handles no further request.
    case pending(PendingReply)
}

/// One request for the handler of its method.
package struct MethodCall {
    package let request: RequestEnvelope
    /// The connection it came from.
    package let session: any ClientSession
    /// Whether the call is part of a `batch`: such a call opens no stream.
    package let isInBatch: Bool
    /// The most bytes of an answer.
    package let answerLimit: Int
    #if DEBUG
    /// The parameters of its definition; a handler that reads another one is at fault.
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

    package var id: RequestID? { request.id }
    /// Whether the result is sent; the handler of a notification need not write one.
    package var isAnswered: Bool { request.id != nil || isInBatch }
    package var method: String { request.method }
    package var params: JSONView? { request.params }

    /// The most collections that a request names.
    package static let mostCollections = 64

    /// The collections that it names; faulty ones are for its handler to refuse.
    package var collections: CollectionSet {
        // The definition need not have the parameter: then no handler reads it.
        let names = try? request.reader().optionalStrings("in", limit: Self.mostCollections)
        guard let names, !names.isEmpty else { return .documents }
        return CollectionSet(names)
    }

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

    /// Throws if the answer has become longer than a line may be. Handlers whose answers are unbounded call it
    /// as they write, so that an excessive request fails early.
    package func checkLength(of writer: borrowing JSONWriter) throws(ProtocolError) {
        if writer.count > answerLimit { throw AnswerLimit(bytes: answerLimit).error }
    }

    /// The id of the stream that this call opens, or an error if the call can't open one.
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

    /// The open stream of this type that the parameter `sub` names.
    /// - Throws: `noSuchSubscription`.
    package func stream<Stream: SessionStream>(
        _: Stream.Type, named params: ParameterReader
    ) throws(ProtocolError) -> Stream {
        let id = try params.requestID("sub")
        guard let stream = session.stream(id) as? Stream, stream.isOpen else {
            throw .noSuchSubscription(id)
        }
        return stream
    }
}

/// The longest line of an answer.
package struct AnswerLimit {
    package let bytes: Int

    package init(bytes: Int) { self.bytes = bytes }

    /// The error of an answer that is longer.
    package var error: ProtocolError {
        .limitExceeded(
            limit: bytes,
            "the answer would be longer than a line may be, \(bytes) bytes: ask for less at a time")
    }
}
