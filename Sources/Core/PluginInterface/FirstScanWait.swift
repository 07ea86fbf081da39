internal import Observables
internal import PickerModel
internal import SystemdEventLoop
internal import WireProtocol

/// Has requests that look at documents wait until the first scan of the folders is done: an answer before
/// that would be about a part of the documents, and nothing in it would say so.
///
/// A method asks for this with `waitsForDocuments` in its definition, and its handler knows nothing of it.
/// A request waits for as long as its `timeoutMs` says, and is refused with 1001 then. A folder that is not
/// there is not waited for.
///
/// At most one request of each session waits here, since those behind it wait in their session.
final class FirstScanWait {
    private let loop: any EventLoop
    private let documents: DocumentStore
    /// In the order they came.
    private var waiting: [WaitingRequest] = []
    private var completeness: Connection?

    init(on loop: any EventLoop, for documents: DocumentStore) {
        self.loop = loop
        self.documents = documents
    }

    /// The handler of a method that waits: `handler`, once all documents are there.
    func delaying(_ handler: @escaping MethodHandler) -> MethodHandler {
        { [self] (call, writer) throws(ProtocolError) in
            let limit =
                try call.reader().optionalInt("timeoutMs", in: MethodDefinition.waitingTimes)
                ?? MethodDefinition.usualWaitingTime
            if documents.isWhole { return try handler(call, &writer) }
            if limit == 0 { throw notReady(after: limit) }
            return .pending(try wait(call, handler, limit))
        }
    }

    private func wait(
        _ call: MethodCall, _ handler: @escaping MethodHandler, _ limit: Int
    ) throws(ProtocolError) -> PendingReply {
        let reply = PendingReply()
        let request = WaitingRequest(call, handler, reply)
        do {
            request.timer = try loop.schedule(after: .milliseconds(limit)) {
                [weak self, weak reply] in
                if let self { reply?.fail(notReady(after: limit)) }
            }
        } catch {
            throw .internalError("no timer could be had: \(error)")
        }
        // Each holds the other until then.
        reply.onEnd = { [weak self] in
            request.end()
            self?.waiting.removeAll { $0 === request }
        }
        waiting.append(request)
        if completeness == nil {
            completeness = documents.isComplete.changes.connect { [weak self] _ in self?.look() }
        }
        return reply
    }

    /// The set has become complete, or is so no longer. Requests go on in turns of their own, after
    /// all who follow the documents have heard of it.
    private func look() {
        guard documents.isWhole else { return }
        for request in waiting {
            loop.enqueue { [weak self, weak request] in
                guard let self, let request, documents.isWhole else { return }
                waiting.removeAll { $0 === request }
                request.goOn()
            }
        }
    }

    private func notReady(after limit: Int) -> ProtocolError {
        let seen = documents.count == 1 ? "1 document" : "\(documents.count) documents"
        return .notReady(
            documents: documents.count,
            "the folders are read for the first time, \(seen) so far, and \(limit) ms are over: ask again, "
                + "or wait longer with 'timeoutMs'")
    }
}

extension ChangeHold {
    /// The handler of a method that changes documents: `handler`, once nobody holds them. A batch sees to that
    /// for its own calls.
    func delaying(_ handler: @escaping MethodHandler) -> MethodHandler {
        { [self] (call, writer) throws(ProtocolError) in
            if !isOn || call.isInBatch { return try handler(call, &writer) }
            let reply = PendingReply()
            let request = WaitingRequest(call, handler, reply)
            // Each holds the other until then.
            reply.onEnd = { request.end() }
            whenOff { [weak request] in request?.goOn() }
            return .pending(reply)
        }
    }
}
