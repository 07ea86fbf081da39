internal import DataBus
package import JSONText

/// An event as it goes over the wire: a topic, and data that is JSON text already.
///
/// It has room for its own encoding, so that a thousand subscribers share one.
package final class WireEvent: Event {
    /// The part of an event's line that all subscribers see alike.
    package struct Encoding {
        /// The members after the subscription's id, and the end of the line.
        package let rest: [UInt8]

        private static let end: StaticString = "}}\n"

        init(_ event: WireEvent, sequence: Int, time: Double, _ writer: inout JSONWriter) {
            writer.member("seq", sequence)
            writer.member("time", time)
            writer.member("topic", event.topic)
            if let data = event.data { writer.member("data", data) }
            rest = writer.finishMembers(followedBy: Self.end)
        }

        /// The members only.
        package var members: ArraySlice<UInt8> { rest.dropLast(Self.end.utf8CodeUnitCount) }
    }

    package let name: Topic
    /// Nil for an event that has none.
    package let data: JSONFragment?

    /// What was made of it, and for which number.
    private var encoded: (sequence: Int, encoding: Encoding)?

    package var topic: String { name.text }

    /// The text of the event twice, as its encoding has it, too, and what an entry of the replay buffer
    /// costs beside it.
    package var retainedBytes: Int { 2 * dataCount + topic.utf8.count + 160 }

    private var dataCount: Int { data?.bytes.count ?? 0 }

    package init(topic: Topic, data: JSONFragment?) {
        name = topic
        self.data = data
    }

    /// The encoding of this event, sent under that number at that time. It is made once, by an empty
    /// `writer`, which is empty again after that.
    package func encoding(
        sequence: Int, time: Double, using writer: inout JSONWriter
    ) -> Encoding {
        if let encoded, encoded.sequence == sequence { return encoded.encoding }
        let encoding = Encoding(self, sequence: sequence, time: time, &writer)
        encoded = (sequence, encoding)
        return encoding
    }
}
