package import JSONText

/// How much is done of what a request asks for.
package struct RequestSteps: Hashable, Sendable, WireNotification, WireReadable {
    package static var method: StaticString { "$/progress" }

    /// The id of the request.
    package var id: RequestID
    package var done: Int
    package var total: Int

    package init(id: RequestID, done: Int, total: Int) {
        self.id = id
        self.done = done
        self.total = total
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("done", done)
        writer.member("total", total)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        id = try reader.requestID("id")
        done = try reader.int("done")
        total = try reader.int("total")
    }
}
