internal import EventLoops
internal import JSONText
internal import MediaTypes
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// One call of `actions.run`, from its check to its event.
///
/// Documents that are not there, or for which the action is not offered, fail one by one; the others are passed on. If
/// the client cancels, the run is asked to end early; its event tells what was done all the same.
final class ActionCall {
    private let request: ActionRequest
    private let action: OfferedAction
    private let provider: any ActionProvider
    private let roots: [FileName]
    private let context: PluginContext
    private let reply = PendingReply()
    /// For each key; nil while it is not known.
    private var outcomes: [ActionOutcome?]
    /// The places of the targets among the keys.
    private var places: [Int] = []
    private var cancel: (() -> Void)?

    init(
        _ request: ActionRequest, of action: OfferedAction, by provider: any ActionProvider,
        below roots: [FileName], in context: PluginContext
    ) {
        self.request = request
        self.action = action
        self.provider = provider
        self.roots = roots
        self.context = context
        outcomes = request.keys.map { _ in nil }
    }

    func begin() -> PendingReply {
        let check = ConditionCheck(
            [action.filter], for: request.keys, .each, of: context.documents, on: context.loop
        ) { [self] (_, key, isKept) in
            if !isKept { outcomes[key] = .failed(refusal(of: request.keys[key])) }
        } done: { [self] error in
            if let error { return end(.failure(error)) }
            carryOut()
        }
        cancel = { [unowned check] in check.cancel() }
        // Broken by the answer.
        reply.onEnd = { [self] in cancel?() }
        check.run()
        return reply
    }

    private func refusal(of key: String) -> String {
        context.documents.row(key: key) == nil
            ? ActionsPlugin.unknown(key).message : "'\(action.id)' is not offered for it"
    }

    private func carryOut() {
        var targets: [ActionTarget] = []
        for (place, key) in request.keys.enumerated() where outcomes[place] == nil {
            guard let document = context.documents[key: key] else {
                outcomes[place] = .failed(ActionsPlugin.unknown(key).message)
                continue
            }
            targets.append(target(document))
            places.append(place)
        }
        if targets.isEmpty, action.isForDocuments { return end(.success([])) }
        let run = ActionRun(
            action, on: targets, arguments: request.arguments,
            progress: { [self] (done, total) in
                if request.wantsProgress { reply.tell(StepCounts(done: done, total: total)) }
            }, end: { [self] in end($0) })
        cancel = { run.cancel() }
        do throws(ProtocolError) {
            try provider.begin(run)
        } catch {
            run.finish(.failure(error))
        }
    }

    private func target(_ document: Document) -> ActionTarget {
        guard let item = context.documents.sources.item(ofKey: document.key) else {
            return ActionTarget(key: document.key, path: path(of: document))
        }
        // One that names a file is that file.
        let bytes = item.uri.flatMap { try? FileURI.path(of: $0.utf8Span.span) }
        return ActionTarget(
            key: document.key, path: bytes.map { FileName(bytes: $0) }, uri: item.uri)
    }

    /// The absolute path; of a root whose name is not UTF-8, with its true bytes.
    private func path(of document: Document) -> FileName {
        let root = roots.first { $0.text == document.root }
        var bytes = root?.bytes ?? Array(document.root.utf8)
        if bytes.last != UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
        return FileName(bytes: bytes + document.path.bytes)
    }

    // MARK: The end

    private func end(_ result: Result<[ActionOutcome], ProtocolError>) {
        cancel = nil
        switch result {
        case .failure(let error):
            publish(error)
            reply.fail(error)
        case .success(let found):
            if action.isForDocuments {
                for (place, outcome) in zip(places, found) { outcomes[place] = outcome }
            } else {
                outcomes = found
            }
            publish(nil)
            let keys: [String?] = action.isForDocuments ? request.keys : outcomes.map { _ in nil }
            let items = zip(keys, outcomes).map { ($0, $1 ?? .failed("nothing is known of it")) }
            reply.answer { (writer) throws(ProtocolError) in
                writer.object { writer in
                    writer.member(array: "items") { writer in
                        for (key, outcome) in items { outcome.write(key, to: &writer) }
                    }
                }
            }
        }
    }

    /// The event `action.done`: the keys to which it was done, and the others.
    private func publish(_ error: ProtocolError?) {
        let isDone = outcomes.map { $0?.isDone ?? false }
        context.publish("action.done") { writer in
            writer.object { writer in
                writer.member("action", action.id)
                writer.member("done", zip(request.keys, isDone).filter(\.1).map(\.0))
                writer.member("failed", zip(request.keys, isDone).filter { !$0.1 }.map(\.0))
                if let error { writer.member("error", error.message) }
            }
        }
    }
}

extension ActionOutcome {
    fileprivate func write(_ key: String?, to writer: inout JSONWriter) {
        writer.object { writer in
            if let key { writer.member("key", key) }
            switch self {
            case .done: writer.member("ok", true)
            case .moved(let uri):
                writer.member("ok", true)
                writer.member("uri", uri)
            case .failed(let error): writer.member("error", error)
            }
        }
    }
}
