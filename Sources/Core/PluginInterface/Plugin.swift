/// A plugin: one capability of the daemon, compiled in.
///
/// All that a client can ask for is contributed by a plugin: on activation it registers its methods
/// and whatever else it offers with the context, which is also all that it sees of the daemon.
/// Taking a plugin off the list takes its methods away and nothing else; no plugin knows another.
///
/// A plugin lives on the loop thread, from `activate` to `deactivate`. One that is switched off and on again
/// while the daemon runs is told the same, unless it keeps state: that is activated once, and goes on
/// keeping it while it offers nothing.
package protocol Plugin: AnyObject {
    /// What it offers, takes and keeps. It is the same from the first to the last.
    var manifest: PluginManifest { get }

    /// Registers what the plugin offers and starts its work. A plugin that throws is left out; the
    /// daemon says so and goes on without it.
    func activate(in context: PluginContext) throws(PluginError)

    /// Adopts new settings, or refuses them by throwing, in which case it keeps the old ones
    /// untouched.
    func adopt(_ settings: PluginSettings) throws(PluginError)

    /// Lets go of everything. Its methods have been taken off the registry already, its streams are closed, and
    /// its requests under way are answered.
    func deactivate()
}

extension Plugin {
    package var identifier: String { manifest.identifier }
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
