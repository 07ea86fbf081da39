/// The topics a subscriber wants: each that matches a pattern without `!` and no pattern with `!`, in
/// any order of the patterns.
///
/// ```swift
/// let filter = try TopicFilter(["documents.*", "!documents.changed"])
/// filter.matches("documents.added")  // true
/// ```
///
/// See ``TopicPattern`` for the form of patterns. Patterns in code can be written as a literal; an
/// invalid literal is a programming error.
public struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of patterns in a filter.
    package static let mostPatterns = 256

    private let wanted: [TopicPattern]
    private let unwanted: [TopicPattern]

    /// A filter of `patterns`.
    ///
    /// - Throws: ``TopicError`` if a text is not a pattern (with its index), if there are too many, or
    ///   if all of them start with `!`, so that nothing could ever match.
    public init(_ patterns: [String]) throws(TopicError) {
        guard patterns.count <= Self.mostPatterns else { throw .tooManyPatterns(patterns.count) }
        var wanted: [TopicPattern] = []
        var unwanted: [TopicPattern] = []
        for (index, text) in patterns.enumerated() {
            guard let pattern = try? TopicPattern(text) else { throw .noPattern(text, at: index) }
            if pattern.takesAway { unwanted.append(pattern) } else { wanted.append(pattern) }
        }
        guard !wanted.isEmpty else { throw .nothingWanted }
        self.wanted = wanted
        self.unwanted = unwanted
    }

    /// Whether a subscriber with this filter wants events under `topic`.
    ///
    /// - Complexity: O(patterns); no allocation.
    public func matches(_ topic: String) -> Bool {
        for index in unwanted.indices where unwanted[index].names(topic) { return false }
        for index in wanted.indices where wanted[index].names(topic) { return true }
        return false
    }

    /// The patterns, separated by commas: first those without `!`, then those with it.
    public var description: String {
        (wanted + unwanted).map(\.description).joined(separator: ", ")
    }
}

extension TopicFilter: ExpressibleByArrayLiteral {
    /// A filter of literal patterns, which must be valid.
    public init(arrayLiteral patterns: String...) {
        do {
            try self.init(patterns)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
