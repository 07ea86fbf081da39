/// Which topics a subscriber wants: each that some pattern names and no pattern with `!` does, in whatever
/// order they stand.
///
/// ```swift
/// let filter = try TopicFilter(["documents.*", "!documents.changed"])
/// filter.matches("documents.added")  // true
/// ```
///
/// See ``TopicPattern`` for what patterns there are. Patterns that stand in the code can be written as a
/// literal; it is a programming error if they are none.
public struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
    /// The most patterns of a filter.
    public static let mostPatterns = 256

    private let wanted: [TopicPattern]
    private let unwanted: [TopicPattern]

    /// The filter that `patterns` make.
    ///
    /// - Throws: ``TopicError``: a text is no pattern (it says which), there are too many, or none
    ///   without `!`, so that nothing could ever match.
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

    /// The patterns with commas between: those that want, then those that take away.
    public var description: String {
        (wanted + unwanted).map(\.description).joined(separator: ", ")
    }
}

extension TopicFilter: ExpressibleByArrayLiteral {
    /// The filter of patterns that stand in the code, which must be sound.
    public init(arrayLiteral patterns: String...) {
        do {
            try self.init(patterns)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
