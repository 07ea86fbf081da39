internal import DataBus
package import JSONText

/// An event as it goes over the wire: a topic, and data that is JSON text already.
///
/// It has room for its own encoding, so that a thousand subscribers share one.
package final class WireEvent: Event {
    package let name: Topic
    /// Nil for an event that has none.
    package let data: JSONFragment?

    /// What was made of it, and for which number.
    private var encoding: (sequence: Int, bytes: [UInt8])?

    package var topic: String { name.text }

    /// The text of the event twice, as its encoding has it, too, and what an entry of the replay buffer
    /// costs beside it.
    package var retainedBytes: Int { 2 * (data?.bytes.count ?? 0) + topic.utf8.count + 160 }

    package init(topic: Topic, data: JSONFragment?) {
        name = topic
        self.data = data
    }

    /// The encoding of this event, sent as the number `sequence`: what `encode` gives the first time it
    /// is asked for.
    package func encoding(sequence: Int, _ encode: () -> [UInt8]) -> [UInt8] {
        if let encoding, encoding.sequence == sequence { return encoding.bytes }
        let bytes = encode()
        encoding = (sequence, bytes)
        return bytes
    }
}
