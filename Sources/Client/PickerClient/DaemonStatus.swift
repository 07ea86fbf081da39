internal import JSONText
package import WireProtocol

/// What a daemon says of itself first.
public struct DaemonHello: Hashable, Sendable {
    /// Name and version, as `pickerd/0.1.0`.
    public let server: String
    /// The version of the protocol.
    public let protocolVersion: Int
    /// Names one uninterrupted history of revisions.
    public let epoch: String
    /// The revision of the set of documents.
    public let rev: Int
    /// The longest line the daemon takes, in bytes.
    public let longestLine: Int
    /// How many lists and subscriptions one connection may have open.
    public let mostSubscriptions: Int
    /// What the daemon can do: the names of its methods, and of groups of them, as `items`.
    public let capabilities: Set<String>
    /// The place of the newest event; nil if the daemon does not name its epoch as agreed.
    public let newestEvent: EventPosition?

    package init(_ result: HelloResult) {
        server = result.server
        protocolVersion = result.protocolVersion
        epoch = result.epoch
        rev = result.rev
        longestLine = result.limits.line
        mostSubscriptions = result.limits.subscriptions
        capabilities = Set(
            result.capabilities.members.filter { $0.value.boolValue != false }.map(\.key))
        newestEvent = EventPosition(epoch: result.events.epoch, seq: result.events.seq)
    }

    /// The version part of ``server``, as numbers; empty if it has none.
    public var serverVersion: [Int] {
        guard let slash = server.firstIndex(of: "/") else { return [] }
        return ClientVersion.numbers(server[server.index(after: slash)...])
    }

    /// Whether the daemon is of an older version than this library.
    public var isOlderThanClient: Bool {
        serverVersion.lexicographicallyPrecedes(ClientVersion.numbers(ClientVersion.text[...]))
    }
}

/// The version of this library and of pickerctl.
public enum ClientVersion {
    /// As `0.1.0`.
    public static let text = "0.1.0"

    static func numbers(_ text: Substring) -> [Int] {
        let plain = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        return plain.split(separator: ".").map { Int($0) ?? 0 }
    }
}

/// How a daemon is doing.
public struct DaemonStatus: Hashable, Sendable {
    /// A folder that is watched.
    public struct Root: Hashable, Sendable {
        /// The absolute path.
        public let path: String
        /// `scanning`, `watching`, `polling` or `missing`.
        public let state: String
        /// How many documents are below it.
        public let documents: Int
        /// What does not work fully, in words.
        public let degraded: [String]
    }

    /// Something of the daemon's own that is not as it should be.
    public struct Degraded: Hashable, Sendable {
        /// A stable word for it, as `settings`.
        public let what: String
        /// The file at fault.
        public let path: String
        /// The line of the file, counted from 1, if it is one line's fault.
        public let line: Int?
        /// Why, and what to do, in words.
        public let reason: String
    }

    /// The daemon's version.
    public let version: String
    /// Its process.
    public let pid: Int
    /// Since when it runs, in seconds.
    public let uptime: Double
    /// The folders that it watches.
    public let roots: [Root]
    /// What of its own is not as it should be; empty if all is well.
    public let degraded: [Degraded]
    /// How many programs are connected, this one included.
    public let clients: Int
    /// How many lists and subscriptions they have open.
    public let subscriptions: Int
    /// Resident memory in bytes, if the daemon says.
    public let memory: Int?

    package init(_ info: DaemonInfo) {
        version = info.version
        pid = info.pid
        uptime = info.uptime
        roots = info.roots.map {
            Root(
                path: $0.path, state: $0.state, documents: $0.documents, degraded: $0.degraded)
        }
        degraded = info.degraded.map {
            Degraded(what: $0.what, path: $0.path, line: $0.line, reason: $0.reason)
        }
        clients = info.clients
        subscriptions = info.subscriptions
        let told = info.more["memory"]
        memory = (told?["resident"] ?? told?["rss"] ?? told)?.integerValue.map { Int($0) }
    }
}
