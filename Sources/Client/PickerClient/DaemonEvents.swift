// The daemon's own events, with their types.

/// What happened to a document: the events under `documents`.
public enum DocumentEvent: PickerEvent, Hashable {
    /// A document is there that was not.
    case added(Document)
    /// A document is gone.
    case removed(Document)
    /// Its content changed.
    case changed(Document)
    /// It was renamed or moved; `from` is the path that it had, relative to the root that it was below.
    case moved(Document, from: String)

    /// Which document, and when.
    public struct Document: Hashable, Sendable, Decodable {
        /// The document's key.
        public let key: String
        /// Its path, relative to its root; U+FFFD stands for what is not UTF-8.
        public let path: String
        /// The absolute path of its root; nil from a daemon that does not say so yet.
        public let root: String?
        /// The revision in which it happened.
        public let rev: Int
    }

    private struct Move: Decodable {
        let from: String
    }

    /// All below `documents`.
    public static var topics: [String] { ["documents.*"] }

    /// The document.
    public var document: Document {
        switch self {
        case .added(let document), .removed(let document), .changed(let document),
            .moved(let document, _):
            document
        }
    }

    /// Reads the event by its topic.
    public init(_ event: ReceivedEvent) throws(ClientError) {
        let data = event.data ?? .null
        switch event.topic {
        case "documents.added": self = .added(try data.decode())
        case "documents.removed": self = .removed(try data.decode())
        case "documents.changed": self = .changed(try data.decode())
        case "documents.moved":
            let move: Move = try data.decode()
            self = .moved(try data.decode(), from: move.from)
        default: throw .unknown(event)
        }
    }
}

/// What the daemon has to say about watching its folders: the events under `watch`.
public enum WatchEvent: PickerEvent, Hashable {
    /// The kernel dropped notices of changes: all folders are read again. A `rescanned` follows.
    case overflow
    /// All folders were read again, and so many documents were found to be other than was known.
    case rescanned(Differences)
    /// A folder can't be watched as it should be.
    case degraded(Trouble)
    /// It can again.
    case restored(path: String)

    /// What a second reading found.
    public struct Differences: Hashable, Sendable, Decodable {
        /// Documents that had not been known.
        public let added: Int
        /// Documents that were gone.
        public let removed: Int
        /// Documents that were other than before.
        public let changed: Int
        /// The revision that has them all.
        public let rev: Int
    }

    /// What is wrong with a folder.
    public struct Trouble: Hashable, Sendable, Decodable {
        /// The folder's absolute path.
        public let path: String
        /// What is wrong, in words.
        public let reason: String
    }

    private struct Place: Decodable {
        let path: String
    }

    /// All below `watch`.
    public static var topics: [String] { ["watch.*"] }

    /// Reads the event by its topic.
    public init(_ event: ReceivedEvent) throws(ClientError) {
        let data = event.data ?? .null
        switch event.topic {
        case "watch.overflow": self = .overflow
        case "watch.rescanned": self = .rescanned(try data.decode())
        case "watch.degraded": self = .degraded(try data.decode())
        case "watch.restored":
            let place: Place = try data.decode()
            self = .restored(path: place.path)
        default: throw .unknown(event)
        }
    }
}

/// What happens to the daemon itself: the events under `daemon`.
public enum DaemonEvent: PickerEvent, Hashable {
    /// It serves.
    case ready
    /// It has read its settings again.
    case reloaded
    /// It is about to end.
    case stopping
    /// Something of its own can't be done.
    case degraded(Trouble)
    /// It can again.
    case restored(Trouble)

    /// What can't be done.
    public struct Trouble: Hashable, Sendable, Decodable {
        /// A stable word for it, as `events-store`.
        public let what: String
        /// Where.
        public let path: String?
        /// Why, in words; not told when it is over.
        public let reason: String?
    }

    /// All below `daemon`.
    public static var topics: [String] { ["daemon.*"] }

    /// Reads the event by its topic.
    public init(_ event: ReceivedEvent) throws(ClientError) {
        switch event.topic {
        case "daemon.ready": self = .ready
        case "daemon.reloaded": self = .reloaded
        case "daemon.stopping": self = .stopping
        case "daemon.degraded": self = .degraded(try (event.data ?? .null).decode())
        case "daemon.restored": self = .restored(try (event.data ?? .null).decode())
        default: throw .unknown(event)
        }
    }
}

extension ClientError {
    /// An event under a topic that the type does not know; from a newer daemon, perhaps.
    fileprivate static func unknown(_ event: ReceivedEvent) -> ClientError {
        ClientError(.badMessage, "event \(event.seq) has a topic that is not known: \(event.topic)")
    }
}
