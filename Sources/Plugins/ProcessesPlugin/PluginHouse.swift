internal import EventLoops
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import PluginProcesses
internal import SystemInterface
internal import WireProtocol

/// All plugins that are processes, by their identifiers.
///
/// The folders are looked through once at the start, before the first request, and later on a thread, whenever something
/// has changed in them. Of plugins of one identifier the first counts, in the order of the places.
final class PluginHouse {
    let context: PluginContext
    private(set) var settings: ProcessSettings
    private var roots: [String]
    private let launcher: any PluginLauncher
    let chance: () -> Double
    /// By identifier.
    private var plugins: [String: HostedPlugin] = [:]
    private var search: PluginSearch?
    private var logs: [String: PluginLog] = [:]
    private var hasEnded = false
    private var isWatching = false
    /// The folders of the plugins that were found last.
    private var watched: [RawPath] = []
    /// What was wrong with the places when they were looked through last.
    private var placeFaults: [String] = []

    init(
        in context: PluginContext, launcher: any PluginLauncher, chance: @escaping () -> Double
    ) {
        self.context = context
        self.launcher = launcher
        self.chance = chance
        settings = context.settings.processes
        roots = context.settings.roots.map(\.text)
    }

    var loop: any EventLoop { context.loop }

    // MARK: Plugins

    func start() {
        search = PluginSearch(on: loop) { [unowned self] in take($0) }
        search?.onTrouble = { [unowned self] in context.report(.warning, $0) }
        search?.prepare()
        take(folders.scan())
        // Watches may be few, and documents come first. What has changed until then is found by another look.
        loop.enqueue(priority: .idle) { [weak self] in
            guard let self else { return }
            isWatching = true
            if settings.places.isEmpty { return }
            search?.watch(folders, watched)
            search?.look(in: folders)
        }
    }

    private var folders: PluginFolders {
        var owners: [RawPath: UInt32] = [:]
        for place in settings.places { owners[RawPath(place.path)] = place.owner }
        return PluginFolders(
            places: settings.places.map { RawPath($0.path) }, reserved: context.ownWords,
            owners: owners)
    }

    /// Follows what was found.
    func take(_ listing: PluginFolders.Listing) {
        guard !hasEnded else { return }
        // A folder with the name of a part of the daemon is no plugin, and must not be taken for that part.
        let own = context.ownWords
        let found = listing.plugins.filter { !own.contains($0.id) }
        let new =
            listing.faults.map(\.message)
            + listing.plugins.filter { own.contains($0.id) }.map {
                "'\($0.folder)' has the name of a part of the daemon, and is no plugin: rename it"
            }
        for message in new where !placeFaults.contains(message) {
            context.report(.warning, message, fields: ["PICKERD_EVENT": "plugins-left-out"])
        }
        placeFaults = new
        let first = Dictionary(grouping: found, by: \.id)
        for (id, all) in first.sorted(by: { $0.key < $1.key }) {
            guard let counts = all.first(where: { !$0.isShadowed }) else { continue }
            let shadowed = all.filter(\.isShadowed).map(\.folder.description)
            if let plugin = plugins[id] {
                plugin.shadowed = shadowed
                plugin.isGone = false
                plugin.adopt(counts)
            } else {
                let plugin = HostedPlugin(counts, in: self)
                plugin.shadowed = shadowed
                plugins[id] = plugin
                plugin.settle()
            }
        }
        for (id, plugin) in plugins where first[id] == nil { remove(plugin) }
        watched = found.map(\.folder)
        if isWatching { search?.watch(folders, watched) }
    }

    /// Its folder is gone: its processes are told to stop, and then nothing is left of it.
    private func remove(_ plugin: HostedPlugin) {
        plugin.isGone = true
        plugin.settle()
        processIsOver(of: plugin)
    }

    func processIsOver(of plugin: HostedPlugin) {
        guard plugin.isGone, plugin.retiring.isEmpty, plugins[plugin.id] === plugin else {
            return
        }
        plugins[plugin.id] = nil
        plugin.withdrawAttributes()
        plugin.contributions.end()
    }

    var sortedPlugins: [HostedPlugin] { plugins.values.sorted { $0.id < $1.id } }

    func plugin(_ id: String) -> HostedPlugin? { plugins[id] }

    func isShipped(_ found: FoundPlugin) -> Bool {
        settings.places.indices.contains(found.place) && settings.places[found.place].isShipped
    }

    // MARK: Settings

    func adopt(_ new: PluginSettings) {
        let old = settings
        settings = new.processes
        roots = new.roots.map(\.text)
        if settings.places != old.places {
            search?.look(in: folders)
        }
        for (id, plugin) in plugins {
            plugin.settle()
            if settings.choices[id]?.config != old.choices[id]?.config {
                plugin.current?.configure(settings.choices[id]?.config)
            }
        }
    }

