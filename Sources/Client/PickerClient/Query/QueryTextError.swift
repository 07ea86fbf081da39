/// An error in the text of a query, with its place.
public struct QueryTextError: Error, Hashable, Sendable {
    /// The text before the wrong words.
    public let prefix: String
    /// The wrong words; empty if something is missing.
    public let fault: String
    /// The text after them.
    public let suffix: String
    /// The problem, and what would be valid.
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
