package import JSONText

// The envelopes of lines, for a writer that is reused from line to line. `WireLine` creates the same lines one
// by one.
extension JSONWriter {
    /// Begins a reply, up to its result.
    package mutating func beginReply(_ id: RequestID) {
        beginObject()
        member("jsonrpc", "2.0")
        member("id", id)
        key("result")
    }

    /// Ends the reply begun by `beginReply`.
    package mutating func endReply() {
        endObject()
        endLine()
    }

    /// A whole error reply; a nil `id` is written as null.
    package mutating func errorReply(_ id: RequestID?, _ error: ProtocolError) {
        beginObject()
        member("jsonrpc", "2.0")
        key("id")
        if let id { id.write(to: &self) } else { null() }
        member("error", error)
        endObject()
        endLine()
    }

    /// A notification without its line end; `params` writes the value of its parameters.
    package mutating func notification(
        _ method: StaticString, _ params: (inout JSONWriter) -> Void
    ) {
        beginObject()
        member("jsonrpc", "2.0")
        member("method", "\(method)")
        key("params")
        params(&self)
        endObject()
    }

    /// A notification without its line end.
    package mutating func notification<Message: WireNotification>(_ message: Message) {
        notification(Message.method) { message.write(to: &$0) }
    }
}
