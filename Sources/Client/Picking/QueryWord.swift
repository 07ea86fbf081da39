internal import PickerClient

/// A word of the line that can be completed.
struct QueryWord {
    /// The characters of the line that are replaced.
    let range: Range<Int>
    /// What can stand there, the likeliest first.
    let candidates: [QueryWords.Completion]

    /// The fewest letters that are taken for the start of a key: fewer are often searched for, and then Tab marks.
    private static let fewestLetters = 3

    /// The word at the caret, if there is something that it can become.
    init?(in line: QueryLine, attributes: [String]?) {
        let head = line.beforeCaret
        let typed = TypedQuery(
            text: line.text, caret: head.utf8.count, at: Timestamp(0), in: .utc,
            attributes: attributes)
        candidates = QueryWords.completions(for: typed, attributes: attributes ?? [])
        guard let first = candidates.first, first.range.upperBound == head.utf8.count else {
            return nil
        }
        let piece = String(decoding: head.utf8.dropFirst(first.range.lowerBound), as: UTF8.self)
        let isKey = first.text.hasSuffix(":")
        if isKey, piece.count < Self.fewestLetters { return nil }
        range = max(0, line.caret - piece.count)..<line.caret
    }

    /// What all candidates begin with, if that is more than what is typed.
    var completion: String? {
        guard let first = candidates.first?.text else { return nil }
        let common = candidates.dropFirst().reduce(first[...]) { common, candidate in
            let count = zip(common, candidate.text).prefix { $0 == $1 }.count
            return common.prefix(count)
        }
        return common.count > range.count ? String(common) : nil
    }
}
