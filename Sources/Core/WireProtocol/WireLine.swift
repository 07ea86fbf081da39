package import JSONText

// Output lines: one JSON object each, with its LF, ready to be queued as bytes.

/// Creates whole lines. They are not checked against the line limit; senders of lists divide them into chunks.
package enum WireLine {
    /// The reply to a request; `result` writes one value.
    package static func reply<Failure: Error>(
        to id: RequestID, capacity: Int = 256,
        result: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.beginReply(id)
        try result(&writer)
        writer.endReply()
        return writer.finish()
    }

    package static func reply(to id: RequestID, _ result: some WireWritable) -> [UInt8] {
        reply(to: id) { result.write(to: &$0) }
    }

    package static func reply(to id: RequestID, _ result: JSONValue) -> [UInt8] {
        reply(to: id) { $0.value(result) }
    }

    package static func reply(to id: RequestID, _ result: JSONFragment) -> [UInt8] {
        reply(to: id, capacity: result.bytes.count + 64) { $0.fragment(result) }
    }

    /// `{}`
    package static func emptyReply(to id: RequestID) -> [UInt8] {
        reply(to: id, capacity: 64) { writer in
            writer.beginObject()
            writer.endObject()
        }
    }

    /// An error; a nil `id` is written as null.
    package static func error(_ error: ProtocolError, to id: RequestID?) -> [UInt8] {
        var writer = JSONWriter()
        writer.errorReply(id, error)
        return writer.finish()
    }

    /// The answer to a line that is no request; nil if it gets none.
    package static func refusal(_ refused: RefusedLine) -> [UInt8]? {
        refused.isNotification ? nil : error(refused.error, to: refused.id)
    }

    /// A notification; `params` writes the members of its object.
    package static func notification<Failure: Error>(
        _ method: StaticString, capacity: Int = 256,
        params: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var writer = start(capacity)
        writer.member("method", "\(method)")
        try writer.member(object: "params", params)
        return end(&writer)
    }

    /// A notification of a message with its own method.
    package static func notification<Message: WireNotification>(
        _ message: Message, capacity: Int = 256
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.notification(message)
        return writer.finishLine()
    }

    /// A request, or a notification if `id` is nil; `params` writes the members of its object.
    package static func request<Failure: Error>(
        id: RequestID?, method: String, capacity: Int = 256,
        params: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var writer = start(capacity)
        if let id { writer.member("id", id) }
        writer.member("method", method)
        try writer.member(object: "params", params)
        return end(&writer)
    }

    package static func request(
        id: RequestID?, method: String, params: JSONFragment
    ) -> [UInt8] {
        var writer = start(params.bytes.count + 128)
        if let id { writer.member("id", id) }
        writer.member("method", method)
        writer.member("params", params)
        return end(&writer)
    }

    package static func request(
        id: RequestID?, method: String, params: JSONObject = [:]
    ) -> [UInt8] {
        request(id: id, method: method) { writer in
            for member in params.members {
                writer.key(escaping: member.key)
                writer.value(member.value)
            }
        }
    }

    private static func start(_ capacity: Int) -> JSONWriter {
        var writer = JSONWriter(capacity: capacity)
        writer.beginObject()
        writer.member("jsonrpc", "2.0")
        return writer
    }

    private static func end(_ writer: inout JSONWriter) -> [UInt8] {
        writer.endObject()
        return writer.finishLine()
    }
}

/// A notification with a fixed method.
package protocol WireNotification: WireWritable, WireReadable {
    static var method: StaticString { get }
}
