package import DataBus
package import EventLoops
internal import JSONText
package import PickerModel
package import PluginInterface
package import WireProtocol

/// Activates plugins, passes them new settings, switches them on and off, and deactivates them at the end.
///
/// A plugin that can't be activated is left out and reported; the others are served. A plugin that is off has
/// no open streams, and its methods are refused with its name. A plugin that keeps state goes on keeping it, so
/// that nothing is lost meanwhile; any other is deactivated, and starts afresh when it is switched on.
package final class PluginHost {
    /// The state of a plugin.
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
    /// Called with messages for the log, from the activation of plugins on.
    package var report: (Report) -> Void = { _ in }
    /// The version of the compiled-in plugins, which is the daemon's.
    let version: String
    private var hosted: [Hosted] = []
    private(set) var settings = HostSettings(roots: [])
    /// Closes the streams of a plugin in all sessions.
    package var closeStreams: (_ plugin: String) -> Void = { _ in }
    /// Serves the process of a plugin at the other end of a socket.
    package var connect: PluginContext.Connector?

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

    /// All plugins, in the order of activation.
    package var plugins: [(manifest: PluginManifest, state: State)] {
        hosted.map { ($0.manifest, $0.state) }
    }

    /// Activates `plugins` in order, except those that the settings switch off.
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
            settings: settings.settings(for: manifest), registry: registry, report: report,
            connect: connect)
        do throws(PluginError) {
            try hosted.plugin.activate(in: context)
            hosted.isActive = true
            hosted.state = .ready
        } catch {
            registry.removeAll(of: manifest.identifier)
            hosted.state = .failed(reason: error.reason)
            report(
                Report(
                    level: .error, message: "\(error); the daemon runs without it",
                    fields: ["PICKERD_PLUGIN": manifest.identifier]))
        }
    }

    /// Switches a plugin off; does nothing if it is off.
    private func switchOff(_ hosted: Hosted) {
        if hosted.state == .disabled { return }
        withdraw(hosted)
        announce(hosted, "plugin.disabled", "is off")
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

    /// Switches a plugin on; does nothing if it is on. A failure is in its state.
    private func switchOn(_ hosted: Hosted) {
        if hosted.state == .ready { return }
        registry.offer(hosted.manifest.identifier)
        if hosted.isActive { hosted.state = .ready } else { start(hosted) }
        if hosted.state == .ready { announce(hosted, "plugin.enabled", "is on") }
    }

    // MARK: Off and on

    /// Switches a plugin on; one that failed is retried. It is no error if the plugin is on.
    /// - Throws: noSuchItem if there is no such plugin, pluginFailed if it can't be activated.
    package func enable(_ identifier: String) throws(ProtocolError) {
        if let provider = provider(of: identifier) { return try provider.enable(identifier) }
        let hosted = try find(identifier)
        switchOn(hosted)
        if case .failed(let reason) = hosted.state { throw .pluginFailed(identifier, reason) }
    }

    /// Switches a plugin off until it is switched on or the daemon ends. It is no error if the plugin is off.
    /// - Throws: noSuchItem if there is no such plugin, conflict if the plugin is required.
    package func disable(_ identifier: String) throws(ProtocolError) {
        if let provider = provider(of: identifier) { return try provider.disable(identifier) }
        let hosted = try find(identifier)
        if hosted.manifest.isRequired {
            throw .conflict(
                "'\(identifier)' can't be switched off: the daemon needs it")
        }
        switchOff(hosted)
    }

    /// Ends a plugin's process, and starts it again when it is needed.
    /// - Throws: noSuchItem if there is no such plugin, conflict if it is no process, or off.
    package func restart(_ identifier: String) throws(ProtocolError) {
        if let provider = provider(of: identifier) { return try provider.restart(identifier) }
        _ = try find(identifier)
        throw .conflict(
            "'\(identifier)' is a part of the daemon: only plugins that are processes can be restarted"
        )
    }

    private func provider(of identifier: String) -> (any PluginProvider)? {
        registry.providers.first { $0.hosts(identifier) }
    }

    private func find(_ identifier: String) throws(ProtocolError) -> Hosted {
        if let found = hosted.first(where: { $0.manifest.identifier == identifier }) {
            return found
        }
        let others = registry.providers.flatMap(\.hostedPlugins).map(\.id)
        let known = (hosted.map(\.manifest.identifier) + others).joined(separator: ", ")
        throw .noSuchItem(
            "there is no plugin \(ProtocolError.quoted(identifier)): there are \(known)")
    }

    private func announce(_ hosted: Hosted, _ topic: Topic, _ what: String) {
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

    /// Passes new settings to all plugins. If one refuses them, those before it get the old ones back. A plugin
    /// that the new settings switch on or off, unlike the old ones, is switched; one that can't be activated is
    /// left out and reported, as at the start.
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

    /// Ends all plugins, in reverse order, as the process is about to end.
    package func endAll() {
        for hosted in hosted.reversed() where hosted.isActive { hosted.plugin.end() }
    }

    /// Deactivates all plugins, in reverse order.
    package func deactivateAll() {
        for hosted in hosted.reversed() where hosted.isActive {
            registry.removeAll(of: hosted.manifest.identifier)
            hosted.plugin.deactivate()
            hosted.isActive = false
        }
        hosted = []
    }
}
