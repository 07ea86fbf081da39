// The daemon's own events, with their types.

/// A change of a document: the events below `documents`.
public enum DocumentEvent: PickerEvent, Hashable {
    /// A document was added.
    case added(Document)
    /// A document was removed.
    case removed(Document)
    /// Its content changed.
    case changed(Document)
    /// It was renamed or moved; `from` is its former path, relative to its former root.
    case moved(Document, from: String)

    /// The document, and the revision of the change.
    public struct Document: Hashable, Sendable, Decodable {
        /// The document's key.
        public let key: String
        /// Its path, relative to its root; U+FFFD stands for bytes that are not UTF-8.
        public let path: String
        /// The absolute path of its root; nil from a daemon that does not send it yet.
        public let root: String?
        /// The revision of the change.
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

/// Reports about watching the folders: the events below `watch`.
public enum WatchEvent: PickerEvent, Hashable {
    /// The kernel dropped notifications: all folders are scanned again. A `rescanned` follows.
    case overflow
    /// All folders were scanned again, with these differences.
    case rescanned(Differences)
    /// How far the scan of a root has come; also once at the end of a scan that had such events.
    case progress(Progress)
    /// A folder can't be watched properly.
    case degraded(Trouble)
    /// It can again.
    case restored(path: String)

    /// The progress of a scan.
    public struct Progress: Hashable, Sendable, Decodable {
        /// The root's absolute path.
        public let root: String
        /// The number of documents found so far.
        public let documents: Int
        /// The number of folders that were read.
        public let folders: Int
        /// The number of folders that are known and have not been read; 0 at the end.
        public let foldersWaiting: Int
    }

    /// The differences that a rescan found.
    public struct Differences: Hashable, Sendable, Decodable {
        /// The number of added documents.
        public let added: Int
        /// The number of removed documents.
        public let removed: Int
        /// The number of changed documents.
        public let changed: Int
        /// The revision with all differences.
        public let rev: Int
    }

    /// A fault of a folder.
    public struct Trouble: Hashable, Sendable, Decodable {
        /// The folder's absolute path.
        public let path: String
        /// The reason, in words.
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
        case "watch.progress": self = .progress(try data.decode())
        case "watch.degraded": self = .degraded(try data.decode())
        case "watch.restored":
            let place: Place = try data.decode()
            self = .restored(path: place.path)
        default: throw .unknown(event)
        }
    }
}

/// Events of the daemon itself: those below `daemon`.
public enum DaemonEvent: PickerEvent, Hashable {
    /// It serves.
    case ready
    /// It has read its settings again.
    case reloaded
    /// It is about to end.
    case stopping
    /// One of its functions has failed.
    case degraded(Trouble)
    /// It can again.
    case restored(Trouble)

    /// A fault of the daemon.
    public struct Trouble: Hashable, Sendable, Decodable {
        /// A stable word for it, such as `events-store`.
        public let what: String
        /// Where.
        public let path: String?
        /// The reason, in words; nil when the fault is over.
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
    /// An event with an unknown topic, perhaps from a newer daemon.
    fileprivate static func unknown(_ event: ReceivedEvent) -> ClientError {
        ClientError(.badMessage, "event \(event.seq) has a topic that is not known: \(event.topic)")
    }
}
