internal import DataBus
package import WireProtocol

/// A name under which events are published, as it comes from clients: dot-separated words of
/// [a-z0-9-], 128 bytes at most. Which patterns name it is for the bus to say (`TopicFilter`).
package struct Topic: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// First words that only the daemon publishes under.
    package static let reservedWords = [
        "documents", "daemon", "watch", "layout", "plugin", "items",
    ]

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

    /// One of the daemon's own, which clients may not publish.
    package var isReserved: Bool {
        guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        return Self.reservedWords.contains(String(text[..<dot]))
    }
}
