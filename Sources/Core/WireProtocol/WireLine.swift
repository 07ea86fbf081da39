package import JSONText

// Output lines: one JSON object each, with its LF, ready to be queued as bytes.

/// Creates whole lines one by one. A session writes its lines with one writer (`JSONWriter+Lines.swift`).
package enum WireLine {
    /// An error; a nil `id` is written as null.
    package static func error(_ error: ProtocolError, to id: RequestID?) -> [UInt8] {
        var writer = JSONWriter()
        writer.errorReply(id, error)
        return writer.finish()
    }

    /// A notification of a message with its own method.
    package static func notification<Message: WireNotification>(_ message: Message) -> [UInt8] {
        var writer = JSONWriter()
        writer.notification(message)
        return writer.finishLine()
    }

    /// A request, or a notification if `id` is nil.
    package static func request(
        id: RequestID?, method: String, params: JSONFragment
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: params.bytes.count + 128)
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            if let id { writer.member("id", id) }
            writer.member("method", method)
            writer.member("params", params)
        }
        return writer.finishLine()
    }

    package static func request(
        id: RequestID?, method: String, params: JSONObject = [:]
    ) -> [UInt8] {
        request(id: id, method: method, params: JSONFragment(JSONValue.object(params)))
    }
}

/// A notification with a fixed method.
package protocol WireNotification: WireWritable {
    static var method: StaticString { get }
}
