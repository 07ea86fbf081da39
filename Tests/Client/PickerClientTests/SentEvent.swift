import JSONText
import WireProtocol

/// An event as the daemon sends it.
struct SentEvent: WireNotification {
    static var method: StaticString { EventRecord.method }

    var sub: RequestID?
    var seq: Int
    var time: Double
    var topic: String
    var data: JSONFragment?
    var replayed = false

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let sub { writer.member("sub", sub) }
        writer.member("seq", seq)
        writer.member("time", time)
        writer.member("topic", topic)
        if let data { writer.member("data", data) }
        if replayed { writer.member("replayed", true) }
        writer.endObject()
    }

    /// The event as a client reads it.
    var record: EventRecord {
        get throws {
            try EventRecord(decoding: JSONFragment(writing: { write(to: &$0) }).view)
        }
    }
}
