internal import JSONText
package import WireProtocol

/// An event as the daemon sent it.
public struct ReceivedEvent: Hashable, Sendable {
    package let record: EventRecord

    package init(_ record: EventRecord) { self.record = record }

    /// Its number among the events of all topics.
    public var seq: Int { record.seq }
    /// When it was published, in seconds since 1970.
    public var time: Double { record.time }
    /// Dot-separated words.
    public var topic: String { record.topic }
    /// The published data.
    public var data: RawJSON? { record.data.map { RawJSON($0) } }
    /// The length of ``data`` as text.
    var dataCount: Int { record.data?.bytes.count ?? 0 }
    /// Whether it was published before the subscription.
    public var isReplayed: Bool { record.replayed }
    /// The event as one line of JSON, without the newline, and without the number of its subscription
    /// (`sub`), which only has a meaning on this connection.
    package var json: RawJSON {
        RawJSON(
            JSONFragment { writer in
                writer.beginObject()
                writer.member("seq", record.seq)
                writer.member("time", record.time)
                writer.member("topic", record.topic)
                if let data = record.data { writer.member("data", data) }
                if record.replayed { writer.member("replayed", true) }
                writer.endObject()
            })
    }
}
