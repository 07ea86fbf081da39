// The words of a query's text that have a colon. The parser, the completion in a picker and that of shells all
// read these tables.

/// What may stand before a colon, and behind it.
package enum QueryWords {
    /// A word before a colon.
    struct Key: Sendable {
        let name: String
        /// What it is about, in a few words.
        let note: String
        /// Whether it says how the list is shown, and not what is in it.
        var isOption = false
        /// Whether it is offered to people; others are other names for the same.
        var isOffered = true
    }

    static let keys = [
        Key(name: "type", note: "kind of file, or what its name ends in"),
        Key(name: "ext", note: "what the name ends in"),
        Key(name: "suffix", note: "what the name ends in", isOffered: false),
        Key(name: "name", note: "the whole name"),
        Key(name: "match", note: "pattern of the name, as *.txt"),
        Key(name: "imatch", note: "pattern of the name, ignoring case"),
        Key(name: "path", note: "pattern of the path, as drafts/**"),
        Key(name: "size", note: "as >1M"),
        Key(name: "modified", note: "age or date, as <7d"),
        Key(name: "liked", note: "yes or no", isOffered: false),
        Key(name: "hidden", note: "yes or no"),
        Key(name: "is", note: "liked, dropped, any"),
        Key(name: "attr", note: "attribute, as pdf.pages>=10"),
        Key(name: "not", note: "the opposite of what follows", isOffered: false),
        Key(name: "sort", note: "order", isOption: true),
        Key(name: "limit", note: "most rows", isOption: true),
        Key(name: "skip", note: "rows left out at the start", isOption: true),
    ]

    /// The words behind `is:`.
    static let marks: [(word: String, filter: PickerFilter, note: String)] = [
        ("liked", .liked, "liked documents"),
        ("dropped", .dropped, "what was dropped from lists"),
        ("any", .everything, "all documents"),
    ]

    /// What stands for yes and for no.
    static let flags = ["yes": true, "true": true, "no": false, "false": false]

    /// The words that shells offer: with what is behind the colon where there are few.
    package static var offered: [String] {
        keys.filter(\.isOffered).flatMap { key in
            key.name == "is" ? marks.map { "is:" + $0.word } : [key.name + ":"]
        }
    }

    /// The keys to sort by, in both directions, that may follow those in `typed`, which have commas behind them.
    package static func sortKeys(behind typed: String, attributes: [String] = []) -> [String] {
        let used = typed.split(separator: ",").map { $0.hasPrefix("-") ? $0.dropFirst() : $0 }
        let names = SortKey.known + attributes.filter { SortKey.problem(with: $0) == nil }
        return names.filter { !used.contains(Substring($0)) }.flatMap { [$0, "-" + $0] }
    }
}
