internal import JSONText
internal import PickerClient
internal import SystemInterface
internal import WireProtocol

extension PluginDaemon {
    /// Answers `action.run`. After a cancellation the rest is not done, and what was done is told.
    func act(_ params: ParameterReader) throws -> JSONFragment {
        let name = params.view("action")?.stringValue
        guard let name, let action = parts.actions[name] else {
            throw unknown("action", "has no action", name, of: parts.actions.keys, .noSuchItem)
        }
        let given = params.view("args")
        guard let list = params.view("items"), list.kind == .array,
            let items = try? list.elements(), given == nil || given?.kind == .object
        else {
            throw ReplyError(
                .invalidParams, "items must be an array, and args an object", ["at": "items"])
        }
        let arguments = RawJSON(given?.fragment ?? .emptyObject)
        var outcomes: [String?] = []
        var told: Int64 = .min / 2
        for item in items {
            outcomes.append(run(action, on: item, arguments))
            let now = SystemClock.monotonicNanoseconds()
            if outcomes.count == items.count || now - told >= 100_000_000 {
                told = now
                try progress(outcomes.count, of: items.count)
            }
        }
        return JSONFragment { writer in
            writer.object { writer in
                writer.key("items")
                writer.array { writer in
                    for outcome in outcomes {
                        writer.object { writer in
                            if let outcome {
                                writer.member("error", outcome)
                            } else {
                                writer.member("ok", true)
                            }
                        }
                    }
                }
            }
        }
    }

    /// - Returns: why it was not done; nil if it was.
    private func run(_ action: Action, on item: JSONView, _ arguments: RawJSON) -> String? {
        if running.last?.isCancelled == true { return "it was cancelled before it was begun" }
        do {
            let file = try DocumentFile(item, of: self)
            defer { file.close() }
            try action.run(file, arguments)
            return nil
        } catch {
            if !(error is PluginError) { show(error, of: "the action \(action.name)") }
            return said(error)
        }
    }
}
