internal import JSONText
internal import PickerModel
package import PluginInterface
internal import SystemInterface
internal import WireProtocol

/// What can be done to documents: `actions.list` and `actions.run`.
///
/// Parts of the daemon offer actions (`ActionProvider`); those that every desktop has are here (`DesktopActions`).
/// The files are read for what the conditions of actions ask about them. Nothing is done to a document for which an action is not offered, and a file is changed only if the client has
/// confirmed it. Each run is told by the event `action.done`.
package final class ActionsPlugin: Plugin {
    package let manifest = PluginManifest(
        "actions", "What can be done to documents: open, reveal, trash, and what plugins offer.",
        methods: [.actionsList, .actionsRun], reservedWords: ["action"])

    private let environment: [String: String]
    private var desktop: DesktopActions?
    private var roots: [FileName] = []

    /// The programs of the desktop get `environment`.
    package init(environment: [String: String] = CurrentProcess.environment()) {
        self.environment = environment
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        let desktop = DesktopActions(in: context, environment: environment)
        self.desktop = desktop
        roots = context.settings.roots
        context.provide(actions: desktop)
        context.register(.actionsList) { [unowned self] (call, _) throws(ProtocolError) in
            let keys = try ActionRequest.keys(call.reader())
            return .pending(try list(keys, in: context))
        }
        context.register(.actionsRun) { [unowned self] (call, _) throws(ProtocolError) in
            let request = try ActionRequest(reading: call.reader())
            return .pending(try run(request, in: context))
        }
    }

    package func adopt(_ settings: PluginSettings) throws(PluginError) {
        roots = settings.roots
        desktop?.adopt(settings)
    }

    package func deactivate() {
        desktop?.end()
        desktop = nil
    }

    // MARK: Requests

    private func list(
        _ keys: [String], in context: PluginContext
    ) throws(ProtocolError) -> PendingReply {
        if keys.isEmpty {
            throw .invalidParams(at: "keys", "'keys' must have at least one key")
        }
        for key in keys where context.documents.row(key: key) == nil { throw Self.unknown(key) }
        let actions = context.actionProviders.flatMap(\.actions).filter(\.isForDocuments)
        var isOffered = actions.map { _ in true }
        let reply = PendingReply()
        let check = ConditionCheck(
            actions.map(\.filter), for: keys, .all, of: context.documents, on: context.loop
        ) { (action, _, isKept) in
            isOffered[action] = isKept
        } done: { [weak reply] error in
            if let error {
                reply?.fail(error)
                return
            }
            let offered = zip(actions, isOffered).filter(\.1).map(\.0)
            reply?.resolve { writer in
                writer.array { writer in
                    for action in offered { action.write(to: &writer) }
                }
            }
        }
        reply.onEnd = { [unowned check] in check.cancel() }
        check.run()
        return reply
    }

    private func run(
        _ request: ActionRequest, in context: PluginContext
    ) throws(ProtocolError) -> PendingReply {
        for provider in context.actionProviders {
            for action in provider.actions where action.id == request.action {
                try request.check(action)
                return ActionCall(request, of: action, by: provider, below: roots, in: context)
                    .begin()
            }
        }
        throw .noSuchItem(
            "there is no action \(ProtocolError.quoted(request.action)): actions.list has those that "
                + "are offered for a document")
    }

    static func unknown(_ key: String) -> ProtocolError {
        .noSuchItem("there is no document with the key \(ProtocolError.quoted(key))")
    }
}

extension OfferedAction {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            writer.member("title", title)
            writer.member("many", takesMany)
            writer.member("writes", writes)
        }
    }
}
