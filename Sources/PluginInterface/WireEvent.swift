internal import DataBus
package import JSONText
package import WireProtocol

/// An event as it goes over the wire: a topic, and data that is JSON text already.
package struct WireEvent: Event {
    package let name: Topic
    /// Nil for an event that has none.
    package let data: JSONFragment?

    package var topic: String { name.text }

    /// The text of the event, and what an entry of the replay buffer costs beside it.
    package var retainedBytes: Int { 2 * (data?.bytes.count ?? 0) + topic.utf8.count + 160 }

    package init(topic: Topic, data: JSONFragment?) {
        name = topic
        self.data = data
    }
}
