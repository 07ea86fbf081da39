internal import JSONText
package import WireProtocol

/// An event as the daemon passed it on.
public struct ReceivedEvent: Hashable, Sendable {
    package let record: EventRecord

    package init(_ record: EventRecord) { self.record = record }

    /// Its place among all events of all topics.
    public var seq: Int { record.seq }
    /// When it was published, in seconds since 1970.
    public var time: Double { record.time }
    /// Dot-separated words.
    public var topic: String { record.topic }
    /// What was published with it.
    public var data: RawJSON? { record.data.map { RawJSON($0) } }
    /// The length of ``data`` as text.
    var dataCount: Int { record.data?.bytes.count ?? 0 }
    /// Whether it was kept from before the subscription.
    public var isReplayed: Bool { record.replayed }
    /// The event as one line of JSON, without the line's end. Of what was received by a subscription,
    /// that has its number (`sub`), which means something to the connection alone.
    public var json: RawJSON { RawJSON(JSONFragment(writing: { record.write(to: &$0) })) }

    /// The same event without the number of the subscription, fit to be passed on.
    public var withoutSubscription: ReceivedEvent {
        var record = record
        record.sub = nil
        return ReceivedEvent(record)
    }
}
