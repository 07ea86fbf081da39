internal import DataBus
internal import ExactStatistics
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import SystemInterface
internal import SystemdEventLoop
internal import WireProtocol

// The methods of the service itself: hello, ping, info, schema, reload, stop, batch. Plugins provide all
// others.
extension PickerServer {
    /// The name under which the service registers its own methods.
    static let ownName = "service"

    func registerCoreMethods() {
        typealias Own =
            (PickerServer, MethodCall, inout JSONWriter) throws(ProtocolError) -> MethodOutcome
        func register(_ method: MethodDefinition, _ handler: @escaping Own) {
            registry.register(method, plugin: Self.ownName) {
                [unowned self] (call, writer) throws(ProtocolError) in
                try handler(self, call, &writer)
            }
        }
        register(.hello) { (server, call, line) throws(ProtocolError) in
            try server.hello(call, &line)
        }
        register(.ping) { (server, call, line) throws(ProtocolError) in
            try server.ping(call, &line)
        }
        registry.describeInfo = { MethodDefinition.info($0) }
        register(.info()) { (server, call, line) throws(ProtocolError) in
            try server.info(call, &line)
        }
        register(.schema) { (server, call, line) throws(ProtocolError) in
            try server.schema(call, &line)
        }
        register(.reload) { (server, call, line) throws(ProtocolError) in
            try server.reload(call, &line)
        }
        register(.stop) { (server, call, line) throws(ProtocolError) in
            try server.stopDaemon(call, &line)
        }
        register(.batch) { (server, call, line) throws(ProtocolError) in
            try server.batch(call, &line)
        }
        registry.reserve(["daemon", "plugin"])
        registry.describe(.cancel, plugin: Self.ownName)
    }

    private func ping(
        _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        writer.object { _ in }
        return .answered
    }

    private func hello(
        _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
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
        if let milliseconds = try params.optionalInt("aliveMs", in: 100...86_400_000) {
            (call.session as? Session)?.sendAlive(every: .milliseconds(milliseconds))
        }
        writer.object { writer in
            writer.member("server", "pickerd/" + identity.version)
            writer.member("protocol", 1)
            writer.member("epoch", documents.epoch)
            writer.member("rev", documents.rev)
            writer.key("events")
            writer.object { writer in
                writer.member("epoch", registry.eventEpoch ?? documents.epoch)
                writer.member("seq", bus.lastSequence)
            }
            writer.key("capabilities")
            writer.object { writer in
                for name in capabilities {
                    writer.key(escaping: name)
                    writer.bool(true)
                }
            }
            writer.key("limits")
            writer.object { writer in
                writer.member("line", limits.line)
                writer.member("queueSoft", limits.queueSoft)
                writer.member("queueHard", limits.queueHard)
                writer.member("subscriptions", limits.subscriptions)
            }
            writer.member("units", units)
        }
        return .answered
    }

    /// The capabilities that a client may require: the names of all methods and of their groups.
    private var capabilities: [String] {
        var names = Set(registry.names)
        for name in registry.names {
            if let dot = name.firstIndex(of: ".") { names.insert(String(name[..<dot])) }
        }
        return names.sorted()
    }

    private func info(
        _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
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
            writer.member("clients", sessions.count)
            writer.member("subscriptions", subscriptionCount)
            writer.key("memory")
            writer.object { writer in
                writer.key("resident")
                if let bytes = try? CurrentProcess.residentBytes() {
                    writer.integer(bytes)
                } else {
                    writer.null()
                }
            }
            writer.key("counters")
            writer.object { writer in
                writer.member("requests", counters.requests)
                writer.member("errors", counters.errors)
                writer.member("notifications", counters.notifications)
                writer.member("bytesIn", counters.bytesIn)
                writer.member("bytesOut", counters.bytesOut)
                writer.member("accepted", counters.accepted)
                writer.member("refused", counters.refused)
                writer.member("slowClients", counters.slowClients)
            }
            writer.key("statistics")
            writer.object { writer in
                writer.member(statistics: "turnNanoseconds", measures.turnNanoseconds)
                writer.member(statistics: "requestBytes", measures.requestBytes)
                writer.member(statistics: "replyBytes", measures.replyBytes)
            }
        }
        return .answered
    }

    private func schema(
        _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        OpenRPCDocument(
            title: "pickerd", daemonVersion: identity.version, methods: registry.definitions
        ).write(to: &writer)
        return .answered
    }

    private func reload(
        _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        if let error = onReload() { throw error }
        writer.object { _ in }
        return .answered
    }

    private func stopDaemon(
        _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        // After this turn, so that the answer is sent first.
        loop.enqueue { [self] in onStop() }
        writer.object { _ in }
        return .answered
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
                    id: nil, method: try entry.string("method"),
                    params: try entry.optionalObject("params") == nil ? nil : entry.view("params"),
                    session: call.session, isInBatch: true))
        }
        return try BatchRun(nested, on: self).start(&writer)
    }
}

extension JSONWriter {
    fileprivate mutating func member(
        statistics name: StaticString, _ statistics: Statistics<UInt64>
    ) {
        key(name)
        object { writer in
            writer.member("count", statistics.count)
            NumberStatistics(statistics).writeMembers(to: &writer)
        }
    }
}
