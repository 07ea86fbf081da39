internal import JSONText
package import WireProtocol

/// The answer of a daemon to `daemon.hello`.
public struct DaemonHello: Hashable, Sendable {
    /// Name and version, such as `pickerd/0.1.0`.
    public let server: String
    /// The version of the protocol.
    public let protocolVersion: Int
    /// Identifies one uninterrupted history of revisions.
    public let epoch: String
    /// The revision of the set of documents.
    public let rev: Int
    /// The longest line that the daemon accepts, in bytes.
    public let longestLine: Int
    /// The most open lists and subscriptions of one connection.
    public let mostSubscriptions: Int
    /// The capabilities: the names of its methods, and of groups of them, such as `items`.
    public let capabilities: Set<String>
    /// The position of the newest event; nil if the daemon does not name a valid epoch.
    public let newestEvent: EventPosition?

    /// Whether the daemon is of an older version than this library; true if it does not say which.
    package var isOlderThanClient: Bool {
        let version = server.split(separator: "/", maxSplits: 1).dropFirst().first ?? ""
        let own = ClientVersion.numbers(ClientVersion.text[...])
        return ClientVersion.numbers(version).lexicographicallyPrecedes(own)
    }
}

extension DaemonHello: WireReadable {
    package init(reading reader: ParameterReader) throws(ProtocolError) {
        server = try reader.string("server")
        protocolVersion = try reader.int("protocol")
        epoch = try reader.string("epoch")
        rev = try reader.int("rev")
        let events = try reader.object("events")
        newestEvent = try EventPosition(epoch: events.string("epoch"), seq: events.int("seq"))
        let told = try reader.optionalValue("capabilities")?.objectValue ?? [:]
        capabilities = Set(told.members.filter { $0.value.boolValue != false }.map(\.key))
        let limits = try reader.object("limits")
        longestLine = try limits.int("line")
        mostSubscriptions = try limits.int("subscriptions")
        // Promised as well, and of no use here.
        for name in ["queueSoft", "queueHard"] { _ = try limits.int(name) }
        _ = try reader.string("units")
    }
}

/// The version of this library and of pickerctl.
package enum ClientVersion {
    /// Such as `0.1.0`.
    package static let text = "0.1.0"

    static func numbers(_ text: Substring) -> [Int] {
        let plain = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        return plain.split(separator: ".").map { Int($0) ?? 0 }
    }
}

/// The status of a daemon.
public struct DaemonStatus: Hashable, Sendable {
    /// A watched folder.
    public struct Root: Hashable, Sendable {
        /// The absolute path.
        public let path: String
        /// `scanning`, `watching`, `polling` or `missing`.
        public let state: String
        /// The number of documents below it.
        public let documents: Int
        /// Its faults, in words.
        public let degraded: [String]
        /// The number of folders that were read, during a scan; otherwise nil.
        public let folders: Int?
        /// The number of folders that are known and have not been read, during a scan; otherwise nil.
        public let foldersWaiting: Int?
        /// The number of its faults, of which `degraded` may have only the first.
        public let degradedCount: Int
        /// What counts as a document below it; nil if an older daemon does not tell.
        package let rules: RootRulesRecord?
    }

    /// A fault of the daemon itself.
    public struct Degraded: Hashable, Sendable {
        /// A stable word for it, such as `settings`.
        public let what: String
        /// The file with the fault.
        public let path: String
        /// The line of the fault, counted from 1, if it has one.
        public let line: Int?
        /// The reason, and what to do, in words.
        public let reason: String
    }

    /// The daemon's version.
    public let version: String
    /// Its process id.
    public let pid: Int
    /// Its uptime, in seconds.
    public let uptime: Double
    /// The watched folders.
    public let roots: [Root]
    /// Its own faults; empty if there are none.
    public let degraded: [Degraded]
    /// Why events, or likes and drops, are not stored, by the name of what should be.
    package let storeFaults: [String: String]
    /// Its settings file; nil if there is no place for one, or an older daemon does not tell.
    package let settingsFile: SettingsFileRecord?
    /// The number of connected programs, including this one.
    public let clients: Int
    /// The number of their open lists and subscriptions.
    public let subscriptions: Int
    /// Resident memory in bytes, if known.
    public let memory: Int?
}

extension DaemonStatus: WireReadable {
    package init(reading reader: ParameterReader) throws(ProtocolError) {
        version = try reader.string("version")
        pid = try reader.int("pid")
        uptime = try reader.double("uptime")
        roots = try reader.messages("roots")
        degraded = try reader.has("degraded") ? reader.messages("degraded") : []
        var faults: [String: String] = [:]
        for name in ["events", "feed", "snapshot"] {
            faults[name] = try reader.optionalObject(name)?.optionalString("degraded")
        }
        storeFaults = faults
        settingsFile = try reader.optionalObject("settings").map {
            (settings) throws(ProtocolError) in try SettingsFileRecord(reading: settings)
        }
        clients = try reader.int("clients")
        subscriptions = try reader.int("subscriptions")
        let told = try reader.optionalValue("memory")
        memory = (told?["resident"] ?? told?["rss"] ?? told)?.integerValue.map { Int($0) }
    }
}

extension DaemonStatus.Root: WireReadable {
    package init(reading reader: ParameterReader) throws(ProtocolError) {
        path = try reader.string("path")
        state = try reader.string("state")
        documents = try reader.int("documents")
        degraded = try reader.optionalStrings("degraded") ?? []
        folders = try reader.optionalInt("folders")
        foldersWaiting = try reader.optionalInt("foldersWaiting")
        degradedCount = max(degraded.count, try reader.optionalInt("degradedCount") ?? 0)
        rules = try reader.optionalObject("rules").map {
            (rules) throws(ProtocolError) in try RootRulesRecord(reading: rules)
        }
    }
}

extension DaemonStatus.Degraded: WireReadable {
    package init(reading reader: ParameterReader) throws(ProtocolError) {
        what = try reader.string("what")
        path = try reader.string("path")
        line = try reader.optionalInt("line")
        reason = try reader.string("reason")
    }
}
