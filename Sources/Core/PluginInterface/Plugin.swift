/// A plugin: one capability of the daemon, compiled in.
///
/// Plugins provide everything that a client can request: on activation, a plugin registers its methods and
/// other contributions with the context, which is all that it sees of the daemon. Removing a plugin from the
/// list removes its methods and nothing else; no plugin knows another.
///
/// A plugin runs on the loop's thread, from `activate` to `deactivate`. Switching it off and on while the
/// daemon runs calls the same methods, unless it keeps state: such a plugin is activated once, and keeps its
/// state up to date while it offers nothing.
package protocol Plugin: AnyObject {
    /// Its methods, settings and state. It never changes.
    var manifest: PluginManifest { get }

    /// Registers the plugin's methods and starts its work. If it throws, the daemon reports that and runs
    /// without the plugin.
    func activate(in context: PluginContext) throws(PluginError)

    /// Adopts new settings, or refuses them by throwing and keeps the old ones.
    func adopt(_ settings: PluginSettings) throws(PluginError)

    /// Releases all resources. Its methods are already unregistered, its streams closed and its pending
    /// requests answered.
    func deactivate()

    /// Stores what is not stored yet, as the process is about to end. Memory and descriptors go with the process, which
    /// is faster than freeing many objects. By default it deactivates the plugin.
    func end()
}

extension Plugin {
    package var identifier: String { manifest.identifier }
    package func adopt(_ settings: PluginSettings) throws(PluginError) {}
    package func deactivate() {}
}

/// The reason why a plugin can't be activated, or refused new settings.
package struct PluginError: Error, CustomStringConvertible {
    package let plugin: String
    package let reason: String

    package init(plugin: String, reason: String) {
        self.plugin = plugin
        self.reason = reason
    }

    package var description: String { "plugin '\(plugin)': \(reason)" }
}

extension Plugin {
    package func end() { deactivate() }
}
