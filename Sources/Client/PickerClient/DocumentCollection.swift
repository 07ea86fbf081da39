internal import JSONText
internal import WireProtocol

/// Documents from which a list can be drawn: those of all roots, of one, or of a folder that a client has opened.
public struct DocumentCollection: Hashable, Sendable {
    /// The name, for ``ListQuery/collections``.
    public let name: String
    /// `documents` (all roots), `root`, or `folder`; newer daemons may have others.
    public let kind: String
    /// The number of documents, including dropped ones.
    public let documents: Int
    /// `scanning`, `watching`, `polling`, `missing`, or `refused`, if leased folders had too many documents.
    public let state: String
    /// The absolute path of a root or a folder.
    public let path: String?
}

/// What the daemon says of a folder that was opened.
public struct OpenedCollection: Hashable, Sendable {
    /// The name, for ``ListQuery/collections``.
    public let name: String
    /// As in ``DocumentCollection/state``.
    public let state: String
}

extension DaemonRequest<OpenedCollection> {
    /// Opens a folder as a collection of its own: `collections.open`. It is followed until this connection ends or
    /// closes it. A list of it is complete once the folder has been read.
    ///
    /// - Parameter path: the bytes of an absolute path.
    /// - Returns: the request.
    public static func openCollection(pathBytes path: [UInt8]) -> DaemonRequest {
        let text = String(validating: path, as: UTF8.self)
        let parameters: JSONObject =
            text.map { ["path": .string($0)] } ?? ["pathB64": .string(Base64.encode(path))]
        return DaemonRequest("collections.open", RawJSON(parameters)) { view in
            reading(view) { reader throws(ProtocolError) in
                OpenedCollection(
                    name: try reader.string("collection"), state: try reader.string("state"))
            }
        }
    }

    /// The same, with a path as text.
    public static func openCollection(path: String) -> DaemonRequest {
        openCollection(pathBytes: Array(path.utf8))
    }
}

extension DaemonRequest<Void> {
    /// Closes a collection that this connection has opened: `collections.close`.
    public static func closeCollection(_ name: String) -> DaemonRequest {
        .nothing("collections.close", ["collection": .string(name)])
    }

    /// Waits until the folder of a collection has been read, for ten minutes at most. It is refused if there are more
    /// documents than leased folders may have.
    package static func readCollection(_ name: String) -> DaemonRequest {
        .nothing(
            "items.get",
            ["in": [.string(name)], "window": ["count": 0], "timeoutMs": 600_000])
    }
}

extension DaemonRequest<[DocumentCollection]> {
    /// The collections from which lists can be drawn: `collections.list`.
    public static var collections: DaemonRequest {
        DaemonRequest("collections.list") { view in
            do {
                var found: [DocumentCollection] = []
                for element in try view.elements() {
                    let reader = try ParameterReader(element)
                    found.append(
                        DocumentCollection(
                            name: try reader.string("collection"), kind: try reader.string("kind"),
                            documents: try reader.int("documents"),
                            state: try reader.string("state"),
                            path: try reader.optionalString("path")))
                }
                return .success(found)
            } catch let error as ProtocolError {
                return .failure(.notAsAgreed(error.message))
            } catch {
                return .failure(.notAsAgreed("collections.list is no array"))
            }
        }
    }
}
