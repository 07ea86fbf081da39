internal import JSONText
internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import PluginProcesses
internal import WireProtocol

// The actions of the plugin: `action.run` of its process.
extension HostedPlugin {
    /// The longest error of one document, in bytes of UTF-8; a longer one is cut.
    static let longestError = 512

    /// Offers the actions of a manifest. One whose `when` is no filter is left out, and that is said.
    func offerActions(of manifest: ProcessManifest) {
        actionFault = nil
        offeredActions = manifest.actions.compactMap { action in
            do throws(ProtocolError) {
                return OfferedAction(
                    id: "\(id).\(action.id)", title: action.title, takesMany: action.takesMany,
                    writes: action.writes, filter: try condition(of: action))
            } catch {
                let fault =
                    "its action '\(action.id)' is not offered, for its 'when': \(error.message)"
                if actionFault == nil { actionFault = fault }
                house.context.report(
                    .warning, "the plugin '\(id)': \(fault)",
                    fields: ["PICKERD_PLUGIN": id, "PICKERD_EVENT": "action-left-out"])
                return nil
            }
        }
    }

    private func condition(
        of action: ProcessManifest.Action
    ) throws(ProtocolError) -> DocumentFilter? {
        guard let items = action.items else { return nil }
        return try WhereReader.filter(
            items, at: "when", knowing: house.context.documents.attributes)
    }

    func withdrawActions() {
        offeredActions = []
        actionFault = nil
    }

    /// Has the process do it, now or when it is ready.
    func begin(_ run: ActionRun) throws(ProtocolError) {
        let count = run.targets.count
        let call = WaitingCall(
            method: "action.run",
            params: JSONFragment(writing: { Self.write(run, of: id, to: &$0) }),
            progress: { [weak run] in run?.tell(done: $0, of: $1) }
        ) { [id] answer in
            run.finish(Self.outcomes(answer, of: id, count: count))
        }
        try take(call)
        run.onCancel = { [weak run] in
            call.withdraw()
            run?.finish(.failure(.cancelled()))
        }
    }

    private static func write(_ run: ActionRun, of id: String, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("action", String(run.action.id.dropFirst(id.utf8.count + 1)))
            writer.member(array: "items") { writer in
                for target in run.targets {
                    writer.object { writer in
                        writer.member("key", target.key)
                        if let path = target.path { writer.member("path", path.text) }
                        if let bytes = target.path?.rawBytes {
                            writer.key("pathB64")
                            writer.base64(bytes)
                        }
                        if let uri = target.uri { writer.member("uri", uri) }
                    }
                }
            }
            writer.key("args")
            if let arguments = run.arguments {
                writer.fragment(arguments)
            } else {
                writer.object { _ in }
            }
        }
    }

    /// The outcomes in an answer: `{"items":[{"ok":true}|{"error":"…"}]}`, as many as were asked for.
    private static func outcomes(
        _ answer: Result<JSONView, ProtocolError>, of id: String, count: Int
    ) -> Result<[ActionOutcome], ProtocolError> {
        do throws(ProtocolError) {
            let view: JSONView
            switch answer {
            case .failure(let error): throw error.ofPlugin(id)
            case .success(let result): view = result
            }
            do throws(ProtocolError) {
                let items = try ParameterReader(view).objects("items", limit: count)
                guard items.count == count else {
                    throw .pluginFailed(id, "it has \(items.count) items for \(count) documents")
                }
                var outcomes: [ActionOutcome] = []
                for item in items {
                    if let error = try item.optionalString("error") {
                        outcomes.append(.failed(cut(error)))
                    } else if try item.bool("ok") {
                        outcomes.append(.done)
                    } else {
                        throw item.invalid("ok", mustBe: "true, or else there is an 'error'")
                    }
                }
                return .success(outcomes)
            } catch {
                throw .pluginFailed(
                    id, "the plugin '\(id)' did not answer action.run as agreed: \(error.message)")
            }
        } catch {
            return .failure(error)
        }
    }

    private static func cut(_ error: String) -> String {
        if error.utf8.count <= longestError { return error }
        var cut = ""
        for character in error {
            if cut.utf8.count + character.utf8.count > longestError { break }
            cut.append(character)
        }
        return cut + "…"
    }
}

extension PluginHouse: ActionProvider {
    var actions: [OfferedAction] {
        sortedPlugins.flatMap(\.offeredActions)
    }

    func begin(_ run: ActionRun) throws(ProtocolError) {
        let id = String(run.action.id.prefix { $0 != "." })
        guard let plugin = plugin(id) else {
            throw .noSuchItem("there is no plugin \(ProtocolError.quoted(id)) any more")
        }
        try plugin.begin(run)
    }
}
