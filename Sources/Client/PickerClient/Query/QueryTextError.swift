/// What is wrong with the text of a query, and where.
public struct QueryTextError: Error, Hashable, Sendable {
    /// What comes before the words that are wrong.
    public let prefix: String
    /// The words that are wrong; empty if something is missing there.
    public let fault: String
    /// What comes after them.
    public let suffix: String
    /// What is wrong, and what would be right.
    public let message: String

    init(_ message: String, at range: Range<Int>, of text: [Unicode.Scalar]) {
        func part(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            return String(view)
        }
        let start = min(range.lowerBound, text.count)
        let end = max(start, min(range.upperBound, text.count))
        prefix = part(text[..<start])
        fault = part(text[start..<end])
        suffix = part(text[end...])
        self.message = message
    }
}

extension QueryTextError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
