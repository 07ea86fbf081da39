internal import JSONText
package import WireProtocol

/// A plugin of the daemon, and its state.
package struct DaemonPlugin: Hashable, Sendable {
    /// A setting of a plugin, and its current value.
    package struct Setting: Hashable, Sendable {
        /// Its name in the plugin's section of the settings file.
        package let name: String
        /// What it is for, in one sentence.
        package let summary: String
        /// Its value in the format of the file: `true`, `65536`.
        package let value: String
    }

    /// Its short name, such as `items`.
    package let id: String
    /// What it is for, in one sentence.
    package let summary: String
    /// `ready`, `disabled`, `failed`, or another state of a newer daemon.
    package let state: String
    /// The reason for the state, if there is one.
    package let reason: String?
    /// Its settings.
    package let settings: [Setting]
}

extension DaemonPlugin: WireReadable {
    package init(reading reader: ParameterReader) throws(ProtocolError) {
        id = try reader.string("id")
        summary = try reader.optionalString("summary") ?? ""
        state = try reader.string("state")
        reason = try reader.optionalString("reason")
        var settings: [Setting] = []
        for setting in reader.has("settings") ? try reader.objects("settings") : [] {
            settings.append(
                Setting(
                    name: try setting.string("name"),
                    summary: try setting.optionalString("summary") ?? "",
                    value: setting.view("value")?.description ?? ""))
        }
        self.settings = settings
    }
}

extension DaemonRequest<[DaemonPlugin]> {
    /// Requests the plugins of the daemon: `plugins.list`.
    package static var plugins: DaemonRequest {
        DaemonRequest("plugins.list") { result in
            guard result.kind == .array, let elements = try? result.elements() else {
                return .failure(.notAsAgreed("no array"))
            }
            do throws(ProtocolError) {
                var plugins: [DaemonPlugin] = []
                for element in elements {
                    plugins.append(try DaemonPlugin(reading: ParameterReader(element)))
                }
                return .success(plugins)
            } catch {
                return .failure(.notAsAgreed(error.message))
            }
        }
    }
}

extension DaemonRequest<Void> {
    /// Switches a plugin on: `plugins.enable`.
    package static func enablePlugin(_ id: String) -> DaemonRequest {
        .nothing("plugins.enable", ["id": .string(id)])
    }

    /// Switches a plugin off until it is switched on, or the daemon ends: `plugins.disable`. Its open
    /// subscriptions are closed; its stored state stays.
    package static func disablePlugin(_ id: String) -> DaemonRequest {
        .nothing("plugins.disable", ["id": .string(id)])
    }
}
