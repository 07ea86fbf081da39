internal import PickerModel
internal import PickerService
internal import PluginInterface

/// What the daemon is told to do, from the settings file with the command line over it.
struct Settings: Equatable {
    /// The most folders to watch.
    static let mostRoots = 64

    /// The folders to watch, absolute. Never empty.
    var roots: [FileName]
    var logLevel = Report.Level.info
    var clients = ServiceLimits().clients
    var queueSoft = ServiceLimits().queueSoft
    var queueHard = ServiceLimits().queueHard
    /// What is set of plugins, by their identifiers.
    var plugins: [String: SettingValues] = [:]
    /// Where what outlives the daemon is kept, absolute; nil if there is no place for it.
    var stateFolder: String?

    /// The part that plugins see.
    var forPlugins: HostSettings {
        HostSettings(roots: roots, values: plugins, stateFolder: stateFolder)
    }

    /// The part that the server takes at its start.
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
