package import JSONText

/// A watched folder: an element of `roots` in `daemon.info`.
package struct RootRecord: Sendable {
    package var path: String
    /// "scanning", "watching", "polling" or "missing".
    package var state: String
    package var documents: Int
    package var degraded: [String]
    /// During a scan: folders that were read, and those that are known and wait.
    package var folders: Int?
    package var foldersWaiting: Int?
    /// The number of degraded folders, if `degraded` does not name all.
    package var degradedCount: Int?
    package var rules: RootRulesRecord?

    package init(
        path: String, state: String, documents: Int, degraded: [String], folders: Int? = nil,
        foldersWaiting: Int? = nil, degradedCount: Int? = nil, rules: RootRulesRecord? = nil
    ) {
        self.path = path
        self.state = state
        self.documents = documents
        self.degraded = degraded
        self.folders = folders
        self.foldersWaiting = foldersWaiting
        self.degradedCount = degradedCount
        self.rules = rules
    }
}

extension RootRecord: WireWritable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("path", path)
        writer.member("state", state)
        writer.member("documents", documents)
        writer.member("degraded", degraded)
        if let folders { writer.member("folders", folders) }
        if let foldersWaiting { writer.member("foldersWaiting", foldersWaiting) }
        if let degradedCount { writer.member("degradedCount", degradedCount) }
        if let rules {
            writer.key("rules")
            rules.write(to: &writer)
        }
        writer.endObject()
    }
}

/// What counts as a document below a root: `rules` of an element of `roots` in `daemon.info`.
package struct RootRulesRecord: Sendable, Hashable {
    /// The most bytes of patterns that one root tells; those that follow are only counted.
    package static let mostPatternBytes = 4096

    /// "skip" or "keep".
    package var hidden: String
    /// The first patterns, in their order.
    package private(set) var ignore: [String]
    /// The number of all patterns, if `ignore` does not have all.
    package private(set) var ignoreCount: Int?
    package var gitignore: Bool
    /// "ignore", "report" or "follow".
    package var symlinks: String

    /// Takes as many of the patterns as may be told.
    package init(hidden: String, ignore: [String], gitignore: Bool, symlinks: String) {
        self.hidden = hidden
        self.gitignore = gitignore
        self.symlinks = symlinks
        var bytes = 0
        self.ignore = Array(
            ignore.prefix {
                bytes += $0.utf8.count
                return bytes <= Self.mostPatternBytes
            })
        ignoreCount = self.ignore.count < ignore.count ? ignore.count : nil
    }
}

extension RootRulesRecord: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("hidden", hidden)
        writer.member("ignore", ignore)
        if let ignoreCount { writer.member("ignoreCount", ignoreCount) }
        writer.member("gitignore", gitignore)
        writer.member("symlinks", symlinks)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        hidden = try reader.string("hidden")
        ignore = try reader.optionalStrings("ignore") ?? []
        ignoreCount = try reader.optionalInt("ignoreCount")
        gitignore = try reader.optionalBool("gitignore") ?? false
        symlinks = try reader.optionalString("symlinks") ?? "ignore"
    }
}

/// The settings file of the daemon: `settings` in `daemon.info`.
package struct SettingsFileRecord: Sendable, Hashable {
    package var path: String
    /// Whether it exists and could be read when the settings were read last.
    package var isRead: Bool

    package init(path: String, isRead: Bool) {
        self.path = path
        self.isRead = isRead
    }
}

extension SettingsFileRecord: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("path", path)
        writer.member("read", isRead)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        path = try reader.string("path")
        isRead = try reader.optionalBool("read") ?? false
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

/// The progress of the scan that a request waits for.
package struct RequestProgress: Hashable, Sendable, WireNotification, WireReadable {
    package static var method: StaticString { "$/progress" }

    /// The id of the request.
    package var id: RequestID
    /// Documents found so far, and folders: those that were read, and those that are known and wait.
    package var documents: Int
    package var folders: Int
    package var foldersWaiting: Int

    package init(id: RequestID, documents: Int, folders: Int, foldersWaiting: Int) {
        self.id = id
        self.documents = documents
        self.folders = folders
        self.foldersWaiting = foldersWaiting
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("documents", documents)
        writer.member("folders", folders)
        writer.member("foldersWaiting", foldersWaiting)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        id = try reader.requestID("id")
        documents = try reader.int("documents")
        folders = try reader.int("folders")
        foldersWaiting = try reader.int("foldersWaiting")
    }
}
