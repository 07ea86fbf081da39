package import JSONText

/// A watched folder: an element of `roots` in `daemon.info`.
package struct RootRecord: Sendable {
    package var path: String
    /// "scanning", "watching", "polling" or "missing".
    package var state: String
    package var documents: Int
    package var degraded: [String]

    package init(path: String, state: String, documents: Int, degraded: [String]) {
        self.path = path
        self.state = state
        self.documents = documents
        self.degraded = degraded
    }
}

extension RootRecord: WireWritable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("path", path)
        writer.member("state", state)
        writer.member("documents", documents)
        writer.member("degraded", degraded)
        writer.endObject()
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
