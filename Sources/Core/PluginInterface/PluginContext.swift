package import DataBus
package import EventLoops
package import JSONText
package import PickerModel
package import SystemInterface
package import WireProtocol

/// The daemon as one plugin sees it; each plugin has its own context.
///
/// The loop, the bus and the documents are shared by all plugins. Registrations carry the plugin's name and are
/// removed with the plugin.
package final class PluginContext {
    /// The daemon's event loop.
    package let loop: any EventLoop
    /// The bus for events of the daemon and of clients.
    package let bus: EventBus
    /// The documents of all roots.
    package let documents: DocumentStore
    /// The settings at activation; `Plugin.adopt` passes later ones.
    package let settings: PluginSettings

    private let plugin: PluginManifest
    private let registry: MethodRegistry
    private let report: (Report) -> Void
    private let connector: Connector?
    private let firstScan: FirstScanWait
    /// Writes the data of one event, and is empty again afterwards.
    private var eventWriter = JSONWriter()

    package init(
        plugin: PluginManifest, loop: any EventLoop, bus: EventBus, documents: DocumentStore,
        settings: PluginSettings, registry: MethodRegistry, report: @escaping (Report) -> Void,
        connect: Connector? = nil
    ) {
        self.plugin = plugin
        self.loop = loop
        self.bus = bus
        self.documents = documents
        self.settings = settings
        self.registry = registry
        self.report = report
        connector = connect
        firstScan = FirstScanWait(on: loop, for: documents)
    }

    /// Registers the handler of `method`, which `daemon.schema` then lists. The handler reads only parameters
    /// that the definition names. A method has one owner: registering it twice is a programming error.
    ///
    /// A method with `waitsForDocuments` is handled once all documents are there, one with `changesDocuments`
    /// when no change hold is on.
    package func register(_ method: MethodDefinition, _ handler: @escaping MethodHandler) {
        assert(
            plugin.methods.contains { $0.name == method.name },
            "'\(method.name)' is not in the manifest of '\(plugin.identifier)'")
        var handler = handler
        if method.changesDocuments { handler = documents.hold.delaying(handler) }
        if method.waitsForDocuments { handler = firstScan.delaying(handler) }
        handler = registry.tracking(handler, of: plugin.identifier)
        registry.register(method, plugin: plugin.identifier, handler)
    }

    /// Registers a method whose answer is an empty object.
    package func register(
        command method: MethodDefinition,
        _ perform: @escaping (MethodCall) throws(ProtocolError) -> Void
    ) {
        register(method) { (call, writer) throws(ProtocolError) in
            try perform(call)
            writer.object { _ in }
            return .answered
        }
    }

    /// Registers a method that closes the stream of this type that its parameter `sub` names.
    package func register<Stream: SessionStream>(closing method: MethodDefinition, _: Stream.Type) {
        register(command: method) { (call) throws(ProtocolError) in
            let params = try call.reader()
            _ = try call.stream(Stream.self, named: params)
            call.session.close(try params.requestID("sub"))
        }
    }

    /// Adds the schema of something that is in no message to `daemon.schema`, as long as the plugin is on.
    package func describe(_ schema: NamedSchema) {
        registry.describe(schema, plugin: plugin.identifier)
    }

    /// Adds a member of the manifest to the result of `daemon.info`; `write` writes its value.
    package func contributeInfo(
        _ name: StaticString, _ write: @escaping (inout JSONWriter) -> Void
    ) {
        guard let member = plugin.info.first(where: { $0.name == "\(name)" }) else {
            preconditionFailure("'\(name)' is not in the manifest of '\(plugin.identifier)'")
        }
        registry.contributeInfo(member, name, plugin: plugin.identifier, write)
    }

    /// Calls `work` before each output to a client, because what a client has seen must not be undone. It must
    /// be quick and send nothing itself.
    package func beforeOutput(_ work: @escaping () -> Void) {
        registry.beforeOutput(plugin: plugin.identifier, work)
    }

    /// Who alone publishes under `topic`; nil if everyone may.
    package func owner(of topic: Topic) -> TopicOwner? { registry.owner(of: topic) }

    /// Grows whenever the owner of a topic may have changed.
    package var topicGeneration: Int { registry.topicGeneration }

    /// Sets the epoch of event numbers, if it is not that of the documents.
    package func numberEvents(in epoch: String) {
        registry.eventEpoch = epoch
    }

    /// Writes a line to the log, for the people who run the daemon, with `fields` for machines.
    package func report(
        _ level: Report.Level, _ message: String, fields: KeyValuePairs<String, String> = [:]
    ) {
        report(Report(level: level, message: message, fields: fields))
    }

    /// Sets the one-line status for `systemctl status`.
    package func show(status: String) {
        report(Report(level: .status, message: status, fields: [:]))
    }

    /// Serves a process at the other end of a socket: what it calls, and what it answers to `peer`.
    package typealias Connector =
        (DescriptorBox, any SessionPeer) throws(SystemError) -> any PeerConnection

    /// Serves the process of a plugin at the other end of this socket.
    package func connect(
        _ socket: DescriptorBox, to peer: any SessionPeer
    ) throws(SystemError) -> any PeerConnection {
        guard let connector else {
            preconditionFailure("'\(plugin.identifier)' serves processes, and no server is there")
        }
        return try connector(socket, peer)
    }

    /// Shows the plugins that this one hosts in `plugins.list`, and passes it what clients ask of them. It is retained
    /// until this plugin is deactivated.
    package func provide(_ provider: any PluginProvider) {
        registry.provide(provider, plugin: plugin.identifier)
    }

    /// Offers the actions of this plugin. It is retained until this plugin is deactivated.
    package func provide(actions: any ActionProvider) {
        registry.provide(actions: actions, plugin: plugin.identifier)
    }

    /// All that offer actions, in the order of their plugins.
    package var actionProviders: [any ActionProvider] { registry.actionProviders }

    /// What this plugin does for the plugins that it hosts.
    package func hosting(_ identifier: String) -> HostedContributions {
        HostedContributions(identifier, registry: registry)
    }

    /// The words that are no identifiers of hosted plugins.
    package var ownWords: Set<String> { registry.ownWords }

    /// Publishes an event with `data` under `topic`, one of the daemon's own. `data` writes one value and does nothing
    /// else.
    @discardableResult
    package func publish(_ topic: Topic, _ data: (inout JSONWriter) -> Void) -> Int? {
        data(&eventWriter)
        let event = WireEvent(topic: topic, copying: eventWriter)
        eventWriter.removeAll()
        return bus.send(event)
    }

    /// Publishes why a part of the daemon, which is stored at `path`, is degraded; without a reason, that it is
    /// restored.
    package func publish(fault reason: String?, of part: String, at path: String) {
        publish(reason == nil ? "daemon.restored" : "daemon.degraded") { writer in
            writer.object { writer in
                writer.member("what", part)
                if let reason { writer.member("reason", reason) }
                writer.member("path", path)
            }
        }
    }
}

/// A message for the people who run the daemon.
package struct Report {
    package enum Level {
        case debug, info, notice, warning, error
        /// The one-line status; it is not logged.
        case status
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
