package import PluginInterface
package import PluginProcesses
internal import WireProtocol

/// Plugins that are processes: programs in any language, which the daemon starts when they are needed, supervises, and
/// lets contribute methods under their own names.
///
/// Their folders are looked through at the start and after each change (`PluginHouse`). Each has a life of its own
/// (`HostedPlugin`): nothing that one of them does, or fails to do, disturbs another one, or the daemon.
package final class ProcessesPlugin: Plugin {
    package let manifest = PluginManifest(
        identifier, "Plugins that are programs of their own.",
        methods: [.pluginsLog, .pluginsUnfollow])

    private static let identifier = "processes"
    private let makeLauncher: (PluginContext) -> any PluginLauncher
    /// Made once: it knows the processes that were started before the plugin host was switched off.
    private var launcher: (any PluginLauncher)?
    /// Random numbers from -1 to 1, for the times between two starts.
    private let chance: () -> Double
    private(set) var house: PluginHouse?

    /// A plugin that starts processes with what `makeLauncher` makes.
    package init(
        chance: @escaping () -> Double = { Double.random(in: -1...1) },
        makeLauncher: @escaping (PluginContext) -> any PluginLauncher
    ) {
        self.makeLauncher = makeLauncher
        self.chance = chance
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        let launcher = launcher ?? makeLauncher(context)
        self.launcher = launcher
        let house = PluginHouse(in: context, launcher: launcher, chance: chance)
        self.house = house
        context.register(.pluginsLog) { [unowned house] (call, writer) throws(ProtocolError) in
            try house.writeLog(call, of: Self.identifier, &writer)
            return .answered
        }
        context.register(closing: .pluginsUnfollow, PluginLogStream.self)
        context.describe(ManifestSchema.named)
        house.start()
        context.provide(house)
        context.provide(actions: house)
    }

    package func adopt(_ settings: PluginSettings) throws(PluginError) {
        house?.adopt(settings)
    }

    package func deactivate() {
        house?.end()
        house = nil
    }

    /// The processes see the end of their connections, and their guards or the service manager see to the rest.
    package func end() {}
}
