internal import PickerService
internal import PluginInterface
internal import ServiceManager

/// The settings of the daemon, from the settings file and the command line, which overrides it.
struct Settings: Equatable {
    /// The most folders to watch.
    static let mostRoots = 64

    /// The settings of plugins. There is at least one root.
    var plugins: HostSettings
    var logLevel = LogLevel.info
    var limits = ServiceLimits()
}

extension LogLevel {
    /// The names of all levels, in settings and on the command line.
    static var names: String {
        allCases.reversed().map { "\($0)" }.joined(separator: ", ")
    }
}
