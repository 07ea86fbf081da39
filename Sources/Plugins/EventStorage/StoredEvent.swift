/// An event on disk: number, time, topic, and data as text.
///
/// Data and topic are not interpreted or validated here: text that is read back equals the text written,
/// and only the owner of the file knows who wrote it.
package struct StoredEvent: Hashable, Sendable {
    /// The largest number of an event: exact in every JSON number.
    package static let largestNumber = 1 << 53
    /// The most bytes of a topic.
    package static let mostTopicBytes = 255
    /// The most bytes of data.
    package static let mostDataBytes = 1 << 20

    package let number: Int
    /// Seconds since 1970 UTC.
    package let time: Double
    package let topic: String
    /// Nil for an event that has none.
    package let data: [UInt8]?

    package init(number: Int, time: Double, topic: String, data: [UInt8]?) {
        self.number = number
        self.time = time
        self.topic = topic
        self.data = data
    }
}
