package import WireProtocol

/// The contributions of one hosted plugin to the daemon: its methods, and the topics under which it alone publishes.
///
/// A hosted plugin's methods stay known while it is off: they are refused with its name. They are forgotten when the
/// plugin is no longer there.
package final class HostedContributions {
    private let identifier: String
    private let registry: MethodRegistry

    init(_ identifier: String, registry: MethodRegistry) {
        self.identifier = identifier
        self.registry = registry
        registry.reserve(process: identifier)
    }

    /// Offers these methods, in place of all that the plugin offered before.
    package func offer(_ methods: [(definition: MethodDefinition, handler: MethodHandler)]) {
        registry.forget(identifier)
        for method in methods {
            registry.register(
                method.definition, plugin: identifier,
                registry.tracking(method.handler, of: identifier))
        }
    }

    /// Refuses these methods, as those of a plugin that is off.
    package func withdraw(_ methods: [MethodDefinition]) {
        registry.forget(identifier)
        registry.withdraw(methods, of: identifier)
    }

    /// Forgets the plugin.
    package func end() {
        registry.forget(identifier)
        registry.release(process: identifier)
    }
}
