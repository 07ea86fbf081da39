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
    fileprivate var declared: Set<String>?
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

/// An answer that is still to come.
///
/// It is given once: by `resolve`, by `fail`, or by the session when the client cancels or goes.
package final class PendingReply {
    /// Called once, when the answer is there or nobody waits for it any more: let go of what was
    /// to bring it.
    package var onEnd: (() -> Void)?
    private var deliver: ((Answer) -> Void)?
    private var early: Answer?

    package enum Answer {
        case result((inout JSONWriter) -> Void)
        case failure(ProtocolError)
    }

    package init() {}

    /// Gives the result that `write` writes.
    package func resolve(_ write: @escaping (inout JSONWriter) -> Void) { give(.result(write)) }

    /// Gives the answer that another handler gave.
    func pass(_ answer: Answer) { give(answer) }

    /// Gives an error.
    package func fail(_ error: ProtocolError) { give(.failure(error)) }

    /// For the session: what to do with the answer, at once if it is there already.
    package func onAnswer(_ deliver: @escaping (Answer) -> Void) {
        if let early {
            deliver(early)
        } else {
            self.deliver = deliver
        }
    }

    /// For the session: nobody waits any more.
    package func abandon() {
        deliver = nil
        end()
    }

    private func give(_ answer: Answer) {
        guard early == nil else { return }
        early = answer
        let deliver = self.deliver
        self.deliver = nil
        end()
        deliver?(answer)
    }

    private func end() {
        let told = onEnd
        onEnd = nil
        told?()
    }
}

/// Every method that clients can call, and the plugin that owns each; and what else plugins have
/// told the server.
package final class MethodRegistry {
    private struct Entry {
        let plugin: String
        let definition: MethodDefinition
        let handler: MethodHandler
    }

    private struct InfoEntry {
        let member: StaticString
        let plugin: String
        let write: (inout JSONWriter) -> Void
    }

    private var methods: [String: Entry] = [:]
    private var info: [InfoEntry] = []
    private var described: [(plugin: String, definition: MethodDefinition)] = []
    private var lastFound: (method: String, handler: MethodHandler)?
    private var outputWork: [(plugin: String, work: () -> Void)] = []

    /// The epoch of the numbers of events; nil if it is that of the documents.
    package var eventEpoch: String?

    package init() {}

    /// The names of all methods, sorted.
    package var names: [String] { methods.keys.sorted() }

    /// What there is to know of every method that is there now.
    package var definitions: [MethodDefinition] {
        methods.values.map(\.definition) + described.map(\.definition)
    }

    /// What answers `method`, if anything does.
    ///
    /// - Complexity: O(1).
    /// What there is to know of a method.
    package func definition(of method: String) -> MethodDefinition? { methods[method]?.definition }

    package func handler(of method: String) -> MethodHandler? {
        // A client tends to call the method that it called before.
        if let lastFound, lastFound.method == method { return lastFound.handler }
        guard let handler = methods[method]?.handler else { return nil }
        lastFound = (method, handler)
        return handler
    }

    package func register(
        _ method: MethodDefinition, plugin: String, _ handler: @escaping MethodHandler
    ) {
        precondition(method.result != nil, "'\(method.name)' is a notification, and has no answer")
        let entry = Entry(
            plugin: plugin, definition: method, handler: Self.checked(handler, of: method))
        let former = methods.updateValue(entry, forKey: method.name)
        precondition(
            former == nil,
            "'\(method.name)' is registered by '\(former?.plugin ?? "")' and again by '\(plugin)'")
    }

    /// Describes a notification of clients, which needs no handler here.
    package func describe(_ notification: MethodDefinition, plugin: String) {
        described.append((plugin, notification))
    }

    #if DEBUG
    private static func checked(
        _ handler: @escaping MethodHandler, of method: MethodDefinition
    ) -> MethodHandler {
        let names = Set(method.parameters.map(\.name))
        return { (call, writer) throws(ProtocolError) in
            var call = call
            call.declared = names
            return try handler(call, &writer)
        }
    }
    #else
    private static func checked(
        _ handler: @escaping MethodHandler, of method: MethodDefinition
    ) -> MethodHandler { handler }
    #endif

    package func contributeInfo(
        _ member: StaticString, plugin: String, _ write: @escaping (inout JSONWriter) -> Void
    ) {
        info.append(InfoEntry(member: member, plugin: plugin, write: write))
    }

    /// Takes away all that `plugin` registered.
    package func removeAll(of plugin: String) {
        methods = methods.filter { $0.value.plugin != plugin }
        described.removeAll { $0.plugin == plugin }
        lastFound = nil
        info.removeAll { $0.plugin == plugin }
        outputWork.removeAll { $0.plugin == plugin }
    }

    package func beforeOutput(plugin: String, _ work: @escaping () -> Void) {
        outputWork.append((plugin, work))
    }

    /// For sessions: something is about to be sent to a client.
    package func prepareOutput() {
        for index in outputWork.indices { outputWork[index].work() }
    }

    /// Writes the members that plugins contribute to `daemon.info`.
    package func writeInfo(into writer: inout JSONWriter) {
        for entry in info {
            writer.key(entry.member)
            entry.write(&writer)
        }
    }
}
