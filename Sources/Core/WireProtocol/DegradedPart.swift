package import JSONText

/// A degraded part of the daemon itself: an element of `degraded` in `daemon.info`, and the data of the event
/// `daemon.degraded`.
package struct DegradedPart: Sendable, Hashable {
    /// A stable word for it, such as `settings`.
    package var what: String
    /// The file at fault.
    package var path: String
    /// The line at fault in the file, counted from 1, if there is one.
    package var line: Int?
    /// The reason and the remedy, for people.
    package var reason: String

    package init(what: String, path: String, line: Int? = nil, reason: String) {
        self.what = what
        self.path = path
        self.line = line
        self.reason = reason
    }
}

extension DegradedPart: WireWritable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("what", what)
        writer.member("path", path)
        if let line { writer.member("line", line) }
        writer.member("reason", reason)
        writer.endObject()
    }
}
