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
                .map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        }
        let data = folders("XDG_DATA_HOME").first ?? home.map { $0 + "/.local/share" }
        var system = folders("XDG_DATA_DIRS")
        if system.isEmpty { system = ["/usr/local/share", "/usr/share"] }
        let shared = (data.map { [$0] } ?? []) + system
        var places = folders("PICKERD_PLUGIN_PATH").map { ProcessSettings.Place(path: $0) }
        let installation = Self.installation
        places += shared.map { folder in
            let isOurs = folder == installation.map { $0.prefix + "/share" }
            return ProcessSettings.Place(
                path: folder + "/pickerd/plugins", owner: isOurs ? installation?.owner : nil)
        }
        if let installation {
            places.append(
                ProcessSettings.Place(
                    path: installation.prefix + "/lib/pickerd/plugins", isShipped: true,
                    owner: installation.owner))
        }
        self.places = places
        environment = variables.filter { PluginLaunch.passesOn($0.key) }
    }

    /// The folder below which the daemon is installed, that above the folder of its program, and who owns the program.
    ///
    /// Whoever owns it could change what the daemon does, and so may own plugins that are installed with it. In the user
    /// namespace of the daemon's unit that is how root's are known: there the owner of both is "nobody".
    private static var installation: (prefix: String, owner: UInt32?)? {
        guard let program = CurrentProcess.program else { return nil }
        let folder = program.folder.folder
        guard let prefix = String(validating: folder.bytes, as: UTF8.self) else { return nil }
        // The link leads to the program even when an upgrade has replaced it.
        let status = try? FileStatus.of(RawPath("/proc/self/exe"), followingLinks: true)
        return (prefix, status?.owner)
    }

    /// The user's language and region, as of the locale of messages.
    var locale: String {
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            if let value = environment[name], !value.isEmpty { return value }
        }
        return "C"
    }
}
