import JSONText
import WireProtocol

/// What a source has sent after it was opened, and the first thing in it that the daemon refuses or leaves out.
struct ReceivedReset {
    /// The limits of the daemon, in bytes.
    private static let longestRequest = 256 << 10
    private static let longestItem = 64 << 10
    private static let longestID = 1024
    private static let longestURI = 8192

    /// Whether the last chunk is there.
    private(set) var isComplete = false
    private(set) var fault: String?
    private var revision: Int64?
    private var nextChunk: Int64 = 0

    /// Takes a request about the source, with its parameters.
    mutating func take(_ request: RequestEnvelope, _ params: JSONValue) {
        if fault == nil { fault = check(request, params) }
        guard request.method == "source.reset" else { return }
        revision = params["rev"]?.integerValue
        nextChunk += 1
        isComplete = isComplete || params["last"]?.boolValue == true
    }

    private func check(_ request: RequestEnvelope, _ params: JSONValue) -> String? {
        let bytes = request.params?.bytes.count ?? 0
        if bytes > Self.longestRequest {
            return "a request has \(bytes) bytes; \(Self.longestRequest) are allowed"
        }
        if request.id == nil { return "\(request.method) has no id, so it can't be answered" }
        if request.method == "source.reset" {
            guard let rev = params["rev"]?.integerValue, rev >= 0, params["last"]?.boolValue != nil
            else { return "a source.reset has 'rev' and 'last', unlike this one" }
            guard let chunk = params["chunk"]?.integerValue, chunk == nextChunk else {
                return "chunk \(nextChunk) of the source.reset must come next, not "
                    + (params["chunk"]?.description ?? "one without 'chunk'")
            }
            if let revision, rev != revision {
                return "a chunk is of revision \(rev), and those before it of \(revision)"
            }
        } else if !isComplete {
            return "\(request.method) came before the end of the source.reset"
        }
        return params["put"]?.arrayValue?.lazy.compactMap { check($0) }.first
    }

    private func check(_ item: JSONValue) -> String? {
        guard let id = item["id"]?.stringValue, 1...Self.longestID ~= id.utf8.count,
            item["name"]?.stringValue != nil
        else {
            return "an item has 'id', of 1 to \(Self.longestID) bytes, and 'name', unlike "
                + String(item.description.prefix(200))
        }
        let shown = String(id.prefix(60))
        if let uri = item["uri"], uri.stringValue.map({ $0.utf8.count > Self.longestURI }) ?? true,
            uri.kind != .null
        {
            return
                "the item \(shown) has a 'uri' that is no text of at most \(Self.longestURI) bytes"
        }
        let bytes = item.bytes.count
        if bytes > Self.longestItem {
            return "the item \(shown) has \(bytes) bytes; \(Self.longestItem) are allowed"
        }
        return nil
    }
}
