// Holds all that a daemon sends on one connection against its schema.

package import JSONText

/// What a client has asked on one connection, and whether what comes back is as the schema says.
package final class ConversationCheck {
    private let schema: ProtocolSchema
    private var unfinished: [UInt8] = []
    /// What was asked under each id and is not answered, the earliest first.
    private var asked: [String: [(method: String, params: JSONValue?)]] = [:]

    package init(_ schema: ProtocolSchema) {
        self.schema = schema
    }

    /// The client has sent these bytes.
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
        // What is no request is answered without regard to a method. Data may be what no value holds.
        guard let request = try? JSONView(validating: line).object(),
            let id = try? request["id"]?.value(), let method = request["method"]?.stringValue
        else { return }
        asked[id.description, default: []].append((method, try? request["params"]?.value()))
    }

    /// What is wrong with a line that the daemon has sent.
    package func problems(of line: JSONValue) -> [String] {
        guard let id = line["id"] else { return schema.problems(ofNotification: line) }
        var request: (method: String, params: JSONValue?)?
        if asked[id.description]?.isEmpty == false {
            request = asked[id.description]?.removeFirst()
        }
        return schema.problems(ofReply: line, to: request?.method, params: request?.params)
    }
}
