package import JSONText

/// The result of `daemon.hello`.
package struct HelloResult: Sendable {
    package struct Events: Sendable {
        package var epoch: String
        package var seq: Int
    }

    package struct Limits: Sendable {
        package var line: Int
        package var queueSoft: Int
        package var queueHard: Int
        package var subscriptions: Int
    }

    /// "pickerd/0.1.0"
    package var server: String
    package var protocolVersion: Int
    package var epoch: String
    package var rev: Int
    package var events: Events
    package var capabilities: JSONObject
    package var limits: Limits
    /// What match positions count: "utf8", "utf16" or "codepoint".
    package var units: String
}

extension HelloResult: WireReadable {
    package init(reading reader: ParameterReader) throws(ProtocolError) {
        server = try reader.string("server")
        protocolVersion = try reader.int("protocol")
        epoch = try reader.string("epoch")
        rev = try reader.int("rev")
        let events = try reader.object("events")
        self.events = try Events(epoch: events.string("epoch"), seq: events.int("seq"))
        capabilities = try reader.optionalValue("capabilities")?.objectValue ?? [:]
        let limits = try reader.object("limits")
        self.limits = try Limits(
            line: limits.int("line"), queueSoft: limits.int("queueSoft"),
            queueHard: limits.int("queueHard"), subscriptions: limits.int("subscriptions"))
        units = try reader.string("units")
    }
}

/// The result of `daemon.info`: the guaranteed members, and all others in `more`.
package struct DaemonInfo: Sendable {
    package struct Root: Sendable, Equatable {
        package var path: String
        /// "scanning", "watching", "polling" or "missing".
        package var state: String
        package var documents: Int
        package var degraded: [String]

        package init(path: String, state: String, documents: Int, degraded: [String] = []) {
            self.path = path
            self.state = state
            self.documents = documents
            self.degraded = degraded
        }
    }

    package var version: String
    package var pid: Int
    /// Seconds.
    package var uptime: Double
    package var roots: [Root]
    /// The degraded parts of the daemon itself; empty if all is well.
    package var degraded: [DegradedPart]
    package var clients: Int
    package var subscriptions: Int
    /// All other members, such as memory and counters.
    package var more: JSONObject
}

extension DaemonInfo: WireReadable {
    package init(reading reader: ParameterReader) throws(ProtocolError) {
        version = try reader.string("version")
        pid = try reader.int("pid")
        uptime = try reader.double("uptime")
        roots = try reader.messages("roots")
        degraded = try reader.has("degraded") ? reader.messages("degraded") : []
        clients = try reader.int("clients")
        subscriptions = try reader.int("subscriptions")
        more = [:]
        let known = [
            "version", "pid", "uptime", "roots", "degraded", "clients", "subscriptions",
        ]
        for name in reader.keys where !known.contains(name) {
            more[name] = try reader.optionalValue(name)
        }
    }
}

extension DaemonInfo.Root: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("path", path)
        writer.member("state", state)
        writer.member("documents", documents)
        writer.member("degraded", degraded)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        path = try reader.string("path")
        state = try reader.string("state")
        documents = try reader.int("documents")
        degraded = try reader.optionalStrings("degraded") ?? []
    }
}

/// The last line before the daemon closes a connection.
package struct Goodbye: Hashable, Sendable, WireNotification {
    package static var method: StaticString { "$/goodbye" }

    /// "slow", "stopping" or "limit".
    package var reason: String

    package init(reason: String) { self.reason = reason }

    package func write(to writer: inout JSONWriter) {
        writer.object { $0.member("reason", reason) }
    }
}

/// The sign of life that a client requested.
package struct Alive: Hashable, Sendable, WireNotification, WireReadable {
    package static var method: StaticString { "$/alive" }

    package var rev: Int

    package init(rev: Int) { self.rev = rev }

    package func write(to writer: inout JSONWriter) {
        writer.object { $0.member("rev", rev) }
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        rev = try reader.int("rev")
    }
}

/// A stream of the client was closed, because its plugin was switched off. Nothing more of it follows.
package struct StreamClosed: Hashable, Sendable, WireNotification {
    package static var method: StaticString { "$/closed" }

    package var sub: RequestID
    /// The plugin, and the reason for people.
    package var plugin: String
    package var message: String

    package init(sub: RequestID, plugin: String, message: String) {
        self.sub = sub
        self.plugin = plugin
        self.message = message
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("sub", sub)
        writer.member("plugin", plugin)
        writer.member("message", message)
        writer.endObject()
    }
}
