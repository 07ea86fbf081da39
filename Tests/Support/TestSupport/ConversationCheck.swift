// Checks everything that a daemon sends on one connection against its schema.

package import JSONText

/// The requests of one connection, and the check of its answers against the schema.
package final class ConversationCheck {
    private let schema: ProtocolSchema
    private var unfinished: [UInt8] = []
    /// The unanswered requests of each id, oldest first.
    private var asked: [String: [(method: String, params: JSONValue?)]] = [:]

    package init(_ schema: ProtocolSchema) {
        self.schema = schema
    }

    /// Records bytes that the client has sent.
    package func didSend(_ bytes: some Sequence<UInt8>) {
        unfinished += bytes
        var start = unfinished.startIndex
        while let end = unfinished[start...].firstIndex(of: 0x0A) {
            didSend(line: ByteSlice(unfinished, start..<end))
            start = end + 1
        }
        unfinished.removeSubrange(..<start)
    }

    private func didSend(line: ByteSlice) {
        // A line that is no request is answered independently of a method. `data` may be a text that no value
        // can represent.
        guard let request = try? JSONView(validating: line).object(),
            let id = try? request["id"]?.value(), let method = request["method"]?.stringValue
        else { return }
        asked[id.description, default: []].append((method, try? request["params"]?.value()))
    }

    /// The errors of a line from the daemon.
    package func problems(of line: JSONValue) -> [String] {
        guard let id = line["id"] else { return schema.problems(ofNotification: line) }
        var request: (method: String, params: JSONValue?)?
        if asked[id.description]?.isEmpty == false {
            request = asked[id.description]?.removeFirst()
        }
        return schema.problems(ofReply: line, to: request?.method, params: request?.params)
    }
}
