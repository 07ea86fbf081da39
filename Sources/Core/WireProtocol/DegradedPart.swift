package import JSONText

/// Something of the daemon's own that is not as it should be: in the `degraded` of `daemon.info`, and the
/// data of the event `daemon.degraded`.
package struct DegradedPart: Sendable, Hashable {
    /// A stable word for it, as `settings`.
    package var what: String
    /// The file at fault.
    package var path: String
    /// The line of the file, counted from 1, if it is one line's fault.
    package var line: Int?
    /// Why, and what to do, in words.
    package var reason: String

    package init(what: String, path: String, line: Int? = nil, reason: String) {
        self.what = what
        self.path = path
        self.line = line
        self.reason = reason
    }
}

extension DegradedPart: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("what", what)
        writer.member("path", path)
        if let line { writer.member("line", line) }
        writer.member("reason", reason)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        what = try reader.string("what")
        path = try reader.string("path")
        line = try reader.optionalInt("line")
        reason = try reader.string("reason")
    }
}
