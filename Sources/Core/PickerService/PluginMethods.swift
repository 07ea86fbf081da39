internal import JSONText
internal import PluginInterface
internal import WireProtocol

// `plugins.list`, `plugins.enable` and `plugins.disable`: the plugins and whether they are on.

extension MethodDefinition {
    static let pluginsList = MethodDefinition(
        "plugins.list", "The plugins and their states.",
        result: .array(of: PluginRecord.schema))

    private static let identifier: [Schema.Member] = [.required("id", .string, "Of the plugin")]

    static let pluginsEnable = MethodDefinition(
        "plugins.enable",
        "Switches a plugin on; one that failed is tried again. A process stays on for good.",
        parameters: identifier, result: .empty, errors: [.noSuchItem, .pluginFailed, .conflict])

    static let pluginsDisable = MethodDefinition(
        "plugins.disable",
        "Switches a plugin off until it is switched on or the daemon ends, a process for good; what it keeps stays.",
        parameters: identifier, result: .empty, errors: [.noSuchItem, .conflict])

    static let pluginsRestart = MethodDefinition(
        "plugins.restart",
        "Ends a plugin's process, forgets its failures, and starts it again when it is needed.",
        parameters: identifier, result: .empty, errors: [.noSuchItem, .conflict])
}

extension PluginHost {
    func registerMethods(for server: String) {
        registry.register(.pluginsList, plugin: server) { [unowned self] (_, writer) in
            writer.array { writer in
                for plugin in plugins { record(plugin.manifest, plugin.state).write(to: &writer) }
                for provider in registry.providers {
                    for plugin in provider.hostedPlugins { plugin.write(to: &writer) }
                }
            }
            return .answered
        }
        register(.pluginsEnable, for: server) { (host, id) throws(ProtocolError) in
            try host.enable(id)
        }
        register(.pluginsDisable, for: server) { (host, id) throws(ProtocolError) in
            try host.disable(id)
        }
        register(.pluginsRestart, for: server) { (host, id) throws(ProtocolError) in
            try host.restart(id)
        }
    }

    private func register(
        _ method: MethodDefinition, for server: String,
        _ perform: @escaping (PluginHost, String) throws(ProtocolError) -> Void
    ) {
        registry.register(method, plugin: server) {
            [unowned self] (call, writer) throws(ProtocolError) in
            try perform(self, call.reader().string("id"))
            writer.object { _ in }
            return .answered
        }
    }

    private func record(_ manifest: PluginManifest, _ state: State) -> PluginRecord {
        var record = PluginRecord(
            id: manifest.identifier, kind: .builtin, version: version, summary: manifest.summary,
            state: .ready)
        switch state {
        case .ready: break
        case .disabled: record.state = .disabled
        case .failed(let reason):
            record.state = .failed
            record.reason = reason
        }
        record.isRequired = manifest.isRequired
        record.contributes.methods = manifest.methods.map(\.name).sorted()
        record.contributes.topics = manifest.reservedWords.map { $0 + ".*" }
        let values = settings.values[manifest.identifier] ?? [:]
        record.settings = manifest.allSettings.map { setting in
            let value: PluginRecord.Setting.Value =
                switch setting.kind {
                case .boolean: .boolean(values.boolean(setting))
                case .integer: .integer(values.integer(setting))
                }
            return .init(name: setting.name, summary: setting.summary, value: value)
        }
        return record
    }
}
