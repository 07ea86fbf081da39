internal import DataBus
package import WireProtocol

/// The name of a kind of event, as clients write it: dot-separated words of [a-z0-9-], at most 128 bytes. The
/// bus matches it against patterns (`TopicFilter`).
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

    /// Its first word; nil if it has only one word, and so belongs to no one.
    package var firstWord: Substring? {
        text.utf8.firstIndex(of: UInt8(ascii: ".")).map { text[..<$0] }
    }
}

/// Topic literals in code, which must be valid.
extension Topic: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        guard let topic = try? Topic(validating: text) else {
            preconditionFailure("'\(text)' is no topic")
        }
        self = topic
    }
}
