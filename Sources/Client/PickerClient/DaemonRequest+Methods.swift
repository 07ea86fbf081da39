internal import JSONText
internal import WireProtocol

// The methods of the protocol, with their types.

extension DaemonRequest<DaemonHello> {
    /// Requests the daemon's version, limits and capabilities: `daemon.hello`.
    ///
    /// - Parameters:
    ///   - client: the name of this program, for the daemon's log.
    ///   - required: required capabilities, such as `items` or `items.like`; the daemon refuses if one is
    ///     missing (``RefusalKind/unsupported``).
    ///   - aliveMs: the interval of `$/alive` notifications, in milliseconds; see
    ///     ``PickerConnection/onAlive``.
    /// - Returns: the request.
    public static func hello(
        client: String? = nil, required: [String] = [], aliveMs: Int? = nil
    ) -> DaemonRequest {
        var parameters: JSONObject = ["protocol": 1]
        if let client { parameters["client"] = .string(client) }
        if !required.isEmpty { parameters["required"] = .array(required.map { .string($0) }) }
        if let aliveMs { parameters["aliveMs"] = JSONValue(aliveMs) }
        return DaemonRequest("daemon.hello", RawJSON(parameters), as: DaemonHello.self) { $0 }
    }
}

extension DaemonRequest<Void> {
    /// Checks that the daemon answers: `daemon.ping`.
    public static var ping: DaemonRequest { .nothing("daemon.ping") }
    /// Makes the daemon read its settings again: `daemon.reload`.
    public static var reload: DaemonRequest { .nothing("daemon.reload") }
    /// Stops the daemon: `daemon.stop`. The connection ends after the answer.
    public static var stop: DaemonRequest { .nothing("daemon.stop") }
}

extension DaemonRequest<DaemonStatus> {
    /// Requests the daemon's status: `daemon.info`.
    public static var info: DaemonRequest {
        DaemonRequest("daemon.info", as: DaemonStatus.self) { $0 }
    }
}

extension DaemonRequest<Int> {
    /// Waits until the daemon has seen every change made to its folders so far: `sync`. The answer is the
    /// revision with all of them.
    ///
    /// - Parameter timeoutMs: the time limit in milliseconds, after which the daemon refuses with
    ///   ``RefusalKind/timeout``; by default 1000.
    /// - Returns: the request.
    public static func sync(timeoutMs: Int? = nil) -> DaemonRequest {
        var parameters = JSONObject()
        if let timeoutMs { parameters["timeoutMs"] = JSONValue(timeoutMs) }
        return integer("sync", RawJSON(parameters), "rev")
    }

    /// Publishes an event: `events.publish`. The answer is its number.
    ///
    /// - Parameters:
    ///   - topic: dot-separated words of `a-z`, `0-9` and `-`.
    ///   - data: the data of the event.
    /// - Returns: the request.
    public static func publish(topic: String, data: RawJSON? = nil) -> DaemonRequest {
        let parameters = JSONFragment(writing: { writer in
            writer.beginObject()
            writer.member("topic", topic)
            if let data { writer.member("data", data.fragment) }
            writer.endObject()
        })
        return integer("events.publish", RawJSON(parameters), "seq")
    }

    private static func integer(
        _ method: String, _ parameters: RawJSON, _ member: String
    ) -> DaemonRequest {
        DaemonRequest(method, parameters) { view in
            reading(view) { reader throws(ProtocolError) in try reader.int(member) }
        }
    }
}

extension DaemonRequest<PathReason> {
    /// Why a path is a document, or is not: `documents.why`.
    ///
    /// - Parameter path: the bytes of an absolute path.
    /// - Returns: the request.
    public static func why(pathBytes path: [UInt8]) -> DaemonRequest {
        let text = String(validating: path, as: UTF8.self)
        let parameters: JSONObject =
            text.map { ["path": .string($0)] } ?? ["pathB64": .string(Base64.encode(path))]
        return DaemonRequest("documents.why", RawJSON(parameters)) { view in
            reading(view) { reader throws(ProtocolError) in
                PathReason(
                    isDocument: try reader.bool("isDocument"), reason: try reader.string("reason"),
                    text: try reader.string("text"), place: try reader.string("at"),
                    root: try reader.optionalString("root"), key: try reader.optionalString("key"))
            }
        }
    }
}

/// Why a path is a document of the daemon, or is not.
public struct PathReason: Hashable, Sendable {
    /// Whether it is a document.
    public let isDocument: Bool
    /// One word, such as `hidden` or `outside`; pickerd-protocol(7) lists them. Newer daemons may have others.
    public let reason: String
    /// A sentence for people.
    public let text: String
    /// What it is about: the path, or a folder on the way to it. Absolute.
    public let place: String
    /// The watched folder; `nil` if it is below none.
    public let root: String?
    /// The key of the document; `nil` if it is none.
    public let key: String?
}

extension DaemonRequest<RemoteDocument> {
    /// One document, by its key: `documents.get`.
    public static func document(key: String) -> DaemonRequest {
        document("documents.get", ["key": .string(key)])
    }

    /// One document, by its path, relative to a root or absolute: `documents.get`.
    public static func document(path: String) -> DaemonRequest {
        document("documents.get", ["path": .string(path)])
    }

    /// One document, by the bytes of its path, relative to a root or absolute: `documents.get`.
    public static func document(pathBytes path: [UInt8]) -> DaemonRequest {
        if let text = String(validating: path, as: UTF8.self) { return document(path: text) }
        return document("documents.get", ["pathB64": .string(Base64.encode(path))])
    }

    /// Creates a document: `documents.create`. Never overwrites one (``RefusalKind/conflict``).
    ///
    /// - Parameters:
    ///   - name: the file's name, without folders.
    ///   - root: the watched folder; by default the first.
    ///   - content: the content; empty by default.
    /// - Returns: the request.
    public static func create(
        name: String, root: String? = nil, content: String? = nil
    ) -> DaemonRequest {
        var parameters: JSONObject = ["name": .string(name)]
        if let root { parameters["root"] = .string(root) }
        if let content { parameters["content"] = .string(content) }
        return document("documents.create", parameters)
    }

    private static func document(_ method: String, _ parameters: JSONObject) -> DaemonRequest {
        DaemonRequest(method, RawJSON(parameters), as: DocumentRecord.self) { RemoteDocument($0) }
    }
}

extension DaemonRequest<ListSnapshot> {
    /// The rows of a query, once: `items.get`. An answer that does not fit into a line is refused
    /// (``RefusalKind/limitExceeded``): request a window, or open a ``LiveList``.
    public static func items(_ query: ListQuery) -> DaemonRequest {
        DaemonRequest("items.get", RawJSON(query.parameters), as: ItemsResult.self) {
            ListSnapshot($0)
        }
    }
}

extension DaemonRequest<[ReceivedEvent]> {
    /// The latest matching events that the daemon keeps, oldest first: `events.replay`.
    ///
    /// - Parameters:
    ///   - topics: as for an ``EventFeed``.
    ///   - count: the most events; all by default.
    /// - Returns: the request.
    public static func replay(topics: [String], count: Int? = nil) -> DaemonRequest {
        var parameters: JSONObject = ["topics": .array(topics.map { .string($0) })]
        if let count { parameters["count"] = JSONValue(count) }
        return DaemonRequest("events.replay", RawJSON(parameters)) { view in
            reading(view) { reader throws(ProtocolError) in
                var events: [ReceivedEvent] = []
                for event in try reader.objects("events") {
                    events.append(ReceivedEvent(try EventRecord(reading: event)))
                }
                return events
            }
        }
    }
}
