// Names of events: dot-separated words of [a-z0-9-], 128 bytes at most. A filter says which a
// subscriber wants; matching allocates nothing, as it is done for each event and subscriber.

/// A name under which events are published.
package struct Topic: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package static let longest = 128

    /// First words that only the daemon publishes under.
    package static let reservedWords = [
        "documents", "daemon", "watch", "layout", "plugin", "items",
    ]

    /// - Throws: invalidParams at "topic".
    package init(validating text: String) throws(ProtocolError) {
        try self.init(validating: text, at: "topic")
    }

    package init(validating text: String, at path: String) throws(ProtocolError) {
        guard Self.isSound(text.utf8) else {
            throw .invalidParams(
                at: path,
                "topic \(ProtocolError.quoted(text)) must be words of a-z, 0-9 and '-' with dots"
                    + " between, \(Self.longest) bytes at most")
        }
        self.text = text
    }

    package var description: String { text }

    /// One of the daemon's own, which clients may not publish.
    package var isReserved: Bool {
        Self.reservedWords.contains { word in
            text.utf8.count > word.utf8.count && text.utf8.starts(with: word.utf8)
                && text.utf8.dropFirst(word.utf8.count).first == UInt8(ascii: ".")
        }
    }

    static func isSound(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count <= longest else { return false }
        var length = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                length += 1
            case UInt8(ascii: ".") where length > 0: length = 0
            default: return false
            }
        }
        return length > 0
    }
}

/// One entry of a filter: `*`, `a.*` (all below `a`, not `a` itself), a topic; with `!` in front
/// it takes away.
package struct TopicPattern: Hashable, Sendable {
    private enum Form: Hashable {
        case all
        /// The topics that begin so; ends in a dot.
        case below([UInt8])
        case exactly([UInt8])
    }

    package let text: String
    package let takesAway: Bool
    private let form: Form

    package init(validating text: String, at path: String = "topics") throws(ProtocolError) {
        self.text = text
        takesAway = text.utf8.first == UInt8(ascii: "!")
        let bytes = Array(takesAway ? text.utf8.dropFirst() : text.utf8[...])
        if bytes == [UInt8(ascii: "*")] {
            form = .all
        } else if bytes.suffix(2) == [UInt8(ascii: "."), UInt8(ascii: "*")],
            Topic.isSound(bytes.dropLast(2))
        {
            form = .below(bytes.dropLast())
        } else if Topic.isSound(bytes) {
            form = .exactly(bytes)
        } else {
            throw .invalidParams(
                at: path,
                "\(ProtocolError.quoted(text)) must be '*', a topic, or a topic and '.*', with or"
                    + " without '!' in front")
        }
    }

    /// Whether the pattern names the topic, whatever it then does about it.
    package func covers(_ topic: Topic) -> Bool {
        switch form {
        case .all: true
        case .below(let start): topic.text.utf8.starts(with: start)
        case .exactly(let whole):
            topic.text.utf8.count == whole.count && topic.text.utf8.starts(with: whole)
        }
    }
}

/// What a subscriber wants: every topic that some pattern names and no `!` pattern does, in
/// whatever order they stand.
package struct TopicFilter: Hashable, Sendable {
    package static let mostPatterns = 256

    private let wanted: [TopicPattern]
    private let unwanted: [TopicPattern]

    /// - Throws: invalidParams for a pattern that is none, and when nothing could ever match.
    package init(
        validating patterns: [String], at path: String = "topics"
    ) throws(ProtocolError) {
        guard patterns.count <= Self.mostPatterns else {
            throw .invalidParams(
                at: path, "\(patterns.count) topics; \(Self.mostPatterns) at most")
        }
        var wanted: [TopicPattern] = []
        var unwanted: [TopicPattern] = []
        for (index, text) in patterns.enumerated() {
            let pattern = try TopicPattern(validating: text, at: "\(path)[\(index)]")
            if pattern.takesAway { unwanted.append(pattern) } else { wanted.append(pattern) }
        }
        guard !wanted.isEmpty else {
            throw .invalidParams(at: path, "no topic is asked for; '*' is everything")
        }
        self.wanted = wanted
        self.unwanted = unwanted
    }

    /// - Complexity: O(patterns), no allocation.
    package func matches(_ topic: Topic) -> Bool {
        for pattern in unwanted where pattern.covers(topic) { return false }
        for pattern in wanted where pattern.covers(topic) { return true }
        return false
    }
}
