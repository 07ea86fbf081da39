/// The reason why a text is not a topic pattern, or a list of patterns not a filter. Its description
/// states the problem and the valid form.
public struct TopicError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. Later versions may add some.
    public struct Code: Hashable, Sendable {
        private enum Kind { case noPattern, tooMany, nothingWanted }
        private let kind: Kind

        /// A text is not a pattern.
        public static let noPattern = Self(kind: .noPattern)
        /// There are more than 256 patterns.
        public static let tooManyPatterns = Self(kind: .tooMany)
        /// No topic could ever match: there is no pattern without `!`.
        public static let nothingWanted = Self(kind: .nothingWanted)
    }

    /// The kind of the error.
    public let code: Code

    /// The index of the invalid pattern in the list of patterns; `nil` if the error is not about one.
    public let position: Int?

    /// The problem, and the valid form.
    public let description: String

    static func noPattern(_ text: String, at position: Int? = nil) -> Self {
        let quoted = text.count <= 60 ? "'\(text)'" : "'\(text.prefix(60))…'"
        return Self(
            code: .noPattern, position: position,
            description: "\(quoted) must be '*', a topic, or a topic and '.*', with or without '!'"
                + " in front")
    }

    static func tooManyPatterns(_ count: Int) -> Self {
        Self(
            code: .tooManyPatterns, position: nil,
            description: "\(count) topics; \(TopicFilter.mostPatterns) at most")
    }

    static var nothingWanted: Self {
        Self(
            code: .nothingWanted, position: nil,
            description: "no topic is asked for; '*' is everything")
    }
}
