internal import EventLoops
internal import Observables
internal import PickerModel
internal import WireProtocol

/// Delays requests for documents until the first scan of the folders is complete: an earlier answer would cover
/// only a part of the documents, without saying so.
///
/// A method requests this with `waitsForDocuments` in its definition; its handler does not know. A request
/// waits for its `timeoutMs`, and is then refused with 1001. With `progress`, it is told meanwhile how far the scan
/// has come. Missing folders are not awaited. One that names collections (`in`) waits for these alone.
///
/// At most one request per session waits here, because those behind it wait in their session.
final class FirstScanWait {
    private let loop: any EventLoop
    private let documents: DocumentStore
    /// Oldest first.
    private var waiting: [WaitingRequest] = []
    private var completeness: Connection?
    private var collectionCompleteness: Connection?

    init(on loop: any EventLoop, for documents: DocumentStore) {
        self.loop = loop
        self.documents = documents
    }

    /// A handler that calls `handler` once all documents are there.
    func delaying(_ handler: @escaping MethodHandler) -> MethodHandler {
        { [self] (call, writer) throws(ProtocolError) in
            let params = try call.reader()
            let limit =
                try params.optionalInt("timeoutMs", in: MethodDefinition.waitingTimes)
                ?? MethodDefinition.usualWaitingTime
            let wantsProgress = try params.optionalBool("progress") ?? false
            documents.want(call.collections)
            if documents.isReady(for: call.collections) { return try handler(call, &writer) }
            if limit == 0 { throw notReady(after: limit) }
            let reply = try wait(call, handler, limit)
            if wantsProgress { reply.tellProgress(of: documents) }
            return .pending(reply)
        }
    }

    private func wait(
        _ call: MethodCall, _ handler: @escaping MethodHandler, _ limit: Int
    ) throws(ProtocolError) -> PendingReply {
        let request = WaitingRequest(call, handler)
        do {
            request.timer = try loop.schedule(after: .milliseconds(limit)) {
                [weak self, weak request] in
                if let self { request?.reply.fail(notReady(after: limit)) }
            }
        } catch {
            throw .internalError("no timer could be created: \(error)")
        }
        // A reference cycle until the answer.
        request.reply.onEnd = { [weak self] in
            request.end()
            self?.waiting.removeAll { $0 === request }
        }
        waiting.append(request)
        if completeness == nil {
            completeness = documents.isComplete.changes.connect { [weak self] _ in
                self?.resumeIfComplete()
            }
        }
        if collectionCompleteness == nil, case .named = call.collections {
            collectionCompleteness = documents.collections.completeness.changes.connect {
                [weak self] _ in self?.resumeIfComplete()
            }
        }
        return request.reply
    }

    /// Resumes the requests whose documents are complete, each in a turn of its own, after all observers of the
    /// documents.
    private func resumeIfComplete() {
        for request in waiting where documents.isReady(for: request.call.collections) {
            loop.enqueue { [weak self, weak request] in
                guard let self, let request, documents.isReady(for: request.call.collections)
                else { return }
                waiting.removeAll { $0 === request }
                request.resume()
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
    /// A handler that calls `handler` once no hold is on. A batch does so for its own calls.
    func delaying(_ handler: @escaping MethodHandler) -> MethodHandler {
        { [self] (call, writer) throws(ProtocolError) in
            if !isOn || call.isInBatch { return try handler(call, &writer) }
            let request = WaitingRequest(call, handler)
            // A reference cycle until the answer.
            request.reply.onEnd = { request.end() }
            whenOff { [weak request] in request?.resume() }
            return .pending(request.reply)
        }
    }
}
