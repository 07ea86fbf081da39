internal import JSONText
package import WireProtocol

/// A plugin of the daemon, and its state.
package struct DaemonPlugin: Sendable {
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
    /// `builtin` or `process`.
    package let kind: String
    package let version: String
    /// How often it was started again after a fall.
    package let restarts: Int
    /// What it adds to the daemon: kinds of things, and their names.
    package let contributions: [(kind: String, names: [String])]
    /// The folder of a process.
    package let folder: String?
    /// What keeps a running process in its bounds: `full`, `seccomp` or `inherited`.
    package let sandbox: String?
    /// The process or the unit that runs it.
    package let process: String?
    /// Whether documents are read for its attributes although nobody asks.
    package let isReadInBackground: Bool
    /// Folders of others of its identifier, which come later in the order of places.
    package let shadowed: [String]
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
        kind = try reader.optionalString("kind") ?? "builtin"
        version = try reader.optionalString("version") ?? ""
        restarts = try reader.optionalInt("restarts") ?? 0
        var contributions: [(kind: String, names: [String])] = []
        if let object = try reader.optionalObject("contributes") {
            for kind in object.keys {
                contributions.append((kind, try object.strings(kind)))
            }
        }
        self.contributions = contributions
        folder = try reader.optionalString("folder")
        sandbox = try reader.optionalString("sandbox")
        let unit = try reader.optionalString("unit")
        let pid = try reader.optionalInt("pid")
        process = unit ?? pid.map { "process \($0)" }
        isReadInBackground = try reader.optionalBool("background") ?? false
        shadowed = try reader.optionalStrings("shadowed") ?? []
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

    /// Ends a plugin's process, and forgets its failures: `plugins.restart`.
    package static func restartPlugin(_ id: String) -> DaemonRequest {
        .nothing("plugins.restart", ["id": .string(id)])
    }

    /// Switches a plugin off until it is switched on, or the daemon ends: `plugins.disable`. Its open
    /// subscriptions are closed; its stored state stays. A process stays off for good.
    package static func disablePlugin(_ id: String) -> DaemonRequest {
        .nothing("plugins.disable", ["id": .string(id)])
    }
}
