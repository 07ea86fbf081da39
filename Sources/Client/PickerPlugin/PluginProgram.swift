internal import Glibc
public import PickerClient
internal import SystemInterface

/// A program that is a plugin of pickerd: what it contributes, and nothing else.
///
///     @main struct ImageSize: PluginProgram {
///         static let groups = [
///             Group("header") { file in
///                 let bytes = try file.read(upTo: 65_536)
///                 guard let size = PNGHeader(bytes)?.size else { return .none }
///                 return ["image.width": size.width, "image.height": size.height]
///             }
///         ]
///     }
///
/// Its manifest, `plugin.json`, is beside it. Everything runs on the main thread. What the program prints goes to the
/// standard error.
@MainActor public protocol PluginProgram {
    /// The attributes that it reads.
    static var groups: [Group] { get }
    /// The methods that clients may call.
    static var methods: [Method] { get }
    /// What it does to documents.
    static var actions: [Action] { get }
    /// Its collections of items.
    static var sources: [Source] { get }
    /// Called once, before anything comes from the daemon: for descriptors to watch and timers to set.
    static func begin(_ daemon: PluginDaemon) throws
    /// Called with the settings: at the start, and when they change. They are in ``PluginDaemon/config`` by then. An
    /// error says what is wrong with them, and the former ones stay.
    static func configure(_ settings: RawJSON, _ daemon: PluginDaemon) throws
    /// Called once, before the end. It has a second.
    static func end()
}

extension PluginProgram {
    /// None.
    public static var groups: [Group] { [] }
    /// None.
    public static var methods: [Method] { [] }
    /// None.
    public static var actions: [Action] { [] }
    /// None.
    public static var sources: [Source] { [] }
    /// Does nothing.
    public static func begin(_ daemon: PluginDaemon) throws {}
    /// Takes any settings.
    public static func configure(_ settings: RawJSON, _ daemon: PluginDaemon) throws {}
    /// Does nothing.
    public static func end() {}

    /// Serves the daemon until the end of the socket, `plugin.stop` or SIGTERM.
    ///
    /// The exit status is 0, 2 if there is no socket on descriptor 3, and 1 if the manifest can't be used or the daemon
    /// sent what can't be read.
    public static func main() {
        exit(
            PluginStart.run {
                var parts = PluginParts(
                    groups: groups, methods: methods, actions: actions, sources: sources)
                parts.begin = { try begin($0) }
                parts.configure = { try configure($0, $1) }
                parts.end = { end() }
                return parts
            })
    }
}
