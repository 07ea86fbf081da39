/// An error in the text of a query, with its place.
public struct QueryTextError: Error, Hashable, Sendable {
    /// The problem, and what would be valid.
    public let message: String
    private let text: [Unicode.Scalar]
    private let range: Range<Int>

    /// - Complexity: O(1): where each word of a text may be wrong, its parts are not copied for each.
    init(_ message: String, at range: Range<Int>, of text: [Unicode.Scalar]) {
        self.message = message
        self.text = text
        self.range = range.clamped(to: 0..<text.count)
    }

    /// The text before the wrong words.
    /// - Complexity: O(n) in the length of the text, as for the other parts.
    public var prefix: String { Self.string(text[..<range.lowerBound]) }
    /// The wrong words; empty if something is missing.
    public var fault: String { Self.string(text[range]) }
    /// The text after them.
    public var suffix: String { Self.string(text[range.upperBound...]) }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}

extension QueryTextError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
