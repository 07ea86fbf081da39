// Topics are dot-separated words of [a-z0-9-], at most 128 bytes long. A filter selects the topics of a
// subscriber. Matching allocates nothing, because it happens for each event and subscriber.

/// One entry of a ``TopicFilter``.
///
/// | pattern | matches |
/// | --- | --- |
/// | `*` | all topics |
/// | `documents.*` | all below `documents`: `documents.added`, not `documents` itself |
/// | `documents.added` | only this topic |
///
/// A pattern with a leading `!` excludes the topics that it matches. Topics are dot-separated words of
/// `a` to `z`, `0` to `9` and `-`, at most 128 bytes long.
public struct TopicPattern: Hashable, Sendable, CustomStringConvertible {
    private enum Form: Hashable {
        case all
        /// The topics with this prefix, which ends in a dot.
        case below([UInt8])
        case exactly([UInt8])
    }

    /// The maximum length of a topic, in bytes.
    package static let longestTopic = 128

    /// The pattern as it was given.
    public let description: String

    /// Whether the pattern starts with `!` and excludes topics.
    let takesAway: Bool

    private let form: Form

    /// Parses a pattern.
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

    /// Whether the pattern matches `topic`, regardless of a leading `!`. Bytes are compared.
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

    /// Whether `text` is a topic that a pattern can match: dot-separated words of `a` to `z`, `0` to `9`
    /// and `-`, at most 128 bytes long. The bus itself accepts any topic.
    package static func isTopic(_ text: String) -> Bool { isTopic(text.utf8Span.span) }

    /// Requires that `bytes` is at least as long as `start`.
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
