internal import PickerModel
internal import PickerService
internal import PluginInterface

/// The settings of the daemon, from the settings file and the command line, which overrides it.
struct Settings: Equatable {
    /// The most folders to watch.
    static let mostRoots = 64

    /// The folders to watch, absolute. Never empty.
    var roots: [FileName]
    var logLevel = Report.Level.info
    var clients = ServiceLimits().clients
    var queueSoft = ServiceLimits().queueSoft
    var queueHard = ServiceLimits().queueHard
    /// The settings of plugins, by their identifiers.
    var plugins: [String: SettingValues] = [:]
    /// The absolute path of the state folder; nil if there is none.
    var stateFolder: String?

    /// The settings for plugins.
    var forPlugins: HostSettings {
        HostSettings(roots: roots, values: plugins, stateFolder: stateFolder)
    }

    /// The settings for the server at its start.
    var limits: ServiceLimits {
        var limits = ServiceLimits()
        limits.clients = clients
        limits.queueSoft = queueSoft
        limits.queueHard = queueHard
        return limits
    }
}

/// The names of levels in settings and on the command line.
extension Report.Level {
    static let named: [(name: String, level: Report.Level)] = [
        ("debug", .debug), ("info", .info), ("notice", .notice), ("warning", .warning),
        ("error", .error),
    ]

    init?(named name: String) {
        guard let found = Self.named.first(where: { $0.name == name }) else { return nil }
        self = found.level
    }
}
