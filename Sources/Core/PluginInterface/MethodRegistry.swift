package import JSONText
package import WireProtocol

/// The methods that clients can call, with the plugin of each, and the plugins' other contributions to the
/// server.
package final class MethodRegistry {
    private struct Entry {
        let plugin: String
        let definition: MethodDefinition
        let handler: MethodHandler
    }

    private struct InfoEntry {
        let member: Schema.Member
        let name: StaticString
        let plugin: String
        let write: (inout JSONWriter) -> Void
    }

    private var methods: [String: Entry] = [:]
    private var info: [InfoEntry] = []
    private var described: [MethodDefinition] = []
    private var schemas: [(plugin: String, schema: NamedSchema)] = []
    private var lastFound: (method: String, handler: MethodHandler)?
    private var outputWork: [(plugin: String, work: () -> Void)] = []
    /// The methods of disabled plugins.
    private var withdrawn: [String: (plugin: String, entry: Entry?)] = [:]
    /// The pending replies of each plugin.
    private var owed: [String: OwedReplies] = [:]
    private var reservedWords: Set<String> = []
    /// First words of topics under which only a plugin's process publishes: each is the plugin's identifier.
    private var processes: Set<String> = []
    /// Grows whenever the owner of a topic may have changed.
    private(set) var topicGeneration = 0
    private var hosts: [(plugin: String, provider: any PluginProvider)] = []
    private var actionSources: [(plugin: String, provider: any ActionProvider)] = []
    /// The plugins whose methods are withdrawn.
    private var offline: Set<String> = []
    /// The definition of `daemon.info`, given the members that plugins add.
    package var describeInfo: (([Schema.Member]) -> MethodDefinition)?

    /// The epoch of event numbers; nil if it is that of the documents.
    package var eventEpoch: String?

    package init() {}

    /// The names of all methods, sorted.
    package var names: [String] { methods.keys.sorted() }

    /// The definitions of all available methods.
    package var definitions: [MethodDefinition] {
        let info = describeInfo?(offeredInfo.map(\.member))
        let all = methods.values.map(\.definition) + described
        return all.map { info?.name == $0.name ? info ?? $0 : $0 }
    }

    /// The definition of a method.
    package func definition(of method: String) -> MethodDefinition? { methods[method]?.definition }

    /// The handler of `method`, if there is one.
    ///
    /// - Complexity: O(1).
    package func handler(of method: String) -> MethodHandler? {
        // Clients tend to repeat the method they called last.
        if let lastFound, lastFound.method == method { return lastFound.handler }
        guard let handler = methods[method]?.handler else { return nil }
        lastFound = (method, handler)
        return handler
    }

    package func register(
        _ method: MethodDefinition, plugin: String, _ handler: @escaping MethodHandler
    ) {
        precondition(method.result != nil, "'\(method.name)' is a notification, and has no answer")
        let entry = Entry(
            plugin: plugin, definition: method, handler: Self.checked(handler, of: method))
        withdrawn[method.name] = nil
        let former = methods.updateValue(entry, forKey: method.name)
        precondition(
            former == nil,
            "'\(method.name)' is registered by '\(former?.plugin ?? "")' and again by '\(plugin)'")
    }

    /// Adds the definition of a notification from clients, which needs no handler here.
    package func describe(_ notification: MethodDefinition) { described.append(notification) }

    /// Adds the schema of something that is in no message, for `daemon.schema`.
    package func describe(_ schema: NamedSchema, plugin: String) {
        schemas.append((plugin, schema))
    }

    /// The added schemas of all plugins that are on.
    package var describedSchemas: [NamedSchema] {
        schemas.filter { !offline.contains($0.plugin) }.map(\.schema)
    }

    /// In debug builds, a handler that may read only the defined parameters.
    private static func checked(
        _ handler: @escaping MethodHandler, of method: MethodDefinition
    ) -> MethodHandler {
        #if DEBUG
        let names = Set(method.parameters.map(\.name))
        return { (call, writer) throws(ProtocolError) in
            var call = call
            call.declared = names
            return try handler(call, &writer)
        }
        #else
        return handler
        #endif
    }

    package func contributeInfo(
        _ member: Schema.Member, _ name: StaticString, plugin: String,
        _ write: @escaping (inout JSONWriter) -> Void
    ) {
        info.append(InfoEntry(member: member, name: name, plugin: plugin, write: write))
    }

    /// Forbids clients to publish under topics that begin with one of these words.
    package func reserve(_ words: [String]) {
        reservedWords.formUnion(words)
        topicGeneration += 1
    }

    /// Forbids everyone but the process of this plugin to publish under topics that begin with its identifier.
    package func reserve(process plugin: String) {
        processes.insert(plugin)
        topicGeneration += 1
    }

    /// Ends that.
    package func release(process plugin: String) {
        processes.remove(plugin)
        topicGeneration += 1
    }

    /// The words that are no identifiers of hosted plugins, because the daemon has methods, topics or plugins of that
    /// name.
    var ownWords: Set<String> {
        var words = reservedWords.union(Self.keptWords)
        for (name, entry) in methods where !processes.contains(entry.plugin) {
            words.formUnion([Self.firstWord(name), entry.plugin])
        }
        for (name, entry) in withdrawn where !processes.contains(entry.plugin) {
            words.formUnion([Self.firstWord(name), entry.plugin])
        }
        return words
    }

    private static func firstWord(_ name: String) -> String { String(name.prefix { $0 != "." }) }

    /// Words that a later version of the protocol may need.
    private static let keptWords: Set<String> = [
        "actions", "attributes", "client", "clients", "collections", "new", "pickerctl", "pickerd",
        "plugin", "plugins", "watch",
    ]

    /// The owner of a topic, if not everyone may publish under it.
    func owner(of topic: Topic) -> TopicOwner? {
        guard let word = topic.firstWord.map({ String($0) }) else { return nil }
        if reservedWords.contains(word) { return .daemon }
        return processes.contains(word) ? .process(of: word) : nil
    }

    /// Removes everything that `plugin` registered.
    package func removeAll(of plugin: String) {
        methods = methods.filter { $0.value.plugin != plugin }
        lastFound = nil
        info.removeAll { $0.plugin == plugin }
        schemas.removeAll { $0.plugin == plugin }
        outputWork.removeAll { $0.plugin == plugin }
        hosts.removeAll { $0.plugin == plugin }
        actionSources.removeAll { $0.plugin == plugin }
        for (name, value) in withdrawn where value.plugin == plugin {
            withdrawn[name] = (plugin, nil)
        }
    }

    /// A handler that tracks its pending replies, so that no request waits for a plugin that is off.
    func tracking(_ handler: @escaping MethodHandler, of plugin: String) -> MethodHandler {
        let owed = owed[plugin, default: OwedReplies()]
        self.owed[plugin] = owed
        return owed.tracking(handler)
    }

    /// Refuses `methods` as those of a disabled plugin, until they are registered or offered again.
    package func withdraw(_ methods: [MethodDefinition], of plugin: String) {
        lastFound = nil
        for method in methods {
            withdrawn[method.name] = (plugin, self.methods.removeValue(forKey: method.name))
        }
        offline.insert(plugin)
        owed[plugin]?.failAll(of: plugin)
    }

    /// Offers the withdrawn methods of a plugin that is still active.
    package func offer(_ plugin: String) {
        offline.remove(plugin)
        for (name, value) in withdrawn where value.plugin == plugin {
            withdrawn[name] = nil
            methods[name] = value.entry
        }
    }

    /// Forgets the methods of a plugin that is no longer there.
    package func forget(_ plugin: String) {
        removeAll(of: plugin)
        withdrawn = withdrawn.filter { $0.value.plugin != plugin }
        offline.remove(plugin)
        owed[plugin] = nil
    }

    /// The error for a method without a handler.
    package func refusal(of method: String) -> ProtocolError {
        guard let plugin = withdrawn[method]?.plugin else { return .methodNotFound(method) }
        return ProtocolError(
            .methodNotFound,
            "no method \(ProtocolError.quoted(method)) now: the plugin '\(plugin)' is off, and "
                + "plugins.enable switches it on")
    }

    package func beforeOutput(plugin: String, _ work: @escaping () -> Void) {
        outputWork.append((plugin, work))
    }

    package func provide(_ provider: any PluginProvider, plugin: String) {
        hosts.append((plugin, provider))
    }

    package func provide(actions: any ActionProvider, plugin: String) {
        actionSources.append((plugin, actions))
    }

    /// The parts that offer actions; those that are off do not.
    package var actionProviders: [any ActionProvider] {
        actionSources.filter { !offline.contains($0.plugin) }.map(\.provider)
    }

    /// The plugins that host others.
    package var providers: [any PluginProvider] { hosts.map(\.provider) }

    /// Called by sessions before they send anything to a client.
    package func prepareOutput() {
        for index in outputWork.indices { outputWork[index].work() }
    }

    private var offeredInfo: [InfoEntry] { info.filter { !offline.contains($0.plugin) } }

    /// Writes the members that plugins contribute to `daemon.info`.
    package func writeInfo(into writer: inout JSONWriter) {
        for entry in offeredInfo {
            writer.key(entry.name)
            entry.write(&writer)
        }
    }
}

/// Who alone publishes under a topic.
package enum TopicOwner: Equatable {
    case daemon
    case process(of: String)
}