    func end() {
        hasEnded = true
        search = nil
        for plugin in plugins.values {
            plugin.isGone = true
            plugin.settle()
            plugin.contributions.end()
        }
    }

    // MARK: For the plugins

    func makeProcess(of plugin: HostedPlugin, _ manifest: ProcessManifest) -> PluginProcess {
        let launch = PluginLaunch(
            plugin: plugin.id, folder: plugin.found.folder.description,
            command: manifest.exec,
            environment: PluginLaunch.environment(
                of: plugin.id, passedOn: settings.environment),
            limits: manifest.limits, needs: manifest.needs, roots: roots)
        let log = log(of: plugin.id)
        let process = PluginProcess(
            launch, of: manifest,
            in: .init(
                loop: loop, launcher: launcher,
                connect: { [context] (socket, peer) throws(SystemError) in
                    try context.connect(socket, to: peer)
                },
                print: { [context, id = plugin.id] line in
                    log.add(line, at: context.loop.wallSeconds)
                    context.report(
                        .info, "\(id): \(line)",
                        fields: ["PICKERD_PLUGIN": id, "PICKERD_EVENT": "plugin-output"])
                }))
        return process
    }

    func greeting(for plugin: HostedPlugin) -> Greeting {
        Greeting(
            daemon: "pickerd/\(settings.daemonVersion)", epoch: context.documents.epoch,
            config: plugin.choice.config, roots: roots, locale: settings.locale)
    }

    /// Tells everyone about a step in the life of a plugin.
    func announce(
        _ topic: Topic, of plugin: HostedPlugin, state: PluginRecord.State, reason: String? = nil,
        lines: [String] = []
    ) {
        context.publish(topic) { writer in
            writer.object { writer in
                writer.member("id", plugin.id)
                writer.member("state", state.rawValue)
                if let reason { writer.member("reason", reason) }
                if !lines.isEmpty { writer.member("stderr", lines) }
            }
        }
        let what: String =
            switch topic {
            case "plugin.started": "runs"
            case "plugin.quarantined":
                "is started no more, until 'pickerctl plugins restart \(plugin.id)'"
            default: "has ended: \(reason ?? "")"
            }
        let isFault = reason.map { $0 != "stopped" } ?? false
        context.report(
            isFault ? .warning : .notice, "the plugin '\(plugin.id)' \(what)",
            fields: ["PICKERD_PLUGIN": plugin.id, "PICKERD_EVENT": topic.text])
    }

    func writeLog(
        _ call: MethodCall, of owner: String, _ writer: inout JSONWriter
    ) throws(ProtocolError) {
        let params = try call.reader()
        let id = try params.string("id")
        let count = try params.optionalInt("count", in: 0...Int.max) ?? .max
        let follows = try params.optionalBool("follow") ?? false
        guard hosts(id) else { throw .noSuchItem("there is no plugin \(ProtocolError.quoted(id))") }
        let log = log(of: id)
        var sub: RequestID?
        if follows {
            let id = try call.streamID()
            try call.session.open(PluginLogStream(id, of: log, plugin: owner), as: id)
            sub = id
        }
        writer.object { writer in
            if let sub { writer.member("sub", sub) }
            writer.member(array: "lines") { writer in
                for line in log.lines(after: 0).suffix(count) { line.write(to: &writer) }
            }
        }
    }

    private func log(of id: String) -> PluginLog {
        let log = logs[id] ?? PluginLog()
        logs[id] = log
        return log
    }
}

extension PluginHouse: PluginProvider {
    var hostedPlugins: [PluginRecord] {
        sortedPlugins.map(\.record)
    }

    func hosts(_ identifier: String) -> Bool { plugins[identifier] != nil }

    func enable(_ identifier: String) throws(ProtocolError) { try choose(identifier, true) }

    func disable(_ identifier: String) throws(ProtocolError) { try choose(identifier, false) }

    func restart(_ identifier: String) throws(ProtocolError) {
        guard let plugin = plugins[identifier] else { return }
        guard plugin.isEnabled else {
            throw .conflict("the plugin '\(identifier)' is off: 'plugins.enable' switches it on")
        }
        plugin.restart()
    }

    private func choose(_ identifier: String, _ isEnabled: Bool) throws(ProtocolError) {
        guard let plugin = plugins[identifier] else { return }
        if plugin.isEnabled == isEnabled { return }
        guard let file = settings.choicesFile else {
            throw .conflict(
                "there is no place for the file that says which plugins are on: set HOME or "
                    + "XDG_CONFIG_HOME, and start the daemon again")
        }
        do throws(ChoicesFault) {
            try ChoicesFile(path: file).set("enabled", to: isEnabled, of: identifier)
        } catch {
            throw .conflict(error.message)
        }
        settings.choices[identifier, default: .init()].isEnabled = isEnabled
        plugin.settle()
    }
}
