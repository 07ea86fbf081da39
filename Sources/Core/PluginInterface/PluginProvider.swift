package import WireProtocol

/// A plugin that hosts others, as the processes are. `plugins.list` shows what it hosts, and its requests about one
/// of these come here.
package protocol PluginProvider: AnyObject {
    /// All that it hosts, in order.
    var hostedPlugins: [PluginRecord] { get }

    /// Whether it hosts a plugin of this identifier.
    func hosts(_ identifier: String) -> Bool

    /// Switches a hosted plugin on for good. It is no error if it is on.
    func enable(_ identifier: String) throws(ProtocolError)

    /// Switches a hosted plugin off for good. It is no error if it is off.
    func disable(_ identifier: String) throws(ProtocolError)

    /// Ends what runs of a hosted plugin, forgets its failures, and starts it again when it is needed.
    func restart(_ identifier: String) throws(ProtocolError)
}
