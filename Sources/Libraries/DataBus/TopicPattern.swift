// Topics are dot-separated words of [a-z0-9-], 128 bytes at most. A filter says which a subscriber wants.
// Matching allocates nothing, as it is done for each event and subscriber.

/// One entry of a ``TopicFilter``.
///
/// | pattern | names |
/// | --- | --- |
/// | `*` | all topics |
/// | `documents.*` | all below `documents`: `documents.added`, not `documents` itself |
/// | `documents.added` | that one |
///
/// With `!` in front it takes away what it names. Topics are dot-separated words of `a` to `z`, `0` to
/// `9` and `-`, of ``longestTopic`` bytes at most.
public struct TopicPattern: Hashable, Sendable, CustomStringConvertible {
    private enum Form: Hashable {
        case all
        /// The topics that begin so; ends in a dot.
        case below([UInt8])
        case exactly([UInt8])
    }

    /// The most bytes of a topic.
    public static let longestTopic = 128

    /// The pattern as it was given.
    public let description: String

    /// Whether it has `!` in front.
    public let takesAway: Bool

    private let form: Form

    /// The pattern that `text` is.
    ///
    /// - Throws: ``TopicError/Code/noPattern``.
    public init(_ text: String) throws(TopicError) {
        description = text
        takesAway = text.utf8.first == UInt8(ascii: "!")
        let bytes = Array(takesAway ? text.utf8.dropFirst() : text.utf8[...])
        let stem = bytes.dropLast(2)
        if bytes == [UInt8(ascii: "*")] {
            form = .all
        } else if bytes.suffix(2) == [UInt8(ascii: "."), UInt8(ascii: "*")],
            Self.isTopic(stem.span)
        {
            form = .below(bytes.dropLast())
        } else if Self.isTopic(bytes.span) {
            form = .exactly(bytes)
        } else {
            throw .noPattern(text)
        }
    }

    /// Whether the pattern names `topic`, whatever it then does about it. Bytes are compared.
    ///
    /// - Complexity: O(1), as topics are short; no allocation.
    public func names(_ topic: String) -> Bool {
        let bytes = topic.utf8Span.span
        switch form {
        case .all: return true
        case .below(let start): return bytes.count >= start.count && Self.begins(bytes, start)
        case .exactly(let all): return bytes.count == all.count && Self.begins(bytes, all)
        }
    }

    /// Whether `text` is a topic that a pattern can name: dot-separated words of `a` to `z`, `0`
    /// to `9` and `-`, of ``longestTopic`` bytes at most. The bus itself takes any.
    public static func isTopic(_ text: String) -> Bool { isTopic(text.utf8Span.span) }

    /// The first is at least as long as the second.
    private static func begins(_ bytes: Span<UInt8>, _ start: [UInt8]) -> Bool {
        for index in start.indices where bytes[index] != start[index] { return false }
        return true
    }

    private static func isTopic(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= longestTopic else { return false }
        var length = 0
        for index in bytes.indices {
            switch bytes[index] {
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
