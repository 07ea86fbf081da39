package import DataBus
internal import JSONText
package import PickerModel
package import PluginInterface
package import SystemdEventLoop
package import WireProtocol

/// Activates plugins, hands them new settings, switches them off and on, and takes them off at the end.
///
/// A plugin that can't be activated is left out with a report; the others are served. What a plugin that is
/// off had open is closed, and its methods are refused by name. One that keeps state goes on keeping it, so
/// that nothing of it is lost meanwhile; any other lets go of all it has, and begins anew when it is switched on.
package final class PluginHost {
    /// How a plugin is.
    package enum State: Equatable {
        case ready
        case disabled
        /// It could not be activated.
        case failed(reason: String)
    }

    private final class Hosted {
        let plugin: any Plugin
        var isActive = false
        var state = State.disabled

        init(_ plugin: any Plugin) { self.plugin = plugin }

        var manifest: PluginManifest { plugin.manifest }
    }

    private let loop: any EventLoop
    private let bus: EventBus
    private let documents: DocumentStore
    let registry: MethodRegistry
    /// Told what is worth a line in the log, as of when plugins are activated.
    package var report: (Report) -> Void = { _ in }
    /// Of the plugins that are compiled in: the daemon's own.
    let version: String
    private var hosted: [Hosted] = []
    private(set) var settings = HostSettings(roots: [])
    /// Closes what is open of a plugin in all sessions.
    package var closeStreams: (_ plugin: String) -> Void = { _ in }

    package init(
        loop: any EventLoop, bus: EventBus, documents: DocumentStore, registry: MethodRegistry,
        version: String
    ) {
        self.loop = loop
        self.bus = bus
        self.documents = documents
        self.registry = registry
        self.version = version
        registerMethods(for: PickerServer.ownName)
    }

    /// All plugins, in their order.
    package var plugins: [(manifest: PluginManifest, state: State)] {
        hosted.map { ($0.manifest, $0.state) }
    }

    /// Activates `plugins` in their order, but those that the settings switch off.
    package func activate(_ plugins: [any Plugin], settings: HostSettings) {
        self.settings = settings
        for plugin in plugins {
            registry.reserve(plugin.manifest.reservedWords)
            let hosted = Hosted(plugin)
            self.hosted.append(hosted)
            let isEnabled = settings.isEnabled(plugin.manifest)
            if isEnabled || plugin.manifest.keepsState { start(hosted) }
            if !isEnabled { withdraw(hosted) }
        }
    }

    private func start(_ hosted: Hosted) {
        let manifest = hosted.manifest
        let context = PluginContext(
            plugin: manifest, loop: loop, bus: bus, documents: documents,
            settings: settings.settings(for: manifest), registry: registry, report: report)
        do throws(PluginError) {
            try hosted.plugin.activate(in: context)
            hosted.isActive = true
            hosted.state = .ready
        } catch {
            registry.removeAll(of: manifest.identifier)
            hosted.state = .failed(reason: error.reason)
            report(
                Report(
                    level: .error, message: "\(error); the daemon goes on without it",
                    fields: ["PICKERD_PLUGIN": manifest.identifier]))
        }
    }

    /// Has it offer nothing. It is as it was if it is off.
    private func switchOff(_ hosted: Hosted) {
        if hosted.state == .disabled { return }
        withdraw(hosted)
        tell(hosted, "plugin.disabled", "is off")
    }

    private func withdraw(_ hosted: Hosted) {
        let manifest = hosted.manifest
        registry.withdraw(manifest.methods, of: manifest.identifier)
        closeStreams(manifest.identifier)
        if hosted.isActive, !manifest.keepsState {
            registry.removeAll(of: manifest.identifier)
            hosted.plugin.deactivate()
            hosted.isActive = false
        }
        hosted.state = .disabled
    }

    /// Has it offer what it has; what keeps it from that is in its state then. It is as it was if it is on.
    private func switchOn(_ hosted: Hosted) {
        if hosted.state == .ready { return }
        registry.offer(hosted.manifest.identifier)
        if hosted.isActive { hosted.state = .ready } else { start(hosted) }
        if hosted.state == .ready { tell(hosted, "plugin.enabled", "is on") }
    }

    // MARK: Off and on

    /// Has a plugin offer what it has again; one that failed is tried again. It is no error if it is on.
    /// - Throws: noSuchItem if there is no such plugin, pluginFailed if it can't be activated.
    package func enable(_ identifier: String) throws(ProtocolError) {
        let hosted = try find(identifier)
        switchOn(hosted)
        if case .failed(let reason) = hosted.state { throw .pluginFailed(identifier, reason) }
    }

    /// Has a plugin offer nothing until it is switched on again, or the daemon ends. It is no error if it is off.
    /// - Throws: noSuchItem if there is no such plugin, conflict if the daemon is nothing without it.
    package func disable(_ identifier: String) throws(ProtocolError) {
        let hosted = try find(identifier)
        if hosted.manifest.isRequired {
            throw .conflict(
                "'\(identifier)' can't be switched off: the daemon is nothing without it")
        }
        switchOff(hosted)
    }

    private func find(_ identifier: String) throws(ProtocolError) -> Hosted {
        if let found = hosted.first(where: { $0.manifest.identifier == identifier }) {
            return found
        }
        let known = hosted.map(\.manifest.identifier).joined(separator: ", ")
        throw .noSuchItem(
            "there is no plugin \(ProtocolError.quoted(identifier)): there are \(known)")
    }

    private func tell(_ hosted: Hosted, _ topic: Topic, _ what: String) {
        let identifier = hosted.manifest.identifier
        bus.send(
            WireEvent(
                topic: topic,
                data: JSONFragment(writing: { $0.object { $0.member("id", identifier) } })))
        report(
            Report(
                level: .notice, message: "the plugin '\(identifier)' \(what)",
                fields: ["PICKERD_PLUGIN": identifier]))
    }

    // MARK: Settings

    /// Hands new settings to all plugins. If one refuses them, those before it get the old ones
    /// back. A plugin that the new ones switch off or on, and the old ones did not, follows; one that can't
    /// be activated then is left out with a report, as at the start.
    package func adopt(_ new: HostSettings) throws(PluginError) {
        let old = settings
        var adopted: [Hosted] = []
        for hosted in hosted where hosted.isActive {
            do throws(PluginError) {
                try hosted.plugin.adopt(new.settings(for: hosted.manifest))
                adopted.append(hosted)
            } catch {
                for hosted in adopted {
                    try? hosted.plugin.adopt(old.settings(for: hosted.manifest))
                }
                throw error
            }
        }
        settings = new
        for hosted in hosted where old.isEnabled(hosted.manifest) != new.isEnabled(hosted.manifest)
        {
            if new.isEnabled(hosted.manifest) { switchOn(hosted) } else { switchOff(hosted) }
        }
    }

    /// Takes all plugins off, the last first.
    package func deactivateAll() {
        for hosted in hosted.reversed() where hosted.isActive {
            registry.removeAll(of: hosted.manifest.identifier)
            hosted.plugin.deactivate()
            hosted.isActive = false
        }
        hosted = []
    }
}
