internal import PickerModel
internal import PickerService
internal import PluginInterface
internal import ServiceManager

/// The settings of the daemon, from the settings file and the command line, which overrides it.
struct Settings: Equatable {
    /// The most folders to watch.
    static let mostRoots = 64

    /// The folders to watch, absolute. Never empty.
    var roots: [FileName]
    var logLevel = LogLevel.info
    var limits = ServiceLimits()
    /// The settings of plugins, by their identifiers.
    var plugins: [String: SettingValues] = [:]
    /// The absolute path of the state folder; nil if there is none.
    var stateFolder: String?

    /// The settings for plugins.
    var forPlugins: HostSettings {
        HostSettings(roots: roots, values: plugins, stateFolder: stateFolder)
    }
}

extension LogLevel {
    /// The names of all levels, in settings and on the command line.
    static var names: String {
        allCases.reversed().map { "\($0)" }.joined(separator: ", ")
    }
}
