internal import JSONText
internal import PluginInterface
internal import WireProtocol

// `plugins.list`, `plugins.enable` and `plugins.disable`: the plugins and whether they are on.

extension MethodDefinition {
    static let pluginsList = MethodDefinition(
        "plugins.list", "The plugins and their states.",
        result: .array(
            of: .object([
                .required("id", .string), .required("kind", .choice("builtin")),
                .required("version", .string),
                .required("summary", .string, "What it is for, in one sentence"),
                .required("state", .choice("ready", "disabled", "failed")),
                .optional("reason", .string, "Why it could not be started"),
                .required("required", .boolean, "Whether it can't be switched off"),
                .required("methods", .array(of: .string), "Its own, on or off"),
                .required(
                    "settings",
                    .array(
                        of: .object([
                            .required("name", .string), .required("summary", .string),
                            .required("value", .either(.boolean, .integer)),
                        ])), "Those of its section in the settings file, with current values"),
            ])))

    private static let identifier: [Schema.Member] = [.required("id", .string, "Of the plugin")]

    static let pluginsEnable = MethodDefinition(
        "plugins.enable", "Switches a plugin on; one that failed is tried again.",
        parameters: identifier, result: .empty, errors: [.noSuchItem, .pluginFailed])

    static let pluginsDisable = MethodDefinition(
        "plugins.disable",
        "Switches a plugin off until it is switched on or the daemon ends; what it keeps stays.",
        parameters: identifier, result: .empty, errors: [.noSuchItem, .conflict])
}

extension PluginHost {
    func registerMethods(for server: String) {
        registry.register(.pluginsList, plugin: server) { [unowned self] (_, writer) in
            writer.array { writer in
                for plugin in plugins { write(plugin.manifest, plugin.state, to: &writer) }
            }
            return .answered
        }
        registry.register(.pluginsEnable, plugin: server) {
            [unowned self] (call, writer) throws(ProtocolError) in
            try enable(call.reader().string("id"))
            writer.object { _ in }
            return .answered
        }
        registry.register(.pluginsDisable, plugin: server) {
            [unowned self] (call, writer) throws(ProtocolError) in
            try disable(call.reader().string("id"))
            writer.object { _ in }
            return .answered
        }
    }

    private func write(
        _ manifest: PluginManifest, _ state: State, to writer: inout JSONWriter
    ) {
        let values = settings.values[manifest.identifier] ?? [:]
        writer.object { writer in
            writer.member("id", manifest.identifier)
            writer.member("kind", "builtin")
            writer.member("version", version)
            writer.member("summary", manifest.summary)
            switch state {
            case .ready: writer.member("state", "ready")
            case .disabled: writer.member("state", "disabled")
            case .failed(let reason):
                writer.member("state", "failed")
                writer.member("reason", reason)
            }
            writer.member("required", manifest.isRequired)
            writer.member(array: "methods") { writer in
                for name in manifest.methods.map(\.name).sorted() { writer.string(name) }
            }
            writer.member(array: "settings") { writer in
                for setting in manifest.allSettings {
                    writer.object { writer in
                        writer.member("name", setting.name)
                        writer.member("summary", setting.summary)
                        switch setting.kind {
                        case .boolean: writer.member("value", values.boolean(setting))
                        case .integer: writer.member("value", values.integer(setting))
                        }
                    }
                }
            }
        }
    }
}
