package import DataBus
package import PickerModel
package import PluginInterface
package import SystemdEventLoop

/// Activates plugins, hands them new settings, and takes them off again.
///
/// A plugin that can't be activated is left out with a report; the others are served.
package final class PluginHost {
    private let loop: any EventLoop
    private let bus: EventBus
    private let documents: DocumentStore
    private let registry: MethodRegistry
    private let report: (Report) -> Void
    private var active: [any Plugin] = []

    package init(
        loop: any EventLoop, bus: EventBus, documents: DocumentStore, registry: MethodRegistry,
        report: @escaping (Report) -> Void
    ) {
        self.loop = loop
        self.bus = bus
        self.documents = documents
        self.registry = registry
        self.report = report
    }

    /// Activates `plugins` in their order.
    package func activate(_ plugins: [any Plugin], settings: PluginSettings) {
        for plugin in plugins {
            let context = PluginContext(
                plugin: plugin.identifier, loop: loop, bus: bus, documents: documents,
                settings: settings, registry: registry, report: report)
            do throws(PluginError) {
                try plugin.activate(in: context)
                active.append(plugin)
            } catch {
                registry.removeAll(of: plugin.identifier)
                report(
                    Report(
                        level: .error, message: "\(error); the daemon goes on without it",
                        fields: ["PICKERD_PLUGIN": plugin.identifier]))
            }
        }
    }

    /// Hands new settings to all plugins. If one refuses them, those before it get the old ones
    /// back.
    package func adopt(
        _ settings: PluginSettings, insteadOf old: PluginSettings
    ) throws(PluginError) {
        var adopted: [any Plugin] = []
        for plugin in active {
            do throws(PluginError) {
                try plugin.adopt(settings)
                adopted.append(plugin)
            } catch {
                for plugin in adopted { try? plugin.adopt(old) }
                throw error
            }
        }
    }

    /// Takes all plugins off, the last first.
    package func deactivateAll() {
        for plugin in active.reversed() {
            registry.removeAll(of: plugin.identifier)
            plugin.deactivate()
        }
        active = []
    }
}
