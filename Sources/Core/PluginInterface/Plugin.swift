package import PickerModel

/// A plugin: one capability of the daemon, compiled in.
///
/// All that a client can ask for is contributed by a plugin: on activation it registers its methods
/// and whatever else it offers with the context, which is also all that it sees of the daemon.
/// Taking a plugin off the list takes its methods away and nothing else; no plugin knows another.
///
/// A plugin lives on the loop thread, from `activate` to `deactivate`, once.
package protocol Plugin: AnyObject {
    /// A short stable name, one lowercase word: `items`.
    var identifier: String { get }

    /// Registers what the plugin offers and starts its work. A plugin that throws is left out; the
    /// daemon says so and goes on without it.
    func activate(in context: PluginContext) throws(PluginError)

    /// Adopts new settings, or refuses them by throwing, in which case it keeps the old ones
    /// untouched.
    func adopt(_ settings: PluginSettings) throws(PluginError)

    /// Lets go of everything. Its methods have been taken off the registry already.
    func deactivate()
}

extension Plugin {
    package func adopt(_ settings: PluginSettings) throws(PluginError) {}
    package func deactivate() {}
}

/// Why a plugin can't be had, or why it refused new settings.
package struct PluginError: Error, CustomStringConvertible {
    package let plugin: String
    package let reason: String

    package init(plugin: String, reason: String) {
        self.plugin = plugin
        self.reason = reason
    }

    package var description: String { "plugin '\(plugin)': \(reason)" }
}

/// What the daemon's settings say to its plugins.
package struct PluginSettings: Equatable {
    /// The folders whose documents are served, absolute. Their names need not be UTF-8.
    package var roots: [FileName]
    /// The most events kept for replay.
    package var replayCount: Int
    /// The most bytes of events kept for replay.
    package var replayBytes: Int
    /// Whether events are kept across restarts. Counts at the start.
    package var storesEvents: Bool
    /// Where what outlives the daemon is kept; nil if there is no place for it.
    package var stateFolder: String?

    package init(
        roots: [String], replayCount: Int = 65_536, replayBytes: Int = 16 << 20,
        storesEvents: Bool = true, stateFolder: String? = nil
    ) {
        self.roots = roots.map { FileName($0) }
        self.replayCount = replayCount
        self.replayBytes = replayBytes
        self.storesEvents = storesEvents
        self.stateFolder = stateFolder
    }
}
