/// Why a text is no pattern of topics, or a list of patterns no filter. Its description says what is wrong
/// and what would be right.
public struct TopicError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. There may be more of them one day.
    public struct Code: Hashable, Sendable {
        private enum Kind { case noPattern, tooMany, nothingWanted }
        private let kind: Kind

        /// A text is no pattern.
        public static let noPattern = Self(kind: .noPattern)
        /// There are more than ``TopicFilter/mostPatterns``.
        public static let tooManyPatterns = Self(kind: .tooMany)
        /// Nothing could ever match: there is no pattern without `!`.
        public static let nothingWanted = Self(kind: .nothingWanted)
    }

    /// What kind of error it is.
    public let code: Code

    /// The index of the pattern that is none, in the list of patterns; nil if it is not about one.
    public let position: Int?

    /// What is wrong, and what would be right.
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
