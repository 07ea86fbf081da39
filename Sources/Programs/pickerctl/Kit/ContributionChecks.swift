import JSONText
import PickerClient
import PluginProcesses
import SystemInterface
import WireProtocol

/// Checks of the sources and the actions of a plugin. Actions get files that are not there, so that nothing is done.
enum ContributionChecks {
    static func all(of manifest: ProcessManifest) -> [PluginCheck] {
        var checks: [PluginCheck] = []
        for source in manifest.sources { checks.append(opens(source.name)) }
        if manifest.sources.isEmpty {
            checks.append(.left("its sources open", "it contributes no sources"))
        }
        for action in manifest.actions { checks += [nothing(action.id), gone(action.id)] }
        if manifest.actions.isEmpty {
            checks.append(.left("its actions answer", "it contributes no actions"))
        }
        return checks
    }

    private static func opens(_ source: String) -> PluginCheck {
        PluginCheck("the source \(source) opens, and sends what the daemon takes") {
            (trial) throws(NotPassed) in
            let plugin = try trial.serving()
            var reset = ReceivedReset()
            trial.onSourceMessage = { request in
                guard let params = try? request.params?.value(),
                    params["source"]?.stringValue == source
                else { return }
                reset.take(request, params)
            }
            defer { trial.onSourceMessage = { _ in } }
            let answer = plugin.ask(
                "source.open", ["source": .string(source)], within: trial.callTime)
            let result = try trial.require(answer, "source.open")
            guard result["epoch"]?.stringValue != nil, result["rev"]?.integerValue != nil else {
                throw .failed(
                    "the answer must have 'epoch' and 'rev', unlike \(result.description)")
            }
            if result["resumed"]?.boolValue == true {
                throw .failed("nothing was said to be known, so nothing can be resumed")
            }
            trial.loop.run(within: trial.patience) {
                reset.isComplete || reset.fault != nil || plugin.isOver
            }
            if let fault = reset.fault { throw .failed(fault) }
            guard reset.isComplete else {
                throw .failed("no source.reset with 'last' came after the answer" + trial.said)
            }
        }
    }

    private static func nothing(_ action: String) -> PluginCheck {
        PluginCheck("the action \(action) answers for no files") { (trial) throws(NotPassed) in
            _ = try run(action, [], trial)
        }
    }

    private static func gone(_ action: String) -> PluginCheck {
        PluginCheck("the action \(action) says of each file that is gone that it could not be done")
        {
            (trial) throws(NotPassed) in
            let files = ["gone-1", "gone-2"].map { trial.samples.file($0, "txt") }
            for entry in try run(action, files, trial) {
                guard entry["error"]?.stringValue != nil, entry["ok"] == nil else {
                    throw .failed("answered is \(entry.description)")
                }
            }
        }
    }

    private static func run(
        _ action: String, _ files: [SampleFile], _ trial: PluginTrial
    ) throws(NotPassed) -> [JSONValue] {
        let items = files.enumerated().map { index, file -> JSONValue in
            ["key": .string("f\(index)"), "path": .string(file.path.description)]
        }
        let params: JSONValue = ["action": .string(action), "items": .array(items), "args": [:]]
        let plugin = try trial.serving()
        let answer = plugin.ask("action.run", params, within: trial.callTime)
        let result = try trial.require(answer, "action.run")
        guard let entries = result["items"]?.arrayValue, entries.count == files.count else {
            throw .failed(
                "the answer must have 'items', an array of \(files.count) entries, unlike "
                    + result.description)
        }
        return entries
    }
}
