/// An event as it is kept on disk: its number, when it was, its topic, and its data as text.
///
/// What the data mean is for others; here they are bytes. So is whether the topic is one: text that
/// was read back is what was written, and who wrote it is known only by the owner of the file.
package struct StoredEvent: Hashable, Sendable {
    /// The largest number that an event may have: whole in every JSON number.
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
