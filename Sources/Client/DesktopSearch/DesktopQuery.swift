package import PickerClient

/// The searches of desktops, in the language of pickers: words are searched for as fzf does, and `type:pdf` and its
/// like are conditions.
package enum DesktopQuery {
    /// The most rows of an answer: more than a desktop shows.
    package static let mostRows = 24
    /// The most words, and bytes in all, that are read of a call; what is behind them is not searched for.
    package static let mostTerms = 64
    package static let mostBytes = 1024

    /// The list that is meant by words, or by a text in one piece; nil if they say nothing.
    package static func list(of terms: [String]) -> ListQuery? {
        let text = cut(terms.joined(separator: " "))
        var query = TypedQuery(text: text).query
        if query.search == nil, query.filter == nil { return nil }
        // All that an open list can't be changed to is always said.
        query.match = .fuzzy
        if query.sort.isEmpty { query.sort = query.search == nil ? ["date"] : ["score"] }
        query.start = 0
        query.count = query.count.map { min($0, mostRows) } ?? mostRows
        // A list without a search begins with the row for a new document.
        if query.search == nil { query.start = 1 }
        query.fields = ["name", "path", "root", "type"]
        query.highlights = true
        return query
    }

    /// Nothing is split: what does not fit whole is left out.
    private static func cut(_ text: String) -> String {
        if text.utf8.count <= mostBytes { return text }
        var left = mostBytes
        return String(
            text.prefix { character in
                left -= character.utf8.count
                return left >= 0
            })
    }
}
