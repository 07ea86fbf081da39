// Completion of what is typed in a picker.

extension QueryWords {
    /// A text that can stand where the caret is.
    package struct Completion: Hashable, Sendable {
        /// What is put in the place of the range; the caret goes behind it.
        package let text: String
        /// What is typed of it, in bytes of UTF-8; it ends at the caret.
        package let range: Range<Int>
        /// What it is, in a few words.
        package let note: String
    }

    /// The words that begin with what is before the caret: keys, and behind a key and its colon the values that can be
    /// listed. None if nothing of a word is typed, if the caret is within one, and if all of it is typed.
    ///
    /// - Parameters:
    ///   - typed: what is typed, with its caret.
    ///   - attributes: the names of the attributes that there are.
    /// - Returns: the words; keys in the order of their table, values with the likeliest first.
    /// - Complexity: O(n) in the length of the text, plus the attributes.
    package static func completions(
        for typed: TypedQuery, attributes: [String] = []
    ) -> [Completion] {
        let scalars = Array(typed.text.unicodeScalars)
        let offsets = TypedQuery.offsets(of: scalars)
        let caret = TypedQuery.index(of: typed.caret, in: offsets)
        if caret < scalars.count, !scalars[caret].properties.isWhitespace, scalars[caret] != ")" {
            return []
        }
        // What comes behind the caret says nothing about the word before it, and times do not count.
        let reader = TypedQueryReader(
            Array(scalars[..<caret]), at: Timestamp(0), in: .utc, attributes: attributes)
        guard let part = reader.parts.last, part.range.upperBound == caret else { return [] }
        let found: (start: Int, words: [Offer])
        switch part.kind {
        case .search:
            let isInBrackets = reader.parts.dropLast().last?.isOpen ?? false
            found = keys(
                of: scalars[part.range], isInBrackets: isInBrackets, attributes: attributes)
        case .condition, .option, .fault:
            found = values(of: part.tokens.last, endingAt: caret, attributes: attributes)
        case .or: return []
        }
        let piece = String(String.UnicodeScalarView(scalars[found.start..<caret])).lowercased()
        return found.words.filter { $0.text.hasPrefix(piece) && $0.text != piece }.map {
            Completion(
                text: $0.text, range: offsets[found.start]..<offsets[caret], note: $0.note)
        }
    }

    private typealias Offer = (text: String, note: String)

    // MARK: Keys

    /// The keys that a word may become, behind its dashes and brackets.
    private static func keys(
        of word: ArraySlice<Unicode.Scalar>, isInBrackets: Bool, attributes: [String]
    ) -> (start: Int, words: [Offer]) {
        let piece = word.drop { $0 == "-" || $0 == "(" }
        guard !piece.isEmpty else { return (word.endIndex, []) }
        let isFirst = piece.startIndex == word.startIndex && !isInBrackets
        let known = keys.filter { $0.isOffered && (isFirst || !$0.isOption) && $0.name != "skip" }
            .map { (text: $0.name + ":", note: $0.note) }
        let named = attributes.filter { QueryTerms.isAttribute($0) }
            .map { (text: $0 + ":", note: "attribute") }
        return (piece.startIndex, known + named)
    }

    // MARK: Values

    /// The values that the end of a term may become, behind its key and what it has before its last comma.
    private static func values(
        of token: QueryLexer.Token?, endingAt end: Int, attributes: [String]
    ) -> (start: Int, words: [Offer]) {
        guard let token, token.range.upperBound == end, case .term(let key, let units) = token.kind
        else { return (end, []) }
        var start = token.valueStart
        var before = ""
        for (index, unit) in units.enumerated() {
            // Where a part is quoted, a unit is no scalar of the text.
            guard case .bare(let scalar) = unit else { return (end, []) }
            if scalar == ",", QueryLexer.listKeys.contains(key) {
                start = token.valueStart + index + 1
                before = units[...index].map(\.text).joined()
            }
        }
        return (start, values(of: key, behind: before, attributes: attributes))
    }

    private static func values(
        of key: String, behind before: String, attributes: [String]
    ) -> [Offer] {
        switch key {
        case "type", "ext", "suffix":
            let used = before.split(separator: ",")
            // A name of a kind is not the suffix of the same name.
            let offers =
                key == "type"
                ? types + suffixes.filter { DocumentType.named(by: $0.text) == nil } : suffixes
            return offers.filter { !used.contains(Substring($0.text)) }
        case "size": return sizes
        case "modified": return times
        case "is": return marks.map { ($0.word, $0.note) }
        case "liked", "hidden": return ["yes", "no"].map { ($0, "") }
        case "attr": return attributes.map { ($0, "attribute") }
        case "sort":
            return sortKeys(behind: before, attributes: attributes).map { ($0, note(ofSort: $0)) }
        default: return QueryTerms.isAttribute(key) ? [("*", "documents that have one")] : []
        }
    }

    private static let types: [Offer] = DocumentType.named.map { name, type in
        (name, type.suffixes.joined(separator: ", "))
    }

    private static let suffixes: [Offer] =
        [("pdf", "files ending in .pdf")]
        + DocumentType.named.flatMap { name, type in
            type.suffixes.map { ($0, name) }
        }

    private static let sizes: [Offer] = [
        (">1M", "larger than a million bytes"), (">100M", "larger than 100 million bytes"),
        (">1G", "larger than a thousand million bytes"), ("<100k", "smaller than 100,000 bytes"),
    ]

    private static let times: [Offer] = [
        ("today", "since midnight"), ("yesterday", "the day before today"),
        ("<1h", "within an hour"), ("<1d", "within 24 hours"), ("<7d", "within seven days"),
        ("<30d", "within 30 days"), ("<1y", "within 365 days"), (">1y", "not within 365 days"),
    ]

    private static func note(ofSort key: String) -> String {
        let isReversed = key.hasPrefix("-")
        let name = isReversed ? String(key.dropFirst()) : key
        let note = SortKey.table.first { $0.name == name }?.note ?? "by this attribute"
        return isReversed ? note + ", reversed" : note
    }
}
