internal import DataBus
package import WireProtocol

/// A name under which events are published, as it comes from clients: dot-separated words of
/// [a-z0-9-], 128 bytes at most. Which patterns name it is for the bus to say (`TopicFilter`).
package struct Topic: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// - Throws: invalidParams at "topic".
    package init(validating text: String) throws(ProtocolError) {
        guard TopicPattern.isTopic(text) else {
            throw .invalidParams(
                at: "topic",
                "topic \(ProtocolError.quoted(text)) must be words of a-z, 0-9 and '-' with dots"
                    + " between, \(TopicPattern.longestTopic) bytes at most")
        }
        self.text = text
    }

    package var description: String { text }

    /// Its first word; nil if it has only one, and so belongs to nobody.
    package var firstWord: Substring? {
        text.utf8.firstIndex(of: UInt8(ascii: ".")).map { text[..<$0] }
    }
}
