internal import PluginInterface
internal import PluginProcesses
internal import SystemInterface

/// Where plugins that are processes are looked for, and what they get of the daemon's environment.
struct PluginPlaces {
    /// In the order in which they count: the environment's own, the user's, those of the system, and those that came with
    /// the daemon.
    let places: [ProcessSettings.Place]
    let environment: [String: String]

    init(home: String?, variables: [String: String] = CurrentProcess.environment()) {
        func folders(_ name: String) -> [String] {
            (variables[name] ?? "").split(separator: ":").map { String($0) }
                .filter { $0.hasPrefix("/") }
        }
        let data = folders("XDG_DATA_HOME").first ?? home.map { $0 + "/.local/share" }
        var system = folders("XDG_DATA_DIRS")
        if system.isEmpty { system = ["/usr/local/share", "/usr/share"] }
        let shared = (data.map { [$0] } ?? []) + system
        var places = folders("PICKERD_PLUGIN_PATH").map { ProcessSettings.Place(path: $0) }
        places += shared.map { ProcessSettings.Place(path: $0 + "/pickerd/plugins") }
        if let prefix = Self.prefix {
            places.append(
                ProcessSettings.Place(path: prefix + "/lib/pickerd/plugins", isShipped: true))
        }
        self.places = places
        environment = variables.filter { PluginLaunch.passesOn($0.key) }
    }

    /// The folder below which the daemon is installed: that above the folder of its program.
    private static var prefix: String? {
        guard let program = CurrentProcess.program else { return nil }
        let folder = program.folder.folder
        return String(validating: folder.bytes, as: UTF8.self)
    }

    /// The user's language and region, as of the locale of messages.
    var locale: String {
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            if let value = environment[name], !value.isEmpty { return value }
        }
        return "C"
    }
}
