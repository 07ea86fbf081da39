package import DataBus
package import JSONText
package import PickerModel
package import SystemdEventLoop
package import WireProtocol

/// What one plugin sees of the daemon, made for it and for it alone.
///
/// The loop, the bus and the set of documents are the daemon's own and shared by all plugins.
/// What is registered here carries the plugin's name and goes when the plugin goes.
package final class PluginContext {
    /// The loop that everything runs on.
    package let loop: any EventLoop
    /// The bus for events of the daemon's own and of clients.
    package let bus: EventBus
    /// The documents of all roots.
    package let documents: DocumentStore
    /// The settings at the time of activation; later ones come by `Plugin.adopt`.
    package let settings: PluginSettings

    private let plugin: PluginManifest
    private let registry: MethodRegistry
    private let report: (Report) -> Void
    private let firstScan: FirstScanWait

    package init(
        plugin: PluginManifest, loop: any EventLoop, bus: EventBus, documents: DocumentStore,
        settings: PluginSettings, registry: MethodRegistry, report: @escaping (Report) -> Void
    ) {
        self.plugin = plugin
        self.loop = loop
        self.bus = bus
        self.documents = documents
        self.settings = settings
        self.registry = registry
        self.report = report
        firstScan = FirstScanWait(on: loop, for: documents)
    }

    /// Answers `method` with `handler` from now on, and has `daemon.schema` tell of it. The handler reads
    /// the parameters that the definition names and no others. A method has one owner: registering it twice
    /// is a programming error.
    ///
    /// A method with `waitsForDocuments` is handled once all documents are there, one with
    /// `changesDocuments` when nobody holds them as they are.
    package func register(_ method: MethodDefinition, _ handler: @escaping MethodHandler) {
        assert(
            plugin.methods.contains { $0.name == method.name },
            "'\(method.name)' is not in the manifest of '\(plugin.identifier)'")
        var handler = handler
        if method.changesDocuments { handler = documents.hold.delaying(handler) }
        if method.waitsForDocuments { handler = firstScan.delaying(handler) }
        handler = registry.noting(handler, of: plugin.identifier)
        registry.register(method, plugin: plugin.identifier, handler)
    }

    /// Adds a member of the manifest to the answer of `daemon.info`; `write` writes its value.
    package func contributeInfo(
        _ name: StaticString, _ write: @escaping (inout JSONWriter) -> Void
    ) {
        guard let member = plugin.info.first(where: { $0.name == "\(name)" }) else {
            preconditionFailure("'\(name)' is not in the manifest of '\(plugin.identifier)'")
        }
        registry.contributeInfo(member, name, plugin: plugin.identifier, write)
    }

    /// Calls `work` each time before anything is sent to a client: what a client has seen must not
    /// be undone. It must be quick, and send nothing itself.
    package func beforeOutput(_ work: @escaping () -> Void) {
        registry.beforeOutput(plugin: plugin.identifier, work)
    }

    /// Whether clients may not publish under `topic`: it is one of the daemon's own, or of a plugin's.
    package func isReserved(_ topic: Topic) -> Bool { registry.isReserved(topic) }

    /// Says what epoch the numbers of events belong to, if it is not that of the documents.
    package func numberEvents(in epoch: String) {
        registry.eventEpoch = epoch
    }

    /// Tells the people who run the daemon: a line in the log, with `fields` for machines.
    package func report(
        _ level: Report.Level, _ message: String, fields: KeyValuePairs<String, String> = [:]
    ) {
        report(Report(level: level, message: message, fields: fields))
    }

    /// Says in one line how the daemon is doing, for `systemctl status`.
    package func show(status: String) {
        report(Report(level: .status, message: status, fields: [:]))
    }

    /// Sends an event with `data` under `topic`, one of the daemon's own.
    @discardableResult
    package func publish(_ topic: Topic, _ data: (inout JSONWriter) -> Void) -> Int? {
        bus.send(WireEvent(topic: topic, data: JSONFragment(writing: data)))
    }
}

/// Something that the people who run the daemon should know.
package struct Report {
    package enum Level: Int, Comparable {
        case debug, info, notice, warning, error
        /// Not for the log: the one line that says how the daemon is doing.
        case status

        package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    package let level: Level
    package let message: String
    package let fields: KeyValuePairs<String, String>

    package init(level: Level, message: String, fields: KeyValuePairs<String, String>) {
        self.level = level
        self.message = message
        self.fields = fields
    }
}
