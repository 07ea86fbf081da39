internal import DataBus
internal import EventLoops
internal import ExactStatistics
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import SystemInterface
internal import WireProtocol

// The methods of the service itself: hello, ping, info, schema, reload, stop, batch. Plugins provide all
// others.
extension PickerServer {
    /// The name under which the service registers its own methods.
    static let ownName = "service"

    func registerCoreMethods() {
        typealias Answer =
            (PickerServer, MethodCall, inout JSONWriter) throws(ProtocolError) -> Void
        func register(_ method: MethodDefinition, _ answer: @escaping Answer) {
            registry.register(method, plugin: Self.ownName) {
                [unowned self] (call, writer) throws(ProtocolError) in
                try answer(self, call, &writer)
                return .answered
            }
        }
        register(.hello) { (server, call, line) throws(ProtocolError) in
            try server.hello(call, &line)
        }
        register(.ping) { (_, _, line) in line.object { _ in } }
        registry.describeInfo = { MethodDefinition.info($0) }
        register(.info()) { (server, _, line) in server.info(&line) }
        register(.schema) { (server, _, line) in
            OpenRPCDocument(
                title: "pickerd", daemonVersion: server.identity.version,
                methods: server.registry.definitions,
                schemas: server.registry.describedSchemas
            ).write(to: &line)
        }
        register(.reload) { (server, _, line) throws(ProtocolError) in
            if let error = server.onReload() { throw error }
            line.object { _ in }
        }
        register(.stop) { (server, _, line) in
            // After this turn, so that the answer is sent first.
            server.loop.enqueue { server.onStop() }
            line.object { _ in }
        }
        registry.register(.batch, plugin: Self.ownName) {
            [unowned self] (call, line) throws(ProtocolError) in
            try batch(call, &line)
        }
        registry.reserve(["daemon", "plugin"])
        registry.describe(.cancel)
    }

    private func hello(_ call: MethodCall, _ writer: inout JSONWriter) throws(ProtocolError) {
        let params = try call.reader()
        _ = try params.optionalString("client")
        if let version = try params.optionalInt("protocol", in: 0...Int.max), version != 1 {
            throw .unsupported("protocol \(version) is not supported: use 1", at: "protocol")
        }
        let known = Set(capabilities)
        let limit = ServiceLimits.capabilities
        let required = try params.optionalStrings("required", limit: limit) ?? []
        for name in required where !known.contains(name) {
            throw .unsupported(
                "the required capability '\(name)' is not available", at: "required")
        }
        _ = try params.optionalStrings("optional", limit: limit)
        let units =
            try params.optionalChoice("units", among: ["utf8", "utf16", "codepoint"]) ?? "utf8"
        (call.session as? Session)?.textUnits = units
        if let milliseconds = try params.optionalInt("aliveMs", in: 100...86_400_000) {
            (call.session as? Session)?.sendAlive(every: .milliseconds(milliseconds))
        }
        writer.object { writer in
            writer.member("server", "pickerd/" + identity.version)
            writer.member("protocol", 1)
            writer.member("epoch", documents.epoch)
            writer.member("rev", documents.rev)
            writer.member(object: "events") { writer in
                writer.member("epoch", registry.eventEpoch ?? documents.epoch)
                writer.member("seq", bus.lastSequence)
            }
            writer.member(object: "capabilities") { writer in
                for name in capabilities {
                    writer.key(escaping: name)
                    writer.bool(true)
                }
            }
            writer.member(object: "limits") { writer in
                writer.member("line", limits.line)
                writer.member("queueSoft", limits.queueSoft)
                writer.member("queueHard", limits.queueHard)
                writer.member("subscriptions", limits.subscriptions)
            }
            writer.member("units", units)
        }
    }

    /// The capabilities that a client may require: the names of all methods and of their groups.
    private var capabilities: [String] {
        var names = Set(registry.names)
        for name in registry.names {
            if let dot = name.firstIndex(of: ".") { names.insert(String(name[..<dot])) }
        }
        return names.sorted()
    }

    private func info(_ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("version", identity.version)
            writer.member("pid", Int(identity.processID))
            writer.member("uptime", startTime.duration(to: loop.now).inSeconds)
            writer.member("rev", documents.rev)
            writer.member("documents", documents.count)
            registry.writeInfo(into: &writer)
            writer.member(array: "degraded") { writer in
                for part in degraded { part.write(to: &writer) }
            }
            if let settingsFile {
                writer.key("settings")
                settingsFile.write(to: &writer)
            }
            writer.member("clients", sessions.count)
            writer.member("subscriptions", subscriptionCount)
            writer.member(object: "memory") { writer in
                let bytes = try? CurrentProcess.residentBytes()
                writer.member("resident", bytes.map { JSONValue($0) } ?? JSONValue.null)
            }
            writer.member(object: "counters") { writer in
                writer.member("requests", counters.requests)
                writer.member("errors", counters.errors)
                writer.member("notifications", counters.notifications)
                writer.member("bytesIn", counters.bytesIn)
                writer.member("bytesOut", counters.bytesOut)
                writer.member("accepted", counters.accepted)
                writer.member("refused", counters.refused)
                writer.member("slowClients", counters.slowClients)
            }
            writer.member(object: "statistics") { writer in
                writer.member(statistics: "turnNanoseconds", measures.turnNanoseconds)
                writer.member(statistics: "requestBytes", measures.requestBytes)
                writer.member(statistics: "replyBytes", measures.replyBytes)
            }
        }
    }

    // MARK: batch

    private func batch(
        _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        if call.isInBatch { throw .invalidParams(at: "calls", "a batch can't hold a batch") }
        let params = try call.reader()
        let calls = try params.objects(
            "calls", limit: limits.batchCalls,
            tooMany: .limitExceeded(
                limit: limits.batchCalls,
                "a batch may hold \(limits.batchCalls) calls; this one holds more"))
        // All are parsed before the first is handled: an invalid request changes nothing.
        var nested: [MethodCall] = []
        for entry in calls {
            nested.append(
                MethodCall(
                    RequestEnvelope(
                        id: nil, method: try entry.string("method"),
                        params: try entry.optionalObject("params") == nil
                            ? nil : entry.view("params")),
                    session: call.session, isInBatch: true))
        }
        return try BatchRun(nested, on: self).start(&writer)
    }
}

extension JSONWriter {
    fileprivate mutating func member(
        statistics name: StaticString, _ statistics: Statistics<UInt64>
    ) {
        member(object: name) { writer in
            writer.member("count", statistics.count)
            NumberStatistics(statistics).writeMembers(to: &writer)
        }
    }
}
